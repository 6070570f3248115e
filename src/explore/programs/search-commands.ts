import type { SearchSummary, OrderFailure, ProgramFailure, ProgramReport } from './program-report.ts'
import { exploreProgram } from './explore-program.ts'
import { formatSerialOrder, interleavePrograms } from './interleave-programs.ts'
import { listTexts } from './judge-run.ts'
import { ProgramError, type ServiceOptions, type ProgramStarter } from './program-types.ts'
import type { ProgramProgress, ProgramSearch } from './search-programs.ts'
import { formatFailureCount, formatWithEnd, groupFailures, indentList, listSameFailures } from '../result.ts'
import { type FaultPlace, getActor, parseOrder } from '../schedule-text.ts'
import { createCore } from '../../core/mock/extension.ts'
import { MockError } from '../../core/schema/error.ts'
import { pluralize } from '../../core/schema/problem.ts'
import { toPrintable } from '../../core/schema/text.ts'
import { type Args, CommandError, UsageError } from '../../command-line/args.ts'
import { getSeedPath, readGivenSeed } from '../../command-line/files.ts'
import { type ProgramWords, startProgram } from '../../command-line/start-program.ts'
import { startServer } from '../../node/server.ts'
import { openServiceAddress } from './service-address.ts'
import { readSettings } from '../../command-line/flag-values.ts'
import { clearLine, type CommandConsole, formatJson } from '../../command-line/terminal.ts'
import { formatCommand, getInvocation, readSearchFlags } from './search-flags.ts'

export const runExplore = (args: Args, console: CommandConsole): Promise<number> => {
  const [program = '', ...words] = args.operands
  return runSearchCommand(args, console, [['', [program, ...words]]], exploreProgram, (report) => {
    const groups = groupFailures(report.failures)
    return {
      count: formatFailureCount(groups.length, report.failures.length),
      parts: [...groups.map(formatFailedRun), formatCanceled(report)],
    }
  })
}

const formatFailedRun = ([failure, ...alike]: readonly [ProgramFailure, ...ProgramFailure[]]): string =>
  formatProgramFailure(
    failure,
    failure.schedule,
    [
      ...indentList('Its records, compared with the undisturbed run:', listOtherDifferences(failure)),
      ...indentList(`The end of its output (${formatProgramEnd(failure)}):`, failure.output),
    ],
    listSameFailures(alike, ({ replay }) => `--only ${replay}`),
  )

const listOtherDifferences = ({ error, differences, canceled }: ProgramFailure): string[] =>
  [...differences, ...canceled].filter((difference) => !error.includes(difference))

const formatCanceled = ({ canceled }: ProgramReport): string =>
  indentList(
    'Additional canceled payment links, which are no failure:',
    canceled.map(({ replay, records }) => `${replay}: ${records.map(toPrintable).join(', ')}`),
  ).join('\n')

export const runInterleave = (args: Args, console: CommandConsole): Promise<number> =>
  runSearchCommand(args, console, parsePrograms(args), interleavePrograms, ({ failures, serial }) => ({
    count: formatFailureCount(
      failures.length,
      failures.reduce((count, { alike }) => count + 1 + alike, 0),
    ),
    parts: [
      ...failures.map(formatOrderFailure),
      indentList(
        'The records depend on the order of the programs, which is no failure. If an order is wrong, --check can see it:',
        serial.map(
          ({ order, differences }) => `if ${formatSerialOrder(order)}: ${listTexts(differences.map(toPrintable))}`,
        ),
      ).join('\n'),
    ],
  }))

const names = 'abcd'

const parsePrograms = ({ operands }: Args): (readonly [string, ProgramWords])[] => {
  const programs: string[][] = [[]]
  for (const word of operands) {
    if (word === '--') programs.push([])
    else programs.at(-1)?.push(word)
  }
  if (programs.length < 2 || programs.length > names.length || programs.some(({ length }) => length === 0))
    throw new UsageError(
      `interleave needs two to four programs, each after --: paylink-mock interleave -- python worker.py -- node cron.js ` +
        `(got ${pluralize(programs.filter(({ length }) => length > 0).length, 'program')}).`,
    )
  return programs.map(([program = '', ...words], index) => [names.charAt(index), [program, ...words]])
}

const formatOrderFailure = (failure: OrderFailure): string =>
  formatProgramFailure(
    failure,
    parseOrder(failure.replay),
    [
      ...failure.programs.flatMap((program) =>
        indentList(`The end of the output of ${program.name} (${formatProgramEnd(program)}):`, program.output),
      ),
      ...describeOverlap(failure),
    ],
    failure.alike === 0 ? [] : [`${pluralize(failure.alike, 'other run')} failed with the same error.`],
  )

/** If the order of the calls looks like a serial run, describes how the programs overlapped. */
const describeOverlap = ({ replay, programs }: OrderFailure): string[] => {
  const order = parseOrder(replay).map(getActor)
  const turns = order.filter((name, index) => name !== order[index - 1])
  if (turns.length < 2 || turns.length > programs.length || new Set(turns).size < turns.length) return []
  return turns.slice(1).map((name, index) => `${name} had started before ${turns[index]} ended.`)
}

