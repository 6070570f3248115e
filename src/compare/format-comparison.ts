import { groupBy, isRecord } from '../core/schema/json-value.ts'
import { pluralize } from '../core/schema/problem.ts'
import { shorten, toPrintable } from '../core/schema/text.ts'
import type { Comparison, CompareReport } from './compare.ts'
import type { ResponseDifference } from './compare-responses.ts'
import { hasServiceId } from './recorded-calls.ts'

type DifferentCall = CompareReport['different'][number]
type NotComparedCall = CompareReport['notCompared'][number]

const maxWidth = 160
const maxCell = 60

/** Formats a comparison for the terminal. Hides the fields of records that the program did not create or change. */
export const formatComparison = (comparison: Comparison, quotedSeedFile?: string): string => {
  const { report, changedIds } = comparison
  const { learned, different, notCompared, observed, unknownFields } = report
  const isProvisional = learned.some((choice) => choice.isProvisional)
  const differentGroups = groupBy(different.flatMap(splitErrorFormat), getGroupKey)
  const learnedLines = learned.map(formatLearned)
  const observedChoices = Object.entries(observed).map(([key, value]) => `${key}=${value}`)
  const lines = [
    formatSummary(report),
    ...differentGroups.flatMap((group) => formatDifferentGroup(group, changedIds)),
    ...formatSection(`Learned${isProvisional ? ', but provisional while a call is different' : ''}:`, learnedLines),
    ...formatSection('Not compared:', groupBy(notCompared, ({ why }) => why).map(formatNotCompared)),
    ...formatSection('Beyond the specification:', unknownFields),
  ].map((line) => (line.length > maxWidth ? shorten(line, maxWidth - 3) : line))
  const observedLine = `Observed: ${observedChoices.join(', ') || 'no behavior'}`
  // Do not shorten the command, so that users can paste it.
  return [...lines, '', observedLine, ...formatStartCommand(comparison, quotedSeedFile)]
    .map((line) => `${toPrintable(line)}\n`)
    .join('')
}

const formatStartCommand = ({ report, choices }: Comparison, quotedSeedFile: string | undefined): string[] => {
  if (quotedSeedFile !== undefined)
    return ['', `Written to ${quotedSeedFile}: npx paylink-mock --seed ${quotedSeedFile}`]
  const flags = Object.entries(choices).map(([key, value]) => ` --behavior ${key}=${value}`)
  return report.learned.length === 0 ? [] : ['', `Use it: npx paylink-mock${flags.join('')}`]
}

const formatSection = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]

const formatLearned = ({ behavior, value, was, isExpected, calls: [first] }: CompareReport['learned'][number]) => {
  const expectation = isExpected ? `not ${was} as expected` : `not the default ${was}`
  return `${behavior}=${value}, ${expectation}${first ? `, first in ${formatCall(first)}` : ''}`
}

const formatNotCompared = (group: readonly [NotComparedCall, ...NotComparedCall[]]): string => {
  const numbers = group.map(({ number }) => number).join(', ')
  return `${group[0].why}: ${pluralize(group.length, 'call')} (${numbers})`
}

/** Moves an unsupported error format to an entry of its own, so that all calls with it form one group. */
const splitErrorFormat = (call: DifferentCall): DifferentCall[] => {
  const formatDifferences = call.differences.filter(isUnsupportedErrorFormat)
  const differences = call.differences.filter((difference) => !isUnsupportedErrorFormat(difference))
  return [
    { ...call, differences },
    { ...call, differences: formatDifferences, candidates: [], contradictedBy: [] },
  ].filter((part) => part.differences.length > 0)
}

/** Whether the difference is an error format that the mock cannot send. Its `mock` is then a list of field names. */
const isUnsupportedErrorFormat = ({ mock, path }: ResponseDifference): boolean =>
  path === 'errorFormat' && Array.isArray(mock)

/** Returns the same key for calls that differ only in ids, indexes and queries. */
const getGroupKey = ({ differences, method, path }: DifferentCall): string => {
  if (differences.every(isUnsupportedErrorFormat)) return 'errorFormat'
  const paths = differences.map((difference) => difference.path.replace(/\d+/g, ''))
  return JSON.stringify([method, path.replace(/_\w+/g, '').split('?')[0], paths])
}

