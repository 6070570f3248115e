// Formats the report for people: the differences, the learned behaviors and the calls that were not compared.
import { isRecord } from '../core/schema/json-value.ts'
import { pluralize } from '../core/schema/problem.ts'
import { shorten, toPrintable } from '../core/schema/text.ts'
import type { Comparison, CompareReport } from './compare.ts'
import type { ResponseDifference } from './compare-responses.ts'
import { hasRecord } from './recorded-calls.ts'

type DifferentCall = CompareReport['different'][number]
type NotComparedCall = CompareReport['notCompared'][number]

const maxWidth = 160
const maxCell = 60

/**
 * Formats a comparison. Hides the fields of records that the program did not create or change.
 *
 * @param out the file to which the seed was written, quoted for a shell
 */
export const formatComparison = (comparison: Comparison, out?: string): string => {
  const { report, changedIds } = comparison
  const { learned, different, notCompared, observed, unknownFields } = report
  const isProvisional = learned.some((choice) => choice.isProvisional)
  const observedChoices = Object.entries(observed).map(([key, value]) => `${key}=${value}`)
  const lines = [
    formatSummary(report),
    ...groupBy(different.flatMap(splitErrorFormat), describeDifferences).flatMap((group) => [
      '',
      ...formatDifferent(group, changedIds),
    ]),
    ...formatSection(
      isProvisional ? 'Learned, but provisional while a call is different:' : 'Learned:',
      learned.map(formatLearned),
    ),
    ...formatSection('Not compared:', groupBy(notCompared, ({ why }) => why).map(formatNotCompared)),
    ...formatSection('Beyond the specification:', unknownFields),
  ].map((line) => (line.length > maxWidth ? shorten(line, maxWidth - 3) : line))
  return [...lines, '', `Observed: ${observedChoices.join(', ') || 'no behavior'}`, ...formatUse(comparison, out)]
    .map((line) => `${toPrintable(line)}\n`)
    .join('')
}

/** Formats the command that starts a mock with these behaviors. It is not shortened, so that users can paste it. */
const formatUse = ({ report, choices }: Comparison, out: string | undefined): string[] => {
  if (out !== undefined) return ['', `Written to ${out}: npx paylink-mock --seed ${out}`]
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

/** Splits a call so that an error format that the mock cannot send is reported apart from other differences. */
const splitErrorFormat = (call: DifferentCall): DifferentCall[] => {
  const formatDifferences = call.differences.filter(isOtherErrorFormat)
  const differences = call.differences.filter((difference) => !isOtherErrorFormat(difference))
  return [
    ...(differences.length > 0 ? [{ ...call, differences }] : []),
    ...(formatDifferences.length > 0
      ? [{ ...call, differences: formatDifferences, candidates: [], contradictedBy: [] }]
      : []),
  ]
}

/** Whether the mock cannot send the error format. Such a difference lists field names instead of a value of `errorFormat`. */
const isOtherErrorFormat = ({ mock, path }: ResponseDifference): boolean =>
  path === 'errorFormat' && Array.isArray(mock)

/** Returns a key for grouping: the call and the paths that differ, without ids and indexes. */
const describeDifferences = ({ differences, method, path }: DifferentCall): string => {
  if (differences.every(isOtherErrorFormat)) return 'errorFormat'
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

/** Formats a group of calls with the same differences. Shows the first call. */
const formatDifferent = (
  group: readonly [DifferentCall, ...DifferentCall[]],
  changedIds: ReadonlySet<string>,
): string[] => {
  const [call] = group
  const similarCalls = group.length > 1 ? `, and ${pluralize(group.length - 1, 'call')} alike` : ''
  const rows = call.differences.map((difference) => formatRow(call, difference, changedIds))
  const getWidth = (column: 0 | 1) => Math.max('service'.length, ...rows.map((row) => row[column].length))
  return [
    `Different: ${formatCall(call)}${similarCalls}`,
    ...[['', 'service', 'mock'] as const, ...rows].map(([path, service, mock]) =>
      `  ${path.padEnd(getWidth(0))}  ${service.padEnd(getWidth(1))}  ${mock}`.trimEnd(),
    ),
    ...formatCandidates(call).map((line) => `  ${line}`),
    ...(call.differences.every(isOtherErrorFormat)
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

/** Whether a path is a field of a record. */
const isRecordField = (path: string): boolean =>
  !/^(?:outcome|status|errorFormat|body|items|moreItems\w+|object|id)$/.test(path)

/** Whether a field belongs to a record that the program did not create or change. */
const isForeignRecord = (body: unknown, path: string, changedIds: ReadonlySet<string>): boolean => {
  const itemIndex = /^items\[(\d+)\]/.exec(path)
  const items = isRecord(body) && Array.isArray(body.items) ? (body.items as unknown[]) : []
  const record = itemIndex === null ? body : items[Number(itemIndex[1])]
  return !isRecord(record) || typeof record.id !== 'string' || !hasRecord(changedIds, record.id)
}

const groupBy = <T>(list: readonly T[], getKey: (value: T) => string): (readonly [T, ...T[]])[] => {
  const groups = new Map<string, [T, ...T[]]>()
  for (const value of list) {
    const key = getKey(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return [...groups.values()]
}
