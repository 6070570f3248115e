// Formats the report for people: the differences, the learned behaviors and the calls that were not compared.
import { isRecord } from '../../schema/json-value.ts'
import { pluralize } from '../../schema/problem.ts'
import { shorten, toPrintable } from '../../schema/text.ts'
import type { Comparison, CompareReport } from './compare.ts'
import type { ResponseDifference } from './compare-responses.ts'
import { hasRecord } from './recorded-calls.ts'

type DifferentCall = CompareReport['different'][number]
type NotComparedCall = CompareReport['notCompared'][number]

const maxWidth = 160
const maxCell = 60

/** Formats a comparison. Records of others are shown by their id only. */
export const formatComparison = ({ report, own }: Comparison): string => {
  const { learned, different, notCompared, observed, unknownFields } = report
  const isProvisional = learned.some((one) => one.isProvisional)
  const observedChoices = Object.entries(observed).map(([key, value]) => `${key}=${value}`)
  const lines = [
    formatSummary(report),
    ...groupBy(different, describeDifferences).flatMap((group) => ['', ...formatDifferent(group, own)]),
    ...formatSection(
      isProvisional ? 'Learned, but provisional while a call is different:' : 'Learned:',
      learned.map(formatLearned),
    ),
    ...(learned.length > 0 ? ['  Keep it with --out FILE, and start the mock with --seed FILE.'] : []),
    ...formatSection('Not compared:', groupBy(notCompared, ({ why }) => why).map(formatNotCompared)),
    ...(unknownFields.length > 0 ? ['', `Fields beyond the specification: ${unknownFields.join(', ')}`] : []),
  ].map((line) => (line.length > maxWidth ? shorten(line, maxWidth - 3) : line))
  return [...lines, '', `Observed: ${observedChoices.join(', ') || 'no behavior'}`]
    .map((line) => `${toPrintable(line)}\n`)
    .join('')
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

/** Describes a call and its differences without the ids and indexes, for groups of calls. */
const describeDifferences = ({ differences, method, path }: DifferentCall): string => {
  const paths = differences.map((one) => one.path.replace(/\d+/g, ''))
  return JSON.stringify([method, path.replace(/_\w+/g, '').split('?')[0], paths])
}

const formatSummary = ({ calls, same, learned, different, notCompared }: CompareReport): string => {
  const callsByValue = learned
    .filter(({ calls: own }) => own.length > 0)
    .map(({ behavior, value, calls: own }) => `${own.length} with ${behavior}=${value}`)
  const summaryParts = [
    `${same} the same${callsByValue.length > 0 ? ` (${callsByValue.join(', ')})` : ''}`,
    ...(different.length > 0 ? [`${different.length} different`] : []),
    ...(notCompared.length > 0 ? [`${notCompared.length} not compared`] : []),
  ]
  return `${pluralize(calls, 'call')}: ${summaryParts.join(', ')}.`
}

const formatCall = ({ number, method, path }: { number: number; method: string; path: string }): string =>
  `${number}. ${method} ${path}`

/** Formats the first of several calls with the same differences. */
const formatDifferent = (group: readonly [DifferentCall, ...DifferentCall[]], own: ReadonlySet<string>): string[] => {
  const [call] = group
  const similarCalls = group.length > 1 ? `, and ${pluralize(group.length - 1, 'call')} alike` : ''
  const rows = call.differences.map((one) => formatRow(call, one, own))
  const getWidth = (column: 0 | 1) => Math.max('service'.length, ...rows.map((row) => row[column].length))
  return [
    `Different: ${formatCall(call)}${similarCalls}`,
    ...[['', 'service', 'mock'] as const, ...rows].map(([path, service, mock]) =>
      `  ${path.padEnd(getWidth(0))}  ${service.padEnd(getWidth(1))}  ${mock}`.trimEnd(),
    ),
    ...formatCandidates(call).map((line) => `  ${line}`),
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
  own: ReadonlySet<string>,
): readonly [string, string, string] => {
  const { path } = difference
  const isHidden =
    (isRecordField(path) || (typeof difference.service === 'string' && path === 'status')) &&
    [service.body, mock.body].some((body) => isForeignRecord(body, path, own))
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

/** The other paths show no fields of a record. */
const isRecordField = (path: string): boolean =>
  !/^(?:outcome|status|errorFormat|body|items|moreItems\w+|object|id)$/.test(path)

/** Whether a field is of a record that the program did not create. */
const isForeignRecord = (body: unknown, path: string, own: ReadonlySet<string>): boolean => {
  const itemIndex = /^items\[(\d+)\]/.exec(path)
  const items = isRecord(body) && Array.isArray(body.items) ? (body.items as unknown[]) : []
  const record = itemIndex === null ? body : items[Number(itemIndex[1])]
  return !isRecord(record) || typeof record.id !== 'string' || !hasRecord(own, record.id)
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
