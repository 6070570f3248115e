import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Problem } from '../schema/error.ts'
import { problemsText } from '../schema/problem.ts'
import { Seed } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import { StartError } from './console.ts'

/** A seed file that cannot be used: one sentence, and every problem by itself. */
export class SeedError extends StartError {
  readonly problems: readonly Problem[]

  constructor(message: string, problems: readonly Problem[] = []) {
    super(message)
    this.problems = problems
  }
}

/** The seed that `npm start` runs with. */
export const demoSeed = fileURLToPath(new URL('../../fixtures/demo.json', import.meta.url))

/** Reads and checks a seed file. */
export const readSeed = async (path: string): Promise<Seed> => {
  const value = parsed(path, await text(path))
  const result = parseStrict(Seed, value)
  if (!result.ok) throw new SeedError(problemsText(`The seed ${path}`, result.problems), result.problems)
  return result.value
}

const text = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SeedError(`The seed ${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}.`)
  }
}

const parsed = (path: string, json: string): unknown => {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new SeedError(`The seed ${path} is not JSON${placeOf(error as Error, json)}.`)
  }
}

// The parser's own sentence quotes what stands there, and that may be a token.
const placeOf = ({ message }: Error, json: string): string => {
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return ''
  const lines = json.slice(0, Number(position)).split('\n')
  return `: see line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}
