// Formats the report for people: the differences, the learned behaviors and the calls that were not compared.
import { isRecord } from '../../schema/json-value.ts'
import { pluralize } from '../../schema/problem.ts'
import { shorten, toPrintable } from '../../schema/text.ts'
import type { Comparison, CompareReport } from './compare.ts'
import type { ResponseDifference } from './differences.ts'
import { hasRecord } from './service-call.ts'

type DifferentCall = CompareReport['different'][number]

const maxWidth = 160
const maxCell = 60

/** Formats a comparison. Records of others are shown by their id only. */
export const formatComparison = ({ report, own }: Comparison): string => {
  const { learned, different, notCompared, observed, unknownFields } = report
  const groups = groupBy(different, ({ differences, method, path }) =>
    JSON.stringify([
      method,
      path.replace(/_\w+/g, '').split('?')[0],
      differences.map((one) => one.path.replace(/\d+/g, '')),
    ]),
  )
  const isProvisional = learned.some((one) => one.isProvisional)
  const observedTexts = Object.entries(observed).map(([key, value]) => `${key}=${value}`)
  return [
    formatSummary(report),
    ...groups.flatMap((group) => ['', ...formatDifferent(group, own)]),
    ...(learned.length > 0
      ? ['', isProvisional ? 'Learned, but provisional while a call is different:' : 'Learned:']
      : []),
    ...learned.map(
      ({ behavior, value, was, isExpected, calls: [first] }) =>
        `  ${behavior}=${value}, ${isExpected ? `not ${was} as expected` : `not the default ${was}`}${first ? `, first in ${formatCall(first)}` : ''}`,
    ),
    ...(learned.length > 0 ? ['  Keep it with --out FILE, and start the mock with --seed FILE.'] : []),
    ...(notCompared.length > 0 ? ['', 'Not compared:'] : []),
    ...groupBy(notCompared, ({ why }) => why).map((group) => {
      const numbers = group.map(({ number }) => number).join(', ')
      return `  ${group[0].why}: ${pluralize(group.length, 'call')} (${numbers})`
    }),
    ...(unknownFields.length > 0 ? ['', `Fields beyond the specification: ${unknownFields.join(', ')}`] : []),
    '',
    `Observed: ${observedTexts.join(', ') || 'no behavior'}`,
  ]
    .map((line) =>
      toPrintable(line.length > maxWidth && !line.startsWith('Observed') ? shorten(line, maxWidth - 3) : line),
    )
    .map((line) => `${line}\n`)
    .join('')
}

const formatSummary = ({ calls, same, learned, different, notCompared }: CompareReport): string => {
  const byValue = learned
    .filter(({ calls: own }) => own.length > 0)
    .map(({ behavior, value, calls: own }) => `${own.length} with ${behavior}=${value}`)
  const parts = [
    `${same} the same${byValue.length > 0 ? ` (${byValue.join(', ')})` : ''}`,
    ...(different.length > 0 ? [`${different.length} different`] : []),
    ...(notCompared.length > 0 ? [`${notCompared.length} not compared`] : []),
  ]
  return `${pluralize(calls, 'call')}: ${parts.join(', ')}.`
}

const formatCall = ({ number, method, path }: { number: number; method: string; path: string }): string =>
  `${number}. ${method} ${path}`

/** Formats the first of several calls with the same differences. */
const formatDifferent = (group: readonly [DifferentCall, ...DifferentCall[]], own: ReadonlySet<string>): string[] => {
  const [call] = group
  const { candidates, contradictedBy, differences } = call
  const more = group.length > 1 ? `, and ${pluralize(group.length - 1, 'call')} alike` : ''
  const rows = differences.map((one) => formatRow(call, one, own))
  const [first, second] = [0, 1].map((column) => Math.max(7, ...rows.map((row) => row[column]!.length))) as [
    number,
    number,
  ]
  const numbers = contradictedBy.join(', ')
  return [
    `Different: ${formatCall(call)}${more}`,
    ...[['', 'service', 'mock'] as const, ...rows].map(([path, service, mock]) =>
      `  ${path.padEnd(first)}  ${service.padEnd(second)}  ${mock}`.trimEnd(),
    ),
    ...(candidates.length > 1 ? [`  Each of these would explain it: ${candidates.join('; ')}`] : []),
    ...(candidates.length === 1 && numbers === '' ? [`  This would explain it: ${candidates[0]}`] : []),
    ...(candidates.length === 1 && numbers !== ''
      ? [`  ${candidates[0]} would explain it, but not call ${numbers}`]
      : []),
    ...(candidates.length === 0 && numbers !== ''
      ? [`  Call ${numbers} contradicts the values that would explain it`]
      : []),
  ]
}

const formatRow = (
  { service, mock }: DifferentCall,
  difference: ResponseDifference,
  own: ReadonlySet<string>,
): readonly [string, string, string] => {
  const { path } = difference
  const isHidden =
    (isField(path) || (typeof difference.service === 'string' && path === 'status')) &&
    [service.body, mock.body].some((body) => isForeign(body, path, own))
  const format = (value: unknown) =>
    value === undefined ? 'nothing' : isHidden ? '(not shown)' : shorten(JSON.stringify(value), maxCell)
  return [path, format(difference.service), format(difference.mock)]
}

/** The other paths show no fields of a record. */
const isField = (path: string): boolean =>
  !/^(?:outcome|status|errorFormat|contentType|items|moreItems\w+|object|id)$/.test(path)

/** Whether a field is of a record that the program did not create. */
const isForeign = (body: unknown, path: string, own: ReadonlySet<string>): boolean => {
  const at = /^items\[(\d+)\]/.exec(path)
  const items = isRecord(body) && Array.isArray(body.items) ? (body.items as unknown[]) : []
  const record = at === null ? body : items[Number(at[1])]
  return !isRecord(record) || typeof record.id !== 'string' || !hasRecord(own, record.id)
}

const groupBy = <T>(list: readonly T[], getKey: (value: T) => string): (readonly [T, ...T[]])[] => {
  const groups = new Map<string, [T, ...T[]]>()
  for (const value of list) {
    const group = groups.get(getKey(value))
    if (group === undefined) groups.set(getKey(value), [value])
    else group.push(value)
  }
  return [...groups.values()]
}