type SearchReport = SearchSummary & { readonly failures: readonly unknown[] }

/** Runs a search, prints its report, and returns the exit code. */
const runSearchCommand = async <R extends SearchReport>(
  args: Args,
  console: CommandConsole,
  programs: readonly (readonly [name: string, words: ProgramWords])[],
  search: (options: ProgramSearch) => Promise<R>,
  format: (report: R) => { readonly count: string; readonly parts: readonly string[] },
): Promise<number> => {
  if (process.platform === 'win32')
    throw new CommandError(`${args.command} needs Linux or macOS. Under Windows, use WSL.`)
  const settings = readSearchFlags(args)
  const { mock, seed: seedFlag } = readSettings(args, console.onTerminal)
  const seed = await readGivenSeed(args, getSeedPath(seedFlag))
  const signal = console.onInterrupt?.() ?? new AbortController().signal
  const isJson = args.values.json !== undefined
  // With --only, the programs print to the same terminal, so progress lines would mix with their output.
  const hasProgress = settings.only === undefined
  const invocation = console.invocation ?? getInvocation(process.argv[1] ?? '', process.env, process.cwd())
  const start = createStarter(settings.variables, isJson)
  const remarks: string[] = []
  const printLine = (text: string) => console.err(`${console.onTerminal ? clearLine : ''}${text}\n`)
  let close = async () => {}
  try {
    const report = await search({
      ...settings,
      hasFixedAddress: settings.port !== 0,
      basePath: mock.basePath ?? '',
      variables: [...new Set(settings.variables.flatMap(([name, text]) => (text.includes('{url}') ? name : [])))],
      programs: new Map(programs.map(([name, words]) => [name, start(words)])),
      check: settings.check && start(settings.check),
      reset: settings.reset && start(settings.reset),
      services: createServices(settings, programs, start),
      signal,
      createCore: (options) => createCore(mock, { seed, ...options }),
      listen: async (core) => {
        const server = await startServer(
          core,
          { port: settings.port },
          { portOption: 'fixed --port', overrideGlobalObjects: true },
        )
        close = () => server.close()
        return server.url
      },
      formatCommand: (replay) => formatCommand(args, invocation, replay),
      onHint: printLine,
      onPlan: (plan) => printLine(`The search needs ${formatPlanned(plan)}.`),
      onRemark: (text) => void remarks.push(toPrintable(text)),
      onProgress: hasProgress ? createProgress(console) : () => {},
    })
      .catch((error: unknown) => rethrowAsCommandError(error, (replay) => formatCommand(args, invocation, replay)))
      .finally(() => hasProgress && console.onTerminal && console.err(clearLine))
    if (isJson) console.out(formatJson(report))
    const { count, parts: details } = format(report)
    const caveats = report.caveats.join('\n')
    const parts = [...details, ...remarks, formatNotTried(report), caveats, formatSummary(report, count, args)]
    const text = parts.filter((part) => part !== '').map((part) => `${part}\n`)
    ;(isJson ? console.err : console.out)(text.join('\n'))
    if (report.endedBy === 'signal') return 130
    if (report.failures.length > 0) return 1
    return isComplete(report) || settings.isIncompleteAllowed ? 0 : 1
  } finally {
    await close()
  }
}

const createServices = (
  { services, ready }: ReturnType<typeof readSearchFlags>,
  programs: readonly (readonly [name: string, words: ProgramWords])[],
  start: (words: ProgramWords) => ProgramStarter,
): ReadonlyMap<string, ServiceOptions> => {
  if (services.length > 1 && services.length !== programs.length)
    throw new UsageError(
      `--service must be given once for all programs, or once for each, with none for a program without a service (got ${services.length} ` +
        `for ${pluralize(programs.length, 'program')}).`,
    )
  return new Map(
    programs.flatMap(([name], index): [string, ServiceOptions][] => {
      const words = services[services.length === 1 ? 0 : index]
      if (words === undefined) return []
      return [[name, { start: start(words), openAddress: () => openServiceAddress(ready) }]]
    }),
  )
}

/** Each start replaces placeholders such as `{url}` in the command line and the environment variables. */
const createStarter =
  (variables: readonly (readonly [name: string, text: string])[], isJson: boolean) =>
  ([program, ...words]: ProgramWords): ProgramStarter =>
  ({ url, run, timeout, signal, isShown, port, serviceUrl }) => {
    const values = { url, run, service: serviceUrl, port }
    const fill = (text: string) =>
      Object.entries(values).reduce(
        (filled, [name, value]) => (value === undefined ? filled : filled.replaceAll(`{${name}}`, `${value}`)),
        text,
      )
    const env = {
      ...(serviceUrl !== undefined && { PORT: `${port}`, SERVICE_URL: serviceUrl }),
      ...Object.fromEntries(variables.map(([name, text]) => [name, fill(text)])),
    }
    const output = isShown ? (isJson ? 'stderr' : 'stdout') : 'kept'
    return startProgram([fill(program), ...words.map(fill)], { env, timeout, signal, output })
  }

