import type { ProgramEnd, RunProgram } from '../../extensions/explore/programs/program-run.ts'
import { type ProgramProgress, searchProgram } from '../../extensions/explore/programs/program-search.ts'
import { ProgramError } from '../../extensions/explore/programs/program-verdict.ts'
import { createCore } from '../../mock/mock.ts'
import { MockError } from '../../schema/error.ts'
import { quote } from '../../schema/problem.ts'
import { type Args, CommandError, UsageError } from '../args.ts'
import { type ProgramWords, runProgram } from '../program.ts'
import { getSeedPath, readSeed } from '../seed-file.ts'
import { startServer } from '../server.ts'
import { readSettings, readInteger, readNames } from '../settings.ts'
import { clearLine, type CommandConsole, formatJson } from '../terminal.ts'
import { formatCommand, formatProgress, formatProgressBar, formatSearchReport } from './explore-text.ts'
import { availableParallelism } from 'node:os'

/** `explore -- program`: runs a program once for each fault at each of its calls. The exit code is 1 if a run failed. */
export const runExplore = async (args: Args, console: CommandConsole): Promise<number> => {
  if (process.platform === 'win32') throw new CommandError('explore needs Linux or macOS. Under Windows, use WSL.')
  const settings = readExploreSettings(args)
  const { mock, seed } = readSettings(args, console.onTerminal)
  const core = createCore(mock, { seed: await readSeed(getSeedPath(seed)) })
  const signal = console.onInterrupt?.() ?? new AbortController().signal
  const isJson = args.values.json !== undefined
  const run = createRun(settings.program, settings, isJson)
  // The output of a single schedule goes to the same terminal.
  const hasProgress = settings.only === undefined
  let close = async () => {}
  try {
    const listen: Parameters<typeof searchProgram>[1] = async (watched) => {
      const server = await startServer(watched, { port: 0 })
      close = () => server.close()
      core.setAddress(server.url)
      return server.url
    }
    const report = await searchProgram(core, listen, {
      ...settings,
      variables: settings.variables.map(({ name }) => name),
      run,
      check: settings.check && createRun(settings.check, settings, isJson),
      signal,
      formatCommand: (replay) => formatCommand(args, replay),
      onProgress: hasProgress ? createProgress(console) : () => {},
    })
      .catch(throwUsable)
      .finally(() => hasProgress && console.onTerminal && console.err(clearLine))
    if (isJson) console.out(formatJson(report))
    ;(isJson ? console.err : console.out)(formatSearchReport(report))
    if (report.endedBy === 'signal') return 130
    return report.failures.length > 0 ? 1 : 0
  } finally {
    core.stop()
    await close()
  }
}

/** Returns a function that runs a program with the address of a sandbox in its variables and arguments. */
const createRun = (
  words: ProgramWords,
  { variables, timeout }: { readonly variables: readonly ProgramVariable[]; readonly timeout: number },
  isJson: boolean,
): RunProgram => {
  const shown = isJson ? 'stderr' : 'stdout'
  return ({ url, signal, isShown }): Promise<ProgramEnd> => {
    const fill = (text: string) => text.replaceAll('{url}', url)
    const [program, ...args] = words
    const env = Object.fromEntries(variables.map(({ name, text }) => [name, fill(text)]))
    return runProgram([fill(program), ...args.map(fill)], { env, timeout, signal, output: isShown ? shown : 'kept' })
  }
}

/** Converts the errors of a search to those of a command. */
const throwUsable = (error: unknown): never => {
  // An invalid flag.
  if (error instanceof MockError) throw new UsageError(error.message)
  if (!(error instanceof ProgramError)) throw error
  const output = error.output.length === 0 ? [] : ['The end of its output:', ...error.output.map((line) => `  ${line}`)]
  throw new CommandError(error.message, [error.message, ...output])
}

/** How often progress is printed without a terminal, in milliseconds. */
const interval = 5000

/** Returns a function that shows a bar on a terminal, and prints a line every few seconds elsewhere. */
const createProgress = ({ onTerminal, err }: CommandConsole): ((progress: ProgramProgress) => void) => {
  let printed = performance.now()
  return (progress) => {
    if (onTerminal) return err(`${clearLine}${formatProgressBar(progress)}`)
    if (performance.now() - printed < interval) return
    printed = performance.now()
    err(`${formatProgress(progress)}\n`)
  }
}

/** A variable of the program. `{url}` in its text is the address of the sandbox. */
interface ProgramVariable {
  readonly name: string
  readonly text: string
}

/** The longest time that a timer can wait, in seconds. */
const maxTimeout = 2_147_483

/** Returns the settings of `explore`. Throws a `UsageError` for an invalid value. */
export const readExploreSettings = (args: Args) => {
  const [program = '', ...words] = args.operands
  const check = args.values.check?.at(-1)
  return {
    program: [program, ...words] satisfies ProgramWords,
    variables: [{ name: 'BASE_URL', text: '{url}' }, ...(args.values.env ?? []).map(readVariable)],
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
