import { constants } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ParseError } from 'jsonc-parser'
import { parseJsonIfValid } from '../core/schema/json-value.ts'
import { formatProblems, maxProblems, parse } from '../core/schema/problem.ts'
import { Seed } from '../core/schema/seed.ts'
import { Coverage } from '../core/schema/summaries.ts'
import { findNearest } from '../core/schema/text.ts'
import { parseStrict } from '../core/schema/unknown-fields.ts'
import { hidePassword } from '../core/schema/url.ts'
import { isDeeper, maxStateDepth } from '../core/http/json.ts'
import { type Args, CommandError } from './args.ts'
import { flags } from './flags.ts'

const packageSeeds = ['demo', 'empty']

export const rejectSeed = (path: string, action: 'read' | 'written') => {
  const nearestSeed = findNearest(path, packageSeeds)
  const hint = nearestSeed === undefined ? '' : `; did you mean the seed '${nearestSeed}' of the package?`
  return rejectFile(
    `The seed ${hidePassword(path)} cannot be ${action}`,
    action === 'read' ? `the file does not exist${hint}` : 'the folder does not exist',
  )
}

const rejectFile =
  (failedAction: string, missingReason = 'it does not exist') =>
  (error: unknown): never => {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: missingReason,
      EISDIR: 'it is a directory',
      ENOTDIR: 'part of its path is not a directory',
      EEXIST: 'it is a file',
      EACCES: 'this user has no permission',
      EROFS: 'the file system is read-only',
    }
    const reason = reasons[code] ?? code
    throw new CommandError(`${failedAction}: ${reason}${reason.endsWith('?') ? '' : '.'}`)
  }

export const getFixturePath = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

/** Returns the path of a seed. The demo seed and the empty seed have short names; a file of such a name needs `./`. */
export const getSeedPath = (seed: string): string =>
  packageSeeds.includes(seed) ? getFixturePath(`${seed}.json`) : seed

/** Reads and validates a seed file. Throws a `CommandError`. */
export const readSeed = async (path: string): Promise<Seed> => {
  const seedValue = await parseSeedText(path, await readSeedText(path))
  // A test validates the seeds of the package. Skipping it here makes the start faster.
  if (packageSeeds.some((seed) => path === getSeedPath(seed))) return seedValue as Seed
  const parsedSeed = parseStrict(Seed, seedValue)
  if (parsedSeed.ok) return parsedSeed.value
  const { problems } = parsedSeed
  throw new CommandError(formatProblems(`The seed ${hidePassword(path)}`, problems), [
    `${hidePassword(path)} is not a valid seed:`,
    ...problems.slice(0, maxProblems).map(({ message }) => `  ${message}`),
    ...(problems.length > maxProblems ? ['  ... and more.'] : []),
  ])
}

/** Reads the seed of `--seed`. An error names the variable that set it. */
export const readGivenSeed = ({ flags: givenFlags }: Args, path: string): Promise<Seed> =>
  readSeed(path).catch((error: unknown) => {
    if (givenFlags.seed !== undefined || !(error instanceof CommandError)) throw error
    const [first, ...others] = error.lines
    throw new CommandError('', [`${flags.seed.env}: ${first}`, ...others])
  })

const rejectSeedContent = (path: string, problem: string): never => {
  throw new CommandError(`The seed ${hidePassword(path)} ${problem}`)
}

const readSeedText = async (path: string): Promise<string> => {
  const { size } = await stat(path).catch(rejectSeed(path, 'read'))
  const isTooLarge = (length: number) => length > constants.MAX_STRING_LENGTH
  const seedBytes = isTooLarge(size) ? undefined : await readFile(path).catch(rejectSeed(path, 'read'))
  // The size of a pipe is unknown before it is read.
  if (seedBytes === undefined || isTooLarge(seedBytes.length))
    return rejectSeedContent(path, 'is larger than 512 MB. Create its records with `generate`.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(seedBytes)
  } catch {
    return rejectSeedContent(path, 'is not UTF-8.')
  }
}

const parseSeedText = async (path: string, text: string): Promise<unknown> => {
  const seedValue = parseJsonIfValid(text)
  if (seedValue === undefined) {
    if (isYaml(path, text)) return rejectSeedContent(path, 'is YAML, but a seed must be JSON. Convert the file.')
    if (text.trim() === '') return rejectSeedContent(path, 'is empty.')
    return rejectSeedContent(path, `is not JSON${formatPosition(await findMistake(text), text)}.`)
  }
  if (isDeeper(seedValue, maxStateDepth)) return rejectSeedContent(path, `nests deeper than ${maxStateDepth} levels.`)
  return seedValue
}

const isYaml = (path: string, text: string): boolean => /\.ya?ml$/i.test(path) || /^(?:---|[\w$-]+:)\s/m.test(text)

/** Returns the index of the first mistake in a text. The errors of `JSON.parse` have it in some versions of Node only. */
const findMistake = async (text: string): Promise<number> => {
  const jsonc = await import('jsonc-parser')
  const mistakes: ParseError[] = []
  jsonc.parse(text, mistakes, { disallowComments: true })
  return mistakes[0]?.offset ?? text.length
}

const formatPosition = (position: number, text: string): string => {
  const lines = text.slice(0, position).split('\n')
  const [textBefore, textAfter] = [text.slice(0, position).trimEnd(), text.slice(position)]
  const isTrailing = textBefore.endsWith(',') && /^[}\]]/.test(textAfter)
  const mistakeText = isTrailing ? ' (trailing comma)' : /^\/[/*]/.test(textAfter) ? ' (comment)' : ''
  return `: see line ${lines.length}, column ${lines.at(-1)!.length + 1}${mistakeText}`
}

export const readCoverages = async (folder: string): Promise<readonly Coverage[]> => {
  const fileNames = await readdir(folder).catch(rejectFile(`The folder ${folder} cannot be read`))
  const files = fileNames.filter((name) => name.endsWith('.json')).toSorted()
  if (files.length > 0) return Promise.all(files.map((name) => readCoverage(join(folder, name))))
  throw new CommandError(
    `The folder ${folder} has no coverage. The fixtures of paylink-mock/vitest write it: test.override({ coverage: '${folder}' }).`,
  )
}

const readCoverage = async (file: string): Promise<Coverage> => {
  const text = await readFile(file, 'utf8').catch(rejectFile(`The coverage ${file} cannot be read`))
  const coverageJson = parseJsonIfValid(text)
  if (coverageJson === undefined) throw new CommandError(`${file} is not a coverage file: it is not JSON.`)
  const parsed = parse(Coverage, coverageJson)
  if (parsed.ok) return parsed.value
  throw new CommandError(`${file} is not a coverage file: ${formatProblems('it', parsed.problems)}`)
}

export const writeCoverage = async (folder: string, coverage: Coverage): Promise<void> => {
  // Each worker of a test runner writes its own file.
  const file = join(folder, `coverage-${randomUUID()}.json`)
  await mkdir(folder, { recursive: true })
    .then(() => writeFile(file, `${JSON.stringify(coverage)}\n`))
    .catch(rejectFile(`The coverage cannot be written to ${folder}`))
}
