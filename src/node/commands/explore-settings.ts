import { availableParallelism } from 'node:os'
import { quote } from '../../schema/problem.ts'
import { type Args, UsageError } from '../args.ts'
import type { ProgramWords } from '../program.ts'
import { readInteger, readNames } from '../settings.ts'

/** A variable of the program. `{url}` in its text is the address of the sandbox. */
export interface ProgramVariable {
  readonly name: string
  readonly text: string
}

/** The name of the variable that is always set. */
const defaultVariable = 'BASE_URL'

/** The longest time that a timer can wait, in seconds. */
const maxTimeout = 2_147_483

/** Returns the settings of `explore`. Throws a `UsageError` for an invalid value. */
export const readExploreSettings = (args: Args) => {
  const [program = '', ...words] = args.operands
  const check = args.values.check?.at(-1)
  return {
    program: [program, ...words] satisfies ProgramWords,
    variables: [{ name: defaultVariable, text: '{url}' }, ...(args.values.env ?? []).map(readVariable)],
    effects: readNames(args, 'effects'),
    faults: readInteger(args, 'faults', 1, 2) === 2 ? (2 as const) : (1 as const),
    mustSucceed: readNames(args, 'must-succeed') ?? [],
    check: check === undefined ? undefined : splitWords(check),
    only: args.values.only?.at(-1),
    jobs: readInteger(args, 'jobs', 1, 1000) ?? availableParallelism(),
    timeout: 1000 * (readInteger(args, 'timeout', 1, maxTimeout) ?? 60),
    maxRuns: readInteger(args, 'max-runs', 1, 1e9) ?? Infinity,
    maxCalls: readInteger(args, 'max-calls', 1, 1e6) ?? 1000,
  }
}

const readVariable = (given: string): ProgramVariable => {
  const [, name, text = '{url}'] = /^([^=]+)(?:=(.*))?$/s.exec(given) ?? []
  if (name === undefined) throw new UsageError(`--env must be NAME or NAME=TEXT (got ${quote(given)}).`)
  return { name, text }
}

/** Splits the words of a command line. A word in quotes may have spaces, and nothing else has a meaning: no shell runs it. */
const splitWords = (text: string): ProgramWords => {
  const parts = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  const [program, ...args] = parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  const isOdd = text.replace(/"[^"]*"|'[^']*'/g, '').match(/["']/) !== null
  if (isOdd) throw new UsageError(`--check has a quote that does not end (got ${quote(text)}).`)
  if (program === undefined) throw new UsageError("--check needs a program: --check 'node check.js'.")
  return [program, ...args]
}
