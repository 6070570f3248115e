import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Problem } from '../schema/error.ts'
import { problemsText } from '../schema/problem.ts'
import { Seed } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import { documentDepth, keyText, repeatedIn, WrongJson } from '../wire/json.ts'
import { JsonReader } from '../wire/json-reader.ts'
import { StartError } from './console.ts'
import { printable } from './log.ts'

/** A seed file that cannot be used: one sentence, and every problem by itself. */
export class SeedError extends StartError {
  readonly problems: readonly Problem[]

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message)
    this.problems = problems
  }
}

/** Why a seed could not be read. */
export const notRead = (file: string, error: unknown): SeedError =>
  new SeedError(`The seed ${file} cannot be read: ${reasonOf(error, 'there is no such file')}.`)

/** Why a seed could not be written. */
export const notWritten = (file: string, error: unknown): SeedError =>
  new SeedError(`The seed ${printable(file)} cannot be written: ${reasonOf(error, 'there is no such folder')}.`)

const reasonOf = (error: unknown, missing: string): string => {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: missing,
    EISDIR: 'it is a directory',
    ENOTDIR: 'a part of its path is not a directory',
    EACCES: 'this user has no permission',
    EROFS: 'the file system is read-only',
  }
  return reasons[code] ?? code
}

/** The seed that `npm start` runs with. */
export const demoSeed = fileURLToPath(new URL('../../fixtures/demo.json', import.meta.url))

/** Bytes from which on it is said what is done: fewer take about half a second. */
const longSeed = 10_000_000

/** Bytes beyond which a file is read in parts, and a mistake is told without its line: it is never held as a whole. */
const longText = 50_000_000

/** Reads and checks a seed file. Where that takes a while, it says what it is at. Rejects with a `SeedError`. */
export const readSeed = async (path: string, say: (what: string) => void = () => {}): Promise<Seed> => {
  const size = await sizeOf(path)
  const sayIfLong = size < longSeed ? () => {} : say
  sayIfLong(`Reading ${basename(path)}`)
  const value = size > longText ? await parsedInParts(path, streamOf(path)) : await parsed(path)
  sayIfLong(`Checking ${basename(path)}`)
  const result = parseStrict(Seed, value)
  if (!result.ok) throw new SeedError(problemsText(`The seed ${path}`, result.problems), result.problems)
  return result.value
}

const sizeOf = async (path: string): Promise<number> => {
  const { size } = await stat(path).catch((error: unknown) => {
    throw notRead(path, error)
  })
  return size
}

const parsed = async (path: string): Promise<unknown> => {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw notRead(path, error)
  })
  // Of a pipe nobody knows beforehand how much will come.
  if (bytes.length > longText) return parsedInParts(path, [bytes])
  const json = textOf(path, bytes)
  const value = parsedText(path, json)
  const repeated = repeatedIn(json)
  if (repeated !== undefined) throw keyTwice(path, repeated.name, placeOf(repeated.at, json))
  return value
}

const textOf = (path: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrongSeed(path, new WrongJson('notUtf8'))
  }
}

const parsedText = (path: string, json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch (error) {
    // The parser's own sentence quotes what stands there, and that may be a token.
    const position = /position (\d+)/.exec((error as Error).message)?.[1]
    const place = position === undefined ? '' : placeOf(Number(position), json)
    throw new SeedError(`The seed ${path} is not JSON${place}.`)
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const streamOf = (path: string): Chunks => createReadStream(path, { highWaterMark: 2 ** 20 })

const parsedInParts = async (path: string, chunks: Chunks): Promise<unknown> => {
  const reader = new JsonReader({ mostDepth: documentDepth })
  try {
    for await (const chunk of chunks) reader.take(chunk)
    return reader.end()
  } catch (error) {
    if (!(error instanceof WrongJson)) throw notRead(path, error)
    throw wrongSeed(path, error)
  }
}

const wrongSeed = (path: string, { why, key }: WrongJson): SeedError => {
  switch (why) {
    case 'keyTwice':
      return keyTwice(path, key)
    case 'tooDeep':
      return new SeedError(`The seed ${path} nests deeper than ${documentDepth} levels.`)
    case 'notUtf8':
      return new SeedError(`The seed ${path} is not UTF-8.`)
    case 'notJson':
      return new SeedError(`The seed ${path} is not JSON.`)
  }
}

// Of the two the parser would take the last, and leave out the first without a word.
const keyTwice = (path: string, key: string, place = ''): SeedError =>
  new SeedError(`The seed ${path} has ${printable(keyText(key))} twice in one object${place}.`)

const placeOf = (position: number, json: string): string => {
  const lines = json.slice(0, position).split('\n')
  return `: see line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}
