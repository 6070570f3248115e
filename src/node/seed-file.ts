import { constants } from 'node:buffer'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { formatProblems, maxProblems } from '../schema/problem.ts'
import { Seed } from '../schema/seed.ts'
import { findNearest } from '../schema/text.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import { hidePassword } from '../schema/url.ts'
import { isDeeper, maxStateDepth } from '../http/json.ts'
import { CommandError } from './args.ts'

/** The seeds of the package, by their short names. */
const ownSeeds = ['demo', 'empty']

/** Returns a function that throws a `CommandError` for the error of a seed file. */
export const rejectSeed = (path: string, action: 'read' | 'written') => {
  const meant = findNearest(path, ownSeeds)
  const hint = meant === undefined ? '' : `; did you mean the seed '${meant}' of the package?`
  return rejectFile(
    `The seed ${hidePassword(path)} cannot be ${action}`,
    action === 'read' ? `the file does not exist${hint}` : 'the folder does not exist',
  )
}

/** Returns a function that throws a `CommandError` for the error of a file. `missing` explains that it does not exist. */
export const rejectFile =
  (failure: string, missing = 'it does not exist') =>
  (error: unknown): never => {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: missing,
      EISDIR: 'it is a directory',
      ENOTDIR: 'part of its path is not a directory',
      EEXIST: 'it is a file',
      EACCES: 'this user has no permission',
      EROFS: 'the file system is read-only',
    }
    const reason = reasons[code] ?? code
    throw new CommandError(`${failure}: ${reason}${reason.endsWith('?') ? '' : '.'}`)
  }

/** Returns the path of a file in the fixtures of the package. */
export const getFixturePath = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

/** Returns the path of a seed. The demo seed and the empty seed have short names; a file of such a name needs `./`. */
export const getSeedPath = (seed: string): string => (ownSeeds.includes(seed) ? getFixturePath(`${seed}.json`) : seed)

/** Reads and validates a seed file. Throws a `CommandError`. */
export const readSeed = async (path: string): Promise<Seed> => {
  const value = await parseSeedText(path, await readSeedText(path))
  // A test checks the seeds of the package, so that a start need not.
  if (ownSeeds.some((seed) => path === getSeedPath(seed))) return value as Seed
  const result = parseStrict(Seed, value)
  if (result.ok) return result.value
  const { problems } = result
  throw new CommandError(formatProblems(`The seed ${hidePassword(path)}`, problems), [
    `${hidePassword(path)} is not a valid seed:`,
    ...problems.slice(0, maxProblems).map(({ message }) => `  ${message}`),
    ...(problems.length > maxProblems ? ['  ... and more.'] : []),
  ])
}

const rejectContent = (path: string, problem: string): never => {
  throw new CommandError(`The seed ${hidePassword(path)} ${problem}`)
}

const readSeedText = async (path: string): Promise<string> => {
  const { size } = await stat(path).catch(rejectSeed(path, 'read'))
  const isTooLarge = (length: number) => length > constants.MAX_STRING_LENGTH
  const bytes = isTooLarge(size) ? undefined : await readFile(path).catch(rejectSeed(path, 'read'))
  // The size of a pipe is unknown before it is read.
  if (bytes === undefined || isTooLarge(bytes.length))
    return rejectContent(path, 'is larger than 512 MB. Create its records with `generate`.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return rejectContent(path, 'is not UTF-8.')
  }
}

const parseSeedText = async (path: string, text: string): Promise<unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    if (isYaml(path, text)) return rejectContent(path, 'is YAML, but a seed must be JSON. Convert the file.')
    return rejectContent(path, `is not JSON${formatPosition(await findMistake(text), text)}.`)
  }
  if (isDeeper(value, maxStateDepth)) return rejectContent(path, `nests deeper than ${maxStateDepth} levels.`)
  return value
}

/** Returns true for a text that is not JSON if it looks like YAML. */
const isYaml = (path: string, text: string): boolean => /\.ya?ml$/i.test(path) || /^(?:---|[\w$-]+:)\s/m.test(text)

/** Returns the index of the first mistake in a text. The errors of `JSON.parse` have it in some versions of Node only. */
const findMistake = async (text: string): Promise<number> => {
  const { visit } = await import('jsonc-parser')
  let first = text.length
  visit(text, { onError: (_, index) => void (first = Math.min(first, index)) }, { disallowComments: true })
  return first
}

const formatPosition = (position: number, text: string): string => {
  const lines = text.slice(0, position).split('\n')
  return `: see line ${lines.length}, column ${position - text.lastIndexOf('\n', position - 1)}`
}
