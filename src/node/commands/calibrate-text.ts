import type { Change, Finding, Report } from '../../calibrate/calibrate.ts'
import { type CalibrationPlan, countText, notProbeable } from '../../calibrate/probes.ts'
import { printable } from '../log.ts'
import type { ServiceSettings } from './calibrate-settings.ts'

/** The maximum length of a line about an exchange. `--json` shows more. */
const maxWidth = 150

const lines = (texts: readonly string[]): string => texts.map((text) => `${printable(text)}\n`).join('')

const consequences = ({ users, paymentLinks, leaves }: CalibrationPlan): string[] => [
  ...(users > 0 ? [`${countText(users, 'user')}: deleted at the end`] : []),
  ...(paymentLinks > 0
    ? [`${countText(paymentLinks, 'payment link')}: canceled at the end. They cannot be deleted`]
    : []),
  ...leaves,
]

/** Describes a run before anything is sent. */
export const announcement = (plan: CalibrationPlan, { baseUrl, project, invoice }: ServiceSettings): string => {
  const all = consequences(plan)
  const madeUp = plan.probes.some(({ key }) => key === 'invoiceIds') ? ', and for made-up ones' : ''
  return lines([
    `This run probes ${plan.probes.length} behaviors of project '${project}' at ${baseUrl}.`,
    ...(plan.needsInvoice ? [`  Payment links are for invoice '${invoice}'${madeUp}.`] : []),
    ...(all.length === 0 ? ['nothing'] : all).map((text) => `  It creates ${text}.`),
  ])
}

/** Lists what each probe sends and leaves. */
export const planText = (plan: CalibrationPlan): string =>
  lines([
    'Before all others',
    `  ${plan.first}`,
    '  leaves: nothing',
    ...plan.probes.flatMap(({ key, requests, leaves }) => [
      key,
      ...requests.map((request) => `  ${request}`),
      `  leaves: ${leaves}`,
    ]),
    '',
    'Total, since probes share records:',
    ...consequences(plan).map((text) => `  ${text}`),
    'Not probed:',
    ...Object.entries(notProbeable).map(([key, why]) => `  ${key} ${why}`),
    'Nothing was sent.',
  ])

/** Lists the findings, each with its exchanges. */
export const reportText = (report: Report): string =>
  lines([
    ...report.findings.flatMap(findingLines),
    ...Object.entries(report.notProbeable).map(([key, why]) => inconclusiveLine(key, why)),
    ...closingLines(report),
  ])

/** Lists changed and inconclusive behaviors. `notProbed` are known behaviors without a probe. */
export const driftText = (changes: readonly Change[], report: Report, notProbed: readonly string[]): string => {
  const inconclusive = report.findings.filter(({ outcome }) => outcome === 'inconclusive')
  const same = report.findings.length - changes.length - inconclusive.length
  return lines([
    ...changes.flatMap(({ was, now }) => {
      const [first, ...exchanges] = findingLines(now)
      return [`${first}, was ${was}`, ...exchanges]
    }),
    ...inconclusive.flatMap(findingLines),
    ...notProbed.map((key) => inconclusiveLine(key, report.notProbeable[key])),
    ...closingLines(report),
    `${changes.length} changed, ${same} unchanged, ${inconclusive.length + notProbed.length} inconclusive.`,
  ])
}

/** Says why a run ended early, and which records it canceled. */
export const endText = ({ canceled, leftBehind }: Report, ended: NonNullable<Report['ended']>): string => {
  const undone = leftBehind.length === 0 ? '; everything it created was undone' : ''
  return lines([ended === 'interrupted' ? `Interrupted${undone}.` : ended.failure, ...canceledLines(canceled)])
}

const canceledLines = (canceled: readonly string[]): string[] =>
  canceled.length > 0 ? [`Payment links created and canceled: ${canceled.join(', ')}`] : []

const column = (key: string): string => key.padEnd(22)

const inconclusiveLine = (key: string, why: string | undefined): string => `${column(key)} inconclusive: ${why}`

const findingLines = (finding: Finding): string[] => [findingLine(finding), ...finding.exchanges.map(exchangeLine)]

const findingLine = (finding: Finding): string => {
  switch (finding.outcome) {
    case 'observed':
      return `${column(finding.key)} ${finding.value}`
    case 'unknown':
      return `${column(finding.key)} has an unknown value: ${finding.what}`
    case 'inconclusive':
      return inconclusiveLine(finding.key, finding.why)
  }
}

const exchangeLine = ({ method, path, body, status, response }: Finding['exchanges'][number]): string => {
  const sent = body === undefined ? '' : ` ${cut(JSON.stringify(body), 48)} ->`
  return cut(`  ${status} ${method} ${path}${sent} ${response}`.trimEnd(), maxWidth)
}

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text

const closingLines = ({ unexpectedFields, canceled }: Report): string[] => [
  ...(unexpectedFields.length > 0 ? ['', 'Beyond the specification:'] : []),
  ...unexpectedFields.flatMap(({ what, seen }) => [`  ${what}`, `  ${exchangeLine(seen)}`]),
  ...(canceled.length > 0 ? ['', ...canceledLines(canceled)] : []),
]
