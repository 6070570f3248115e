import { access, constants, open, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BehaviorChoices } from '../schema/behavior.ts'
import { parse } from '../schema/problem.ts'
import { UsageError } from './args.ts'
import { notWritten, readSeed, SeedError } from './seed-file.ts'

interface Place {
  readonly project: string
  readonly invoice: string
}

/** The behaviors of a seed file. Throws a `SeedError` when it has none. */
export const readBehaviors = async (file: string): Promise<BehaviorChoices> => {
  const { behaviors = {} } = await readSeed(file)
  const parsed = parse(BehaviorChoices, behaviors)
  if (parsed.ok && Object.keys(parsed.value).length > 0) return parsed.value
  throw new SeedError(`The seed ${file} has no behaviors; paylink-mock calibrate --out writes them.`)
}

/** Writes a seed from which a mock starts that behaves as was observed. */
export const writeFragment = async (file: string, behaviors: BehaviorChoices, place: Place): Promise<void> => {
  const seed = { behaviors, ...projectsOf(behaviors, place) }
  await writeFile(file, `${JSON.stringify(seed, null, 2)}\n`).catch((error: unknown) => {
    throw notWritten(file, error)
  })
}

// With these two readings a mock knows only the projects and invoices of its seed: without them it would refuse all.
const projectsOf = ({ unknownProject, invoiceIds }: BehaviorChoices, { project, invoice }: Place) => {
  if (invoiceIds === 'seeded') return { projects: { [project]: { invoices: [invoice] } } }
  return unknownProject === 'notFound' ? { projects: { [project]: {} } } : {}
}

/** Refuses a file that cannot be written, or that holds a seed of somebody's own. Makes none. */
export const refusePlace = async (file: string): Promise<void> => {
  await refuseUnwritable(file)
  await refuseOtherSeed(file)
}

const refuseUnwritable = async (file: string): Promise<void> => {
  try {
    await (await open(file, 'r+')).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw notWritten(file, error)
    await access(dirname(file), constants.W_OK).catch((reason: unknown) => {
      throw notWritten(file, reason)
    })
  }
}

/** What is written here holds behaviors, and places for them. */
const refuseOtherSeed = async (file: string): Promise<void> => {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined || text.trim() === '') return
  const { behaviors: _, projects = {}, ...rest } = await readSeed(file)
  const isOurs = Object.values(projects).every((project) => Object.keys(project).every((key) => key === 'invoices'))
  if (Object.keys(rest).length > 0 || !isOurs)
    throw new UsageError(`--out would overwrite ${file}, a seed that holds more than behaviors; name another file.`)
}
