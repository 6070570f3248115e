import { formatWithEnd } from '../../extensions/explore/result.ts'
import type { ProgramFailure, ProgramReport } from '../../extensions/explore/programs/program-result.ts'
import type { RunProgram } from '../../extensions/explore/programs/program-run.ts'
import { type ProgramProgress, searchProgram } from '../../extensions/explore/programs/program-search.ts'
import { ProgramError } from '../../extensions/explore/programs/program-verdict.ts'
import { createCore } from '../../mock/mock.ts'
import { MockError } from '../../schema/error.ts'
import { pluralize, quote } from '../../schema/problem.ts'
import { toPrintable } from '../../schema/text.ts'
import { quoteForShell } from '../../wire/curl.ts'
import { type Args, CommandError, UsageError } from '../args.ts'
import { type FlagName, flags } from '../flags.ts'
import { type ProgramWords, runProgram } from '../program.ts'
import { getSeedPath, readSeed } from '../seed-file.ts'
import { startServer } from '../server.ts'
import { readSettings, readInteger, readNames } from '../settings.ts'
import { clearLine, type CommandConsole, formatJson } from '../terminal.ts'
import { availableParallelism } from 'node:os'

/** `explore -- program`: runs a program once for each fault at each of its calls. The exit code is 1 if a run failed. */
export const runExplore = async (args: Args, console: CommandConsole): Promise<number> => {
  if (process.platform === 'win32') throw new CommandError('explore needs Linux or macOS. Under Windows, use WSL.')
  const settings = readExploreSettings(args)
  const { mock, seed } = readSettings(args, console.onTerminal)
  const core = createCore(mock, { seed: await readSeed(getSeedPath(seed)) })
  const signal = console.onInterrupt?.() ?? new AbortController().signal
  const isJson = args.values.json !== undefined
  // The output of a single schedule goes to the same terminal.
  const hasProgress = settings.only === undefined
  let close = async () => {}
  try {
    const listen: Parameters<typeof searchProgram>[1] = async (watched) => {
      const server = await startServer(watched, { port: 0 }, { overrideGlobalObjects: true })
      close = () => server.close()
      core.setAddress(server.url)
      return server.url
    }
    const report = await searchProgram(core, listen, {
      ...settings,
      variables: settings.variables.map(([name]) => name),
      run: createRun(settings.program, settings, isJson),
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
const createRun =
  ([program, ...words]: ProgramWords, { variables, timeout }: ExploreSettings, isJson: boolean): RunProgram =>
  ({ url, signal, isShown }) => {
    const fill = (text: string) => text.replaceAll('{url}', url)
    const env = Object.fromEntries(variables.map(([name, text]) => [name, fill(text)]))
    const output = isShown ? (isJson ? 'stderr' : 'stdout') : 'kept'
    return runProgram([fill(program), ...words.map(fill)], { env, timeout, signal, output })
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

/** The longest time that a timer can wait, in seconds. */
const maxTimeout = 2_147_483

/** Returns the settings of `explore`. Throws a `UsageError` for an invalid value. */
const readExploreSettings = (args: Args) => {
  const [program = '', ...words] = args.operands
  const check = args.values.check?.at(-1)
  return {
    program: [program, ...words] satisfies ProgramWords,
    /** With `{url}` for the address of the sandbox. */
    variables: [['BASE_URL', '{url}'] as const, ...(args.values.env ?? []).map(readVariable)],
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

type ExploreSettings = ReturnType<typeof readExploreSettings>

export const readVariable = (given: string) => {
  const [, name, text = '{url}'] = /^([^=]+)(?:=(.*))?$/s.exec(given) ?? []
  if (name === undefined) throw new UsageError(`--env must be NAME or NAME=TEXT (got ${quote(given)}).`)
  return [name, text] as const
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

/** Flags that the repetition of one run does not need, or has already. */
const omitted = new Set<FlagName>(['only', 'json', 'jobs', 'max-runs', 'effects', 'faults'])

/** Returns the command line that runs a schedule again. */
const formatCommand = ({ flags: given, operands }: Args, replay: string): string => {
  const own = (Object.keys(given) as FlagName[])
    .filter((name) => !omitted.has(name))
    .flatMap((name) => given[name]!.map((value) => formatFlag(name, value)))
  return ['paylink-mock explore', `--only ${replay}`, ...own, '--', ...operands.map(quoteForShell)].join(' ')
}

// Tokens are never printed.
const formatFlag = (name: FlagName, value: string): string =>
  name === 'token'
    ? '--token "$TOKEN"'
    : `--${name}${flags[name].value === undefined ? '' : ` ${quoteForShell(value)}`}`

/** Formats the failures, each with the end of the program's output, and then what was tried. */
const formatSearchReport = (report: ProgramReport): string =>
  [...report.failures.map(formatProgramFailure), formatCanceled(report), formatSummary(report)]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('\n')

const formatProgramFailure = (failure: ProgramFailure): string =>
  formatWithEnd(
    { ...failure, requests: failure.requests.map((request) => ({ actor: null, ...request })), sleeps: [] },
    [
      ...indentList('Its records, compared with the undisturbed run:', listUnsaid(failure)),
      ...indentList(`The end of its output (${formatProgramEnd(failure)}):`, failure.output),
      'Repeat it:',
      `  ${failure.command}`,
    ],
  )

/** Lists the differences that the error does not name. */
const listUnsaid = ({ error, differences, canceled }: ProgramFailure): string[] =>
  [...differences, ...canceled].filter((difference) => !error.includes(difference))

const formatProgramEnd = ({ exitCode, signal }: ProgramFailure): string =>
  exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`

const indentList = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)]

const formatCanceled = ({ canceled }: ProgramReport): string =>
  indentList(
    'Additional canceled payment links, which are no failure:',
    canceled.map(({ replay, records }) => `${replay}: ${records.map(toPrintable).join(', ')}`),
  ).join('\n')

const formatSummary = ({ runs, calls, endedBy, notApplied, failures }: ProgramReport): string => {
  const count = failures.length === 0 ? 'no failures' : pluralize(failures.length, 'failure')
  const summary = `${pluralize(runs, 'run')} with ${pluralize(calls, 'call')}${ends[endedBy]}: ${count}.`
  if (notApplied.length === 0) return summary
  const shown = `${notApplied.slice(0, 5).join(', ')}${notApplied.length > 5 ? ', ...' : ''}`
  return (
    `${summary} No call got the fault of ${pluralize(notApplied.length, 'schedule')} (${shown}): the program took another ` +
    'path, or has faults of its own. If programs disturb each other when they run at the same time, use --jobs 1.'
  )
}

const ends: Readonly<Record<ProgramReport['endedBy'], string>> = {
  complete: '',
  only: ', with the given schedule only',
  maxRuns: ', ended by --max-runs',
  signal: ', interrupted',
}

/** The width of the bar. */
const width = 20

/** `[=====>              ] 12 of 71 runs, 2 failures` */
const formatProgressBar = (progress: ProgramProgress): string => {
  const done = Math.floor((width * progress.runs) / progress.planned)
  return `[${'='.repeat(done).padEnd(width)}] ${formatProgress(progress)}`
}

const formatProgress = ({ runs, planned, failures }: ProgramProgress): string =>
  `${runs} of ${pluralize(planned, 'run')}, ${pluralize(failures, 'failure')}`
