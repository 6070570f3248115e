import {
  type BehaviorChange,
  type CalibrationPlan,
  type CalibrationReport,
  type Finding,
  formatMaxCount,
  notProbeable,
} from '../../extensions/calibrate/calibrate.ts'
import { shorten, toPrintable } from '../../schema/text.ts'

/** What a run shows of the service. */
export interface ShownService {
  readonly baseUrl: string
  readonly project: string
  readonly invoice: string
}

/** The maximum length of a line about an exchange. `--json` shows more. */
const maxWidth = 150

const formatLines = (texts: readonly string[]): string => texts.map((text) => `${toPrintable(text)}\n`).join('')

const listConsequences = ({ users, paymentLinks, leaves }: CalibrationPlan): string[] => [
  ...(users > 0 ? [`${formatMaxCount(users, 'user')}: deleted at the end`] : []),
  ...(paymentLinks > 0
    ? [`${formatMaxCount(paymentLinks, 'payment link')}: canceled at the end. They cannot be deleted`]
    : []),
  ...leaves,
]

/** Describes a run before anything is sent. */
export const formatAnnouncement = (plan: CalibrationPlan, { baseUrl, project, invoice }: ShownService): string => {
  const all = listConsequences(plan)
  const madeUp = plan.probes.some(({ key }) => key === 'invoiceIds') ? ', and for made-up ones' : ''
  return formatLines([
    `This run probes ${plan.probes.length} behaviors of project '${project}' at ${baseUrl}.`,
    ...(plan.needsInvoice ? [`  Payment links are for invoice '${invoice}'${madeUp}.`] : []),
    ...(all.length === 0 ? ['nothing'] : all).map((text) => `  It creates ${text}.`),
  ])
}

/** Lists what each probe sends and leaves. */
export const formatPlan = (plan: CalibrationPlan): string =>
  formatLines([
    'Before all others',
    `  ${plan.first}`,
    '  leaves: nothing',
    ...plan.probes.flatMap(({ key, requests, leaves }) => [
      key,
      ...requests.map((request) => `  ${request}`),
      `  leaves: ${leaves}`,
    ]),
    'For all of these',
    ...plan.always.map((request) => `  ${request}`),
    '',
    'Total, since probes share records:',
    ...listConsequences(plan).map((text) => `  ${text}`),
    'Not probed:',
    ...Object.entries(notProbeable).map(([key, why]) => `  ${key} ${why}`),
    'Nothing was sent.',
  ])

/** Returns a text that lists the findings, each with its requests and responses. */
export const formatFindings = (report: CalibrationReport): string =>
  formatLines([
    ...report.findings.flatMap(formatFinding),
    ...Object.entries(report.notProbeable).map(([key, why]) => formatInconclusive(key, why)),
    ...formatClosing(report),
  ])

/** Lists changed and inconclusive behaviors. `notProbed` are known behaviors without a probe. */
export const formatDrift = (
  changes: readonly BehaviorChange[],
  report: CalibrationReport,
  notProbed: readonly string[],
): string => {
  const inconclusive = report.findings.filter(({ outcome }) => outcome === 'inconclusive')
  const same = report.findings.length - changes.length - inconclusive.length
  return formatLines([
    ...changes.flatMap(({ was, now }) => {
      const [first, ...exchanges] = formatFinding(now)
      return [`${first}, was ${was}`, ...exchanges]
    }),
    ...inconclusive.flatMap(formatFinding),
    ...notProbed.map((key) => formatInconclusive(key, report.notProbeable[key])),
    ...formatClosing(report),
    `${changes.length} changed, ${same} unchanged, ${inconclusive.length + notProbed.length} inconclusive.`,
  ])
}

/** Says why a run ended early, and which records it canceled. */
export const formatEnd = (
  { canceled, leftBehind }: CalibrationReport,
  ended: NonNullable<CalibrationReport['ended']>,
): string => {
  const undone = leftBehind.length === 0 ? '; everything it created was undone' : ''
  return formatLines([ended === 'interrupted' ? `Interrupted${undone}.` : ended.failure, ...formatCanceled(canceled)])
}

const formatCanceled = (canceled: readonly string[]): string[] =>
  canceled.length > 0 ? [`Payment links created and canceled: ${canceled.join(', ')}`] : []

const padKey = (key: string): string => key.padEnd(22)

const formatInconclusive = (key: string, why: string | undefined): string => `${padKey(key)} inconclusive: ${why}`

const formatFinding = (finding: Finding): string[] => [
  formatOutcome(finding),
  ...finding.exchanges.map(formatShownExchange),
]

const formatOutcome = (finding: Finding): string => {
  switch (finding.outcome) {
    case 'observed':
      return `${padKey(finding.key)} ${finding.value}`
    case 'unknown':
      return `${padKey(finding.key)} has an unknown value: ${finding.what}`
    case 'inconclusive':
      return formatInconclusive(finding.key, finding.why)
  }
}

const formatShownExchange = ({ method, path, body, status, response }: Finding['exchanges'][number]): string => {
  const sent = body === undefined ? '' : ` ${fit(JSON.stringify(body), 48)} ->`
  return fit(`  ${status} ${method} ${path}${sent} ${response}`.trimEnd(), maxWidth)
}

const fit = (text: string, width: number): string => (text.length > width ? shorten(text, width - 3) : text)

const formatClosing = ({ unexpectedFields, canceled }: CalibrationReport): string[] => [
  ...(unexpectedFields.length > 0 ? ['', 'Beyond the specification:'] : []),
  ...unexpectedFields.flatMap(({ what, seen }) => [`  ${what}`, `  ${formatShownExchange(seen)}`]),
  ...(canceled.length > 0 ? ['', ...formatCanceled(canceled)] : []),
]
