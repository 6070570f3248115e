import type { Change, Finding, Report } from '../../calibrate/calibrate.ts'
import { type CalibrationPlan, countText, notProbeable } from '../../calibrate/probes.ts'
import { printable } from '../log.ts'
import type { ServiceSettings } from './calibrate-settings.ts'

/** The width of a line about an exchange. `--json` shows more. */
const width = 150

const lines = (texts: readonly string[]): string => texts.map((text) => `${printable(text)}\n`).join('')

const consequences = ({ users, paymentLinks, leaves }: CalibrationPlan): string[] => [
  ...(users > 0 ? [`${countText(users, 'user')}: deleted at the end`] : []),
  ...(paymentLinks > 0
    ? [`${countText(paymentLinks, 'payment link')}: canceled at the end, and there for good, since none can be removed`]
    : []),
  ...leaves,
]

/** Says what a run is going to do, before anything is sent. */
export const announcement = (plan: CalibrationPlan, { baseUrl, project, invoice }: ServiceSettings): string => {
  const all = consequences(plan)
  const madeUp = plan.probes.some(({ key }) => key === 'invoiceIds') ? ', and for made-up ones' : ''
  return lines([
    `This asks project '${project}' of ${baseUrl} for ${plan.probes.length} behaviors.`,
    ...(plan.needsInvoice ? [`  Payment links are for invoice '${invoice}'${madeUp}.`] : []),
    ...(all.length === 0 ? ['nothing'] : all).map((text) => `  It makes ${text}.`),
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
    'In all, since probes share what they make:',
    ...consequences(plan).map((text) => `  ${text}`),
    'Not looked for:',
    ...Object.entries(notProbeable).map(([key, why]) => `  ${key} ${why}`),
    'Nothing was sent.',
  ])

/** Lists the findings, each with its exchanges. */
export const reportText = (report: Report): string =>
  lines([
    ...report.findings.flatMap(findingLines),
    ...Object.entries(report.unseen).map(([key, why]) => inconclusiveLine(key, why)),
    ...closingLines(report),
  ])

/** Lists changed and inconclusive behaviors. `notProbed` are known behaviors without a probe. */
export const driftText = (changes: readonly Change[], report: Report, notProbed: readonly string[]): string => {
  const inconclusive = report.findings.filter(({ outcome }) => outcome === 'untold')
  const same = report.findings.length - changes.length - inconclusive.length
  return lines([
    ...changes.flatMap(({ was, now }) => {
      const [first, ...exchanges] = findingLines(now)
      return [`${first}, and was ${was}`, ...exchanges]
    }),
    ...inconclusive.flatMap(findingLines),
    ...notProbed.map((key) => inconclusiveLine(key, report.unseen[key])),
    ...closingLines(report),
    `${changes.length} changed, ${same} as before, ${inconclusive.length + notProbed.length} not told.`,
  ])
}

/** Says why a run ended early, and what remains of it. */
export const endText = ({ canceled, leftBehind }: Report, ended: NonNullable<Report['ended']>): string => {
  const undone = leftBehind.length === 0 ? '; what was made is undone' : ''
  return lines([ended === 'interrupted' ? `Interrupted${undone}.` : ended.failure, ...canceledLines(canceled)])
}

const canceledLines = (canceled: readonly string[]): string[] =>
  canceled.length > 0 ? [`Payment links that were made, and canceled: ${canceled.join(', ')}`] : []

const column = (key: string): string => key.padEnd(22)

const inconclusiveLine = (key: string, why: string | undefined): string => `${column(key)} could not tell: ${why}`

const findingLines = (finding: Finding): string[] => [findingLine(finding), ...finding.exchanges.map(exchangeLine)]

const findingLine = (finding: Finding): string => {
  switch (finding.outcome) {
    case 'observed':
      return `${column(finding.key)} ${finding.value}`
    case 'unknown':
      return `${column(finding.key)} fits no known value: ${finding.what}`
    case 'untold':
      return inconclusiveLine(finding.key, finding.why)
  }
}

const exchangeLine = ({ method, path, body, status, answer }: Finding['exchanges'][number]): string => {
  const sent = body === undefined ? '' : ` ${cut(JSON.stringify(body), 48)} ->`
  return cut(`  ${status} ${method} ${path}${sent} ${answer}`.trimEnd(), width)
}

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text

const closingLines = ({ oddities, canceled }: Report): string[] => [
  ...(oddities.length > 0 ? ['', 'Beyond the specification:'] : []),
  ...oddities.flatMap(({ what, seen }) => [`  ${what}`, `  ${exchangeLine(seen)}`]),
  ...(canceled.length > 0 ? ['', ...canceledLines(canceled)] : []),
]