const formatSummary = ({ calls, same, learned, different, notCompared }: CompareReport): string => {
  const differentNumbers = new Set(different.map(({ number }) => number))
  const callsByValue = learned.flatMap(({ behavior, value, calls: shownIn }) => {
    const sameCount = shownIn.filter(({ number }) => !differentNumbers.has(number)).length
    return sameCount > 0 ? `${sameCount} with ${behavior}=${value}` : []
  })
  const summaryParts = [
    `${same} the same${callsByValue.length > 0 ? ` (${callsByValue.join(', ')})` : ''}`,
    ...(different.length > 0 ? [`${different.length} different`] : []),
    ...(notCompared.length > 0 ? [`${notCompared.length} not compared`] : []),
  ]
  return `${pluralize(calls, 'call')}: ${summaryParts.join(', ')}.`
}

const formatCall = ({ number, method, path }: { number: number; method: string; path: string }): string =>
  `${number}. ${method} ${path}`

const formatDifferentGroup = (
  group: readonly [DifferentCall, ...DifferentCall[]],
  changedIds: ReadonlySet<string>,
): string[] => {
  const [call] = group
  const similarCalls = group.length > 1 ? `, and ${pluralize(group.length - 1, 'call')} alike` : ''
  const rows = call.differences.map((difference) => formatRow(call, difference, changedIds))
  const getWidth = (column: 0 | 1) => Math.max('service'.length, ...rows.map((row) => row[column].length))
  return [
    '',
    `Different: ${formatCall(call)}${similarCalls}`,
    ...[['', 'service', 'mock'] as const, ...rows].map(([path, service, mock]) =>
      `  ${path.padEnd(getWidth(0))}  ${service.padEnd(getWidth(1))}  ${mock}`.trimEnd(),
    ),
    ...formatCandidates(call).map((line) => `  ${line}`),
    ...(call.differences.every(isUnsupportedErrorFormat)
      ? ['  The mock cannot send this format: --allow-other-errors compares such errors by their status alone.']
      : []),
  ]
}

const formatCandidates = ({ candidates, contradictedBy }: DifferentCall): string[] => {
  const numbers = contradictedBy.join(', ')
  const [only, ...others] = candidates
  if (others.length > 0) return [`Each of these would explain it: ${candidates.join('; ')}`]
  if (only === undefined) return numbers === '' ? [] : [`Call ${numbers} contradicts the values that would explain it`]
  return [numbers === '' ? `This would explain it: ${only}` : `${only} would explain it, but not call ${numbers}`]
}

const formatRow = (
  { service, mock }: DifferentCall,
  difference: ResponseDifference,
  changedIds: ReadonlySet<string>,
): readonly [string, string, string] => {
  const { path } = difference
  const isHidden =
    (isRecordField(path) || (typeof difference.service === 'string' && path === 'status')) &&
    [service.body, mock.body].some((body) => isForeignRecord(body, path, changedIds))
  const formatCellValue = (value: unknown) =>
    value === undefined ? 'nothing' : isHidden ? '(not shown)' : JSON.stringify(value)
  return [path, ...cutCells(formatCellValue(difference.service), formatCellValue(difference.mock))]
}

/** Shortens two cells so that both show where they differ. */
const cutCells = (service: string, mock: string): readonly [string, string] => {
  let start = 0
  while (start < service.length && service[start] === mock[start]) start++
  const cutCell = (text: string) =>
    start < maxCell / 2 ? shorten(text, maxCell) : `...${shorten(text.slice(start - maxCell / 3), maxCell)}`
  return [cutCell(service), cutCell(mock)]
}

const isRecordField = (path: string): boolean =>
  !/^(?:outcome|status|errorFormat|body|items|moreItems\w+|object|id)$/.test(path)

/** Whether the record with this field was neither created nor changed by the program. */
const isForeignRecord = (body: unknown, path: string, changedIds: ReadonlySet<string>): boolean => {
  const itemIndex = /^items\[(\d+)\]/.exec(path)
  const items = isRecord(body) && Array.isArray(body.items) ? (body.items as unknown[]) : []
  const record = itemIndex === null ? body : items[Number(itemIndex[1])]
  return !isRecord(record) || typeof record.id !== 'string' || !hasServiceId(changedIds, record.id)
}
