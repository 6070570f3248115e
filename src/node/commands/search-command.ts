// The common part of `explore` and `interleave`: flags, the start of programs, progress and reports.
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { formatWithEnd } from '../../extensions/explore/result.ts'
import type { NotTried } from '../../extensions/explore/programs/program-result.ts'
import type { StartProgram } from '../../extensions/explore/programs/program-parts.ts'
import type { ProgramProgress, ProgramSearch } from '../../extensions/explore/programs/program-search.ts'
import { ProgramError } from '../../extensions/explore/programs/program-verdict.ts'
import { createCore } from '../../mock/core.ts'
import { MockError } from '../../schema/error.ts'
import { pluralize, quote } from '../../schema/problem.ts'
import { quoteForShell } from '../../openapi/curl.ts'
import { type Args, CommandError, UsageError } from '../args.ts'
import { type FlagName, flags } from '../flags.ts'
import { type ProgramWords, startProgram } from '../program.ts'
import { getSeedPath, readSeed } from '../seed-file.ts'
import { startServer } from '../server.ts'
import { readInteger, readNames, readSettings } from '../settings.ts'
import { clearLine, type CommandConsole, formatJson } from '../terminal.ts'

interface SearchReport {
  readonly runs: number
  readonly calls: number
  readonly exhausted: boolean
  readonly endedBy: 'complete' | 'only' | 'maxRuns' | 'signal'
  readonly notTried: readonly NotTried[]
  readonly failures: readonly unknown[]
}

/** Runs a search over programs, by their names, prints its report and returns the exit code. */
export const runSearchCommand = async <R extends SearchReport>(
  args: Args,
  console: CommandConsole,
  programs: readonly (readonly [name: string, words: ProgramWords])[],
  search: (given: ProgramSearch) => Promise<R>,
  formatFailures: (report: R) => readonly string[],
): Promise<number> => {
  if (process.platform === 'win32')
    throw new CommandError(`${args.command} needs Linux or macOS. Under Windows, use WSL.`)
  const settings = readSearchSettings(args)
  const { mock, seed: seedFlag } = readSettings(args, console.onTerminal)
  const seed = await readSeed(getSeedPath(seedFlag))
  const signal = console.onInterrupt?.() ?? new AbortController().signal
  const isJson = args.values.json !== undefined
  // The output of a single schedule goes to the same terminal.
  const hasProgress = settings.only === undefined
  const start = createStart(settings, isJson)
  let close = async () => {}
  try {
    const report = await search({
      ...settings,
      variables: settings.variables.map(([name]) => name),
      programs: new Map(programs.map(([name, words]) => [name, start(words)])),
      check: settings.check && start(settings.check),
      reset: settings.reset && start(settings.reset),
      signal,
      createCore: (onAccess) => createCore(mock, { seed, onAccess }),
      listen: async (core) => {
        const server = await startServer(core, { port: 0 }, { overrideGlobalObjects: true })
        close = () => server.close()
        return server.url
      },
      formatCommand: (replay) =>
        formatCommand(
          args,
          console.invocation ?? getInvocation(process.argv[1] ?? '', process.env, process.cwd()),
          replay,
        ),
      onPlan: (plan) => console.err(`${console.onTerminal ? clearLine : ''}The search needs ${formatPlanned(plan)}.\n`),
      onProgress: hasProgress ? createProgress(console) : () => {},
    })
      .catch(throwUsable)
      .finally(() => hasProgress && console.onTerminal && console.err(clearLine))
    if (isJson) console.out(formatJson(report))
    const parts = [...formatFailures(report), formatNotTried(report), formatSummary(report, args)]
    const text = parts.filter((part) => part !== '').map((part) => `${part}\n`)
    ;(isJson ? console.err : console.out)(text.join('\n'))
    if (report.endedBy === 'signal') return 130
    if (report.failures.length > 0) return 1
    return report.exhausted || report.endedBy === 'only' || settings.isIncompleteAllowed ? 0 : 1
  } finally {
    await close()
  }
}

