import { type CalibrationPlan, type Change, countText, type Finding, type Report, unseen } from '../calibrate/index.ts'
import type { Connection } from './calibrate-settings.ts'
import { printable } from './log.ts'

/** Of a line about an exchange. `--json` shows more. */
const width = 150

const lines = (texts: readonly string[]): string => texts.map((text) => `${printable(text)}\n`).join('')

/** What a run makes, and what of it stays. */
const consequences = ({ users, paymentLinks, leaves }: CalibrationPlan): string[] => [
  ...(users > 0 ? [`${countText(users, 'user')}: deleted at the end`] : []),
  ...(paymentLinks > 0
    ? [`${countText(paymentLinks, 'payment link')}: canceled at the end, and there for good, since none can be removed`]
    : []),
  ...leaves,
]

/** What is said before anything is sent. */
export const announcement = (plan: CalibrationPlan, { baseUrl, project, invoice }: Connection): string => {
  const all = consequences(plan)
  const madeUp = plan.probes.some(({ key }) => key === 'invoiceIds') ? ', and for made-up ones' : ''
  return lines([
    `This asks project '${project}' of ${baseUrl} for ${plan.probes.length} behaviors.`,
    ...(plan.needsInvoice ? [`  Payment links are for invoice '${invoice}'${madeUp}.`] : []),
    ...(all.length === 0 ? ['nothing'] : all).map((text) => `  It makes ${text}.`),
  ])
}

/** Every probe, and what comes before them: what it sends, and what it leaves. */
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
    ...Object.entries(unseen).map(([key, why]) => `  ${key} ${why}`),
    'Nothing was sent.',
  ])

/** What was found out, each with the exchanges that show it. */
export const reportText = (report: Report): string =>
  lines([
    ...report.findings.flatMap(findingLines),
    ...Object.entries(report.unseen).map(([key, why]) => `${column(key)} could not tell: ${why}`),
    ...aside(report),
  ])

/** What has changed, and what could not be told. */
export const driftText = (changes: readonly Change[], report: Report, notSeen: readonly string[]): string => {
  const open = report.findings.filter(({ outcome }) => outcome === 'untold')
  const same = report.findings.length - changes.length - open.length
  return lines([
    ...changes.flatMap(({ was, now }) => {
      const [first, ...exchanges] = findingLines(now)
      return [`${first}, and was ${was}`, ...exchanges]
    }),
    ...open.flatMap(findingLines),
    ...notSeen.map((key) => `${column(key)} could not tell: ${(unseen as Readonly<Record<string, string>>)[key]}`),
    ...aside(report),
    `${changes.length} changed, ${same} as before, ${open.length + notSeen.length} not told.`,
  ])
}

/** Why a run ended early, and what stays of it. */
export const endText = ({ canceled, leftBehind }: Report, ended: NonNullable<Report['ended']>): string =>
  lines([
    ended === 'interrupted'
      ? `Interrupted${leftBehind.length === 0 ? '; what was made is undone' : ''}.`
      : ended.failure,
    ...canceledLines(canceled),
  ])

const canceledLines = (canceled: readonly string[]): string[] =>
  canceled.length > 0 ? [`Payment links that were made, and canceled: ${canceled.join(', ')}`] : []

const column = (key: string): string => key.padEnd(22)

const findingLines = (finding: Finding): string[] => [
  `${column(finding.key)} ${outcomeText(finding)}`,
  ...finding.exchanges.map(exchangeLine),
]

const outcomeText = (finding: Finding): string => {
  switch (finding.outcome) {
    case 'observed':
      return String(finding.value)
    case 'unknown':
      return `fits no known value: ${finding.what}`
    case 'untold':
      return `could not tell: ${finding.why}`
  }
}

const exchangeLine = ({ method, path, body, status, answer }: Finding['exchanges'][number]): string => {
  const sent = body === undefined ? '' : ` ${cut(JSON.stringify(body), 48)} ->`
  return cut(`  ${status} ${method} ${path}${sent} ${answer}`.trimEnd(), width)
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 3)}...` : text)

const aside = ({ oddities, canceled }: Report): string[] => [
  ...(oddities.length > 0 ? ['', 'Beyond the specification:'] : []),
  ...oddities.flatMap(({ what, seen }) => [`  ${what}`, `  ${exchangeLine(seen)}`]),
  ...(canceled.length > 0 ? [''] : []),
  ...canceledLines(canceled),
]
