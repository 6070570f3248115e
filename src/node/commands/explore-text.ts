import { formatWithEnd } from '../../extensions/explore/result.ts'
import type { ProgramProgress } from '../../extensions/explore/programs/program-search.ts'
import type { ProgramFailure, ProgramReport } from '../../extensions/explore/programs/program-result.ts'
import { pluralize } from '../../schema/problem.ts'
import { toPrintable } from '../../schema/text.ts'
import { quoteForShell } from '../../wire/curl.ts'
import type { Args } from '../args.ts'
import { type FlagName, flags } from '../flags.ts'

/** Flags that the repetition of one run does not need, or has already. */
const omitted = new Set<FlagName>(['only', 'json', 'jobs', 'max-runs', 'effects', 'faults'])

/** Returns the command line that runs a schedule again. */
export const formatCommand = ({ flags: given, operands }: Args, replay: string): string => {
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
export const formatSearchReport = (report: ProgramReport): string =>
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
export const formatProgressBar = (progress: ProgramProgress): string => {
  const done = Math.floor((width * progress.runs) / progress.planned)
  return `[${'='.repeat(done).padEnd(width)}] ${formatProgress(progress)}`
}

export const formatProgress = ({ runs, planned, failures }: ProgramProgress): string =>
  `${runs} of ${pluralize(planned, 'run')}, ${pluralize(failures, 'failure')}`