/** Returns a function that starts a program with the address of a sandbox in its variables and arguments. */
const createStart =
  ({ variables }: SearchSettings, isJson: boolean) =>
  ([program, ...words]: ProgramWords): StartProgram =>
  ({ url, run, timeout, signal, isShown }) => {
    const fill = (text: string) => text.replaceAll('{url}', url).replaceAll('{run}', `${run}`)
    const env = Object.fromEntries(variables.map(([name, text]) => [name, fill(text)]))
    const output = isShown ? (isJson ? 'stderr' : 'stdout') : 'kept'
    return startProgram([fill(program), ...words.map(fill)], { env, timeout, signal, output })
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
  const start = performance.now()
  let printed = start
  return (progress) => {
    const text = `${formatProgress(progress)}${formatTimeLeft(progress, performance.now() - start)}`
    if (onTerminal) return err(`${clearLine}${formatProgressBar(progress)}${text}`)
    if (performance.now() - printed < interval) return
    printed = performance.now()
    err(`${text}\n`)
  }
}

/** The width of the bar. */
const width = 20

/** `[=====>              ] ` */
const formatProgressBar = ({ runs, planned }: ProgramProgress): string => {
  const done = Math.floor((width * Math.min(runs, planned)) / Math.max(planned, 1))
  return `[${'='.repeat(done).padEnd(width)}] `
}

/** `12 of at least 71 runs, 2 failures` */
const formatProgress = (progress: ProgramProgress): string =>
  `${progress.runs} of ${formatPlanned(progress)}, ${pluralize(progress.failures, 'failure')}`

const formatPlanned = ({ planned, isExact }: Pick<ProgramProgress, 'planned' | 'isExact'>): string =>
  `${isExact ? '' : 'at least '}${pluralize(planned, 'run')}`

/** Estimates the remaining time from the duration of the runs so far. */
const formatTimeLeft = ({ runs, planned, isExact }: ProgramProgress, spent: number): string => {
  const seconds = Math.round(((planned - runs) * spent) / Math.max(runs, 1) / 1000)
  return seconds < 2 ? '' : `, ${isExact ? '' : 'at least '}${seconds} s left`
}

/** The longest time that a timer can wait, in seconds. */
const maxTimeout = 2_147_483

/** Returns the settings of a search. Throws a `UsageError` for an invalid value. */
const readSearchSettings = (args: Args) => {
  const [check, reset] = (['check', 'reset'] as const).map((flag) => {
    const text = args.values[flag]?.at(-1)
    return text === undefined ? undefined : splitWords(flag, text)
  })
  const isOrdered = args.command === 'interleave'
  const effects = readNames(args, 'effects')
  return {
    /** With `{url}` for the address of the sandbox. */
    variables: [['BASE_URL', '{url}'] as const, ...(args.values.env ?? []).map(readVariable)],
    effects,
    faults: readFaults(args, isOrdered, effects !== undefined),
    mustSucceed: readNames(args, 'must-succeed') ?? [],
    check,
    reset,
    payAfterReads: readInteger(args, 'pay-after-reads', 1, 1e6),
    allowRest: args.values['allow-rest'] !== undefined,
    isIncompleteAllowed: args.values.incomplete !== undefined,
    only: args.values.only?.at(-1),
    // A program of `--reset` may delete what another run needs.
    jobs: readInteger(args, 'jobs', 1, 1000) ?? (reset === undefined ? availableParallelism() : 1),
    timeout: 1000 * (readInteger(args, 'timeout', 1, maxTimeout) ?? 60),
    settle: readInteger(args, 'settle', 1, 1000 * maxTimeout) ?? 10_000,
    maxRuns: readInteger(args, 'max-runs', 1, 1e9) ?? Infinity,
    maxCalls: readInteger(args, 'max-calls', 1, 1e6) ?? 1000,
  }
}

type SearchSettings = ReturnType<typeof readSearchSettings>

const readFaults = (args: Args, isOrdered: boolean, hasEffects: boolean): 0 | 1 | 2 => {
  const given = isOrdered ? readInteger(args, 'faults', 0, 1) : readInteger(args, 'faults', 1, 2)
  if (given === undefined) return isOrdered && !hasEffects ? 0 : 1
  return given === 0 ? 0 : given === 1 ? 1 : 2
}