const rethrowAsCommandError = (error: unknown, formatRepeat: (replay: string) => string): never => {
  if (error instanceof MockError) throw new UsageError(error.message)
  if (!(error instanceof ProgramError)) throw error
  const { message, output, run } = error
  throw new CommandError(message, [
    message,
    ...indentList('The calls:', run?.calls ?? []),
    ...indentList('The end of its output:', output),
    ...indentList('Repeat it:', run?.replay === undefined ? [] : [formatRepeat(run.replay)]),
  ])
}

/** The minimum time between progress lines if stderr is not a terminal, in milliseconds. */
const progressInterval = 5000

const createProgress = ({ onTerminal, err }: CommandConsole): ((progress: ProgramProgress) => void) => {
  const start = performance.now()
  let printed = start
  return (progress) => {
    const text = `${formatProgress(progress)}${formatTimeLeft(progress, performance.now() - start)}`
    if (onTerminal) return err(`${clearLine}${formatProgressBar(progress)}${text}`)
    if (performance.now() - printed < progressInterval) return
    printed = performance.now()
    err(`${text}\n`)
  }
}

const barWidth = 20

/** Returns a bar such as `[=====               ] `, or an empty string if the planned total is only a minimum. */
const formatProgressBar = ({ runs, planned, bound }: ProgramProgress): string => {
  if (bound === 'least') return ''
  const done = Math.floor((barWidth * Math.min(runs, planned)) / Math.max(planned, 1))
  return `[${'='.repeat(done).padEnd(barWidth)}] `
}

/** Returns text such as `12 of at most 71 runs, 2 failures` or `12 runs, at least 3 others follow, 2 failures`. */
const formatProgress = (progress: ProgramProgress): string => {
  const { runs, planned, bound, failures } = progress
  const others = planned - runs
  const follow = others === 1 ? 'follows' : 'follow'
  const othersText = others <= 0 ? 'others may follow' : `at least ${pluralize(others, 'other')} ${follow}`
  // A minimum grows during the search, so do not show it as the total.
  const doneText =
    bound === 'least' ? `${pluralize(runs, 'run')}, ${othersText}` : `${runs} of ${formatPlanned(progress)}`
  return `${doneText}, ${pluralize(failures, 'failure')}`
}

const formatPlanned = ({ planned, bound }: Pick<ProgramProgress, 'planned' | 'bound'>): string =>
  `${bound === 'exact' ? '' : `at ${bound} `}${pluralize(planned, 'run')}`

const formatTimeLeft = ({ runs, planned, bound }: ProgramProgress, spent: number): string => {
  const seconds = Math.round(((planned - runs) * spent) / Math.max(runs, 1) / 1000)
  return seconds < 2 || bound === 'least' ? '' : `, ${bound === 'most' ? 'at most ' : ''}${seconds} s left`
}

const formatProgramFailure = (
  { requests, events, command, ...failure }: ProgramFailure | OrderFailure,
  schedule: readonly (FaultPlace | string)[],
  details: readonly string[],
  alike: readonly string[],
): string => {
  const run = {
    ...failure,
    schedule,
    requests: requests.map((request) => ({ ...request, actor: 'program' in request ? request.program : null })),
    sleeps: [],
    events: events.map((event) => ({ ...event, actor: 'program' in event ? event.program : null })),
  }
  return formatWithEnd(run, [...details, 'Repeat it:', `  ${command}`, ...alike])
}

const formatProgramEnd = ({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string =>
  exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`

const maxNotTried = 10

const formatNotTried = ({ notTried }: SearchReport): string => {
  const shown = notTried.slice(0, maxNotTried).map(({ replay, why }) => `${replay || '(no schedule)'}: ${why}`)
  const rest = notTried.length - shown.length
  return indentList('Not tried, or not to the end:', [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])]).join('\n')
}

const isComplete = ({ endedBy, notTried }: SearchReport): boolean =>
  (endedBy === 'complete' || endedBy === 'only') && notTried.length === 0

const formatSummary = (report: SearchReport, count: string, { values }: Args): string => {
  const { runs, calls, endedBy, notTried, failures } = report
  const missing = notTried.length === 0 ? '' : `, ${pluralize(notTried.length, 'schedule')} not tried`
  const hasSchedules = endedBy === 'only' && values.only?.length !== 1
  const end = hasSchedules ? ', with the given schedules only' : endTexts[endedBy]
  const summary = `${pluralize(runs, 'run')} with ${pluralize(calls, 'call')}${end}: ${count}${missing}.`
  if (isComplete(report) || endedBy === 'signal' || failures.length > 0 || values.incomplete) return summary
  return `${summary} The search is not complete, so the exit code is 1. To accept that, use --incomplete.`
}

const endTexts: Readonly<Record<SearchReport['endedBy'], string>> = {
  complete: '',
  only: ', with the given schedule only',
  maxRuns: ', ended by --max-runs',
  signal: ', interrupted',
}