/** Parses a value of `--env`: a name, and a text with `{url}`. */
export const readVariable = (given: string) => {
  const [, name, text = '{url}'] = /^([^=]+)(?:=(.*))?$/s.exec(given) ?? []
  if (name === undefined) throw new UsageError(`--env must be NAME or NAME=TEXT (got ${quote(given)}).`)
  return [name, text] as const
}

/** Splits the words of a command line. A word in quotes may have spaces, and nothing else has a meaning: no shell runs it. */
const splitWords = (flag: 'check' | 'reset', text: string): ProgramWords => {
  const parts = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  const [program, ...args] = parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  const isOdd = text.replace(/"[^"]*"|'[^']*'/g, '').match(/["']/) !== null
  if (isOdd) throw new UsageError(`--${flag} has a quote that does not end (got ${quote(text)}).`)
  if (program === undefined) throw new UsageError(`--${flag} needs a program: --${flag} 'node ${flag}.js'.`)
  return [program, ...args]
}

/** Flags that the repetition of one run does not need, or has already. */
const omitted = new Set<FlagName>(['only', 'json', 'jobs', 'max-runs', 'effects', 'faults', 'incomplete'])

/** Returns the command line that runs a schedule again. */
const formatCommand = ({ command, flags: given, operands }: Args, invocation: string, replay: string): string => {
  const own = (Object.entries(given) as [FlagName, readonly string[]][])
    .filter(([name]) => !omitted.has(name))
    .flatMap(([name, values]) => values.map((value) => formatFlag(name, value)))
  const words = operands.map((word) => (word === '--' ? word : quoteForShell(word)))
  return [`${invocation} ${command}`, `--only ${quoteForShell(replay)}`, ...own, '--', ...words].join(' ')
}

// Tokens are never printed.
const formatFlag = (name: FlagName, value: string): string =>
  name === 'token'
    ? '--token "$TOKEN"'
    : `--${name}${flags[name].value === undefined ? '' : ` ${quoteForShell(value)}`}`

/** Returns the words that start this program as its user did: with npx, by its name, or by its path. */
export const getInvocation = (
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): string => {
  if (env.npm_command === 'exec') return 'npx paylink-mock'
  const folders = (env.PATH ?? '').split(':')
  // A script of a package has more folders in its PATH than its user.
  if (env.npm_command === undefined && folders.some((one) => join(one, 'paylink-mock') === script))
    return 'paylink-mock'
  const path = relative(folder, script)
  const shorter = path.startsWith('..') ? script : path
  return script.endsWith('.js')
    ? `node ${quoteForShell(shorter)}`
    : quoteForShell(shorter.includes('/') ? shorter : `./${shorter}`)
}

/** Formats a run that failed, with the end of the output of its programs. */
export const formatProgramFailure = (
  failure: Parameters<typeof formatWithEnd>[0],
  details: readonly string[],
  command: string,
): string => formatWithEnd(failure, [...details, 'Repeat it:', `  ${command}`])

export const formatProgramEnd = ({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string =>
  exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`

export const indentList = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)]

const maxNotTried = 10

const formatNotTried = ({ notTried }: SearchReport): string => {
  const shown = notTried.slice(0, maxNotTried).map(({ replay, why }) => `${replay}: ${why}`)
  const rest = notTried.length - shown.length
  return indentList('Not tried, or not to the end:', [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])]).join('\n')
}

const formatSummary = (report: SearchReport, { values }: Args): string => {
  const { runs, calls, endedBy, notTried, failures, exhausted } = report
  const count = failures.length === 0 ? 'no failures' : pluralize(failures.length, 'failure')
  const missing = notTried.length === 0 ? '' : `, ${pluralize(notTried.length, 'schedule')} not tried`
  const summary = `${pluralize(runs, 'run')} with ${pluralize(calls, 'call')}${ends[endedBy]}: ${count}${missing}.`
  if (exhausted || endedBy === 'only' || endedBy === 'signal' || failures.length > 0 || values.incomplete)
    return summary
  return `${summary} The search is not complete, so the exit code is 1. To accept that, use --incomplete.`
}

const ends: Readonly<Record<SearchReport['endedBy'], string>> = {
  complete: '',
  only: ', with the given schedule only',
  maxRuns: ', ended by --max-runs',
  signal: ', interrupted',
}
