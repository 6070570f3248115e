// Compares the final records of a run with those of an undisturbed run, and describes the differences.
import { idSuffixLength, kinds } from '../../core/mock/extension.ts'
import { hasSameJson, isRecord, toSortedJson } from '../../core/schema/json-value.ts'
import { pluralize, quote } from '../../core/schema/problem.ts'
import { getSubjectKey, type RecordsByProject } from '../customers.ts'
import { maskIdsAndTimes } from './describe-request.ts'

/** Records of the same kind and subject, such as the payment links of invoice inv_7. */
interface RecordGroup {
  /** `user`, `payment link` or `canceled payment link`. */
  readonly noun: string
  /** The text after the noun, such as `of inv_7` or `with ada@example.com`. */
  readonly qualifier: string
  readonly project: string
  /** The key of the invoice or user, from `getSubjectKey`. */
  readonly subject: string
  /** The fields of each record as JSON, without its id. Other generated ids, times and addresses are masked. */
  readonly fields: string[]
}

const canceledLink = `canceled ${kinds.paymentLinks.text}`

/**
 * Returns the differences, such as `2 payment links of inv_7 instead of 1`. Extra canceled links are harmless, because clients
 * cancel links to clean up, and are returned as `canceled`. Without `countsCanceled`, so are missing canceled links.
 *
 * @param touched the keys of the invoices and users to skip, from `getSubjectKey`
 */
export const compareRecords = (
  expected: RecordsByProject,
  actual: RecordsByProject,
  {
    touched,
    countsCanceled = true,
  }: { readonly touched?: ReadonlySet<string>; readonly countsCanceled?: boolean } = {},
) => {
  const describe = createDescriber(expected, actual)
  const expectedGroups = groupRecords(expected)
  const actualGroups = groupRecords(actual)
  const differences: string[] = []
  const canceled: string[] = []
  for (const [key, group] of new Map([...expectedGroups, ...actualGroups])) {
    if (touched?.has(group.subject)) continue
    const expectedFields = expectedGroups.get(key)?.fields ?? []
    const actualFields = actualGroups.get(key)?.fields ?? []
    const isExtra = actualFields.length > expectedFields.length
    const isHarmless = group.noun === canceledLink && (isExtra || !countsCanceled)
    if (actualFields.length === expectedFields.length)
      differences.push(...compareFields(expectedFields, actualFields, describe(group)))
    else (isHarmless ? canceled : differences).push(describe(group, actualFields.length, expectedFields.length))
  }
  return { differences, canceled }
}

const compareFields = (expectedFields: readonly string[], actualFields: readonly string[], name: string): string[] => {
  const missingFields = subtract(expectedFields, actualFields)
  const parseFields = (text = '{}') => JSON.parse(text) as Record<string, unknown>
  const showValue = (value: unknown) => quote(isRecord(value) ? JSON.stringify(value) : value)
  return subtract(actualFields, expectedFields).flatMap((fields, index) => {
    const [oldFields, newFields] = [parseFields(missingFields[index]), parseFields(fields)]
    return Object.keys({ ...oldFields, ...newFields })
      .filter((field) => !hasSameJson(oldFields[field], newFields[field]))
      .map(
        (field) =>
          `${field} of the ${name} is ${showValue(newFields[field])} instead of ${showValue(oldFields[field])}`,
      )
  })
}

export const raisePeaks = (peaks: Map<string, number>, state: RecordsByProject): void => {
  for (const [key, { fields }] of groupRecords(state)) peaks.set(key, Math.max(fields.length, peaks.get(key) ?? 0))
}

/** Lists each group that has more records than it ever had in an undisturbed run. Skips canceled payment links. */
export const listExcess = (peaks: ReadonlyMap<string, number>, state: RecordsByProject): string[] => {
  const describe = createDescriber(state)
  return [...groupRecords(state)].flatMap(([key, group]) => {
    const peak = peaks.get(key) ?? 0
    const { length } = group.fields
    return group.noun === canceledLink || length <= peak ? [] : [describe(group, length, peak)]
  })
}

/** Returns a function that describes a group or, with counts, a difference such as `2 payment links of inv_7 instead of 1`. */
const createDescriber = (...states: readonly RecordsByProject[]) => {
  const hasOneProject = new Set(states.flatMap(Object.keys)).size < 2
  return ({ noun, qualifier, project }: RecordGroup, count?: number, expected?: number): string => {
    const groupName = `${qualifier}${hasOneProject ? '' : ` in ${project}`}`
    return count === undefined
      ? `${noun} ${groupName}`
      : `${pluralize(count, noun)} ${groupName} instead of ${expected}`
  }
}

/** Caches the groups, because every run is compared with the same expected records. */
const groupsByState = new WeakMap<RecordsByProject, ReadonlyMap<string, RecordGroup>>()

const groupRecords = (state: RecordsByProject): ReadonlyMap<string, RecordGroup> => {
  const cachedGroups = groupsByState.get(state)
  if (cachedGroups !== undefined) return cachedGroups
  const records = Object.entries(state).flatMap(([project, { users = [], paymentLinks = [] }]) => [
    ...users.map((record) => ({ project, record, noun: kinds.users.text, by: 'with', key: record.email })),
    ...paymentLinks.map((record) => {
      const noun = record.status === 'canceled' ? canceledLink : kinds.paymentLinks.text
      return { project, record, noun, by: 'of', key: record.invoice }
    }),
  ])
  const recordNames = new Map(records.map(({ record, noun, by, key }) => [record.id, `the ${noun} ${by} ${key}`]))
  const groups = new Map<string, RecordGroup>()
  for (const { project, record, noun, by, key } of records) {
    const { id: _, ...fields } = record
    const groupKey = JSON.stringify([project, noun, key])
    const subject = getSubjectKey(project, key)
    const group = groups.get(groupKey) ?? { project, subject, noun, qualifier: `${by} ${key}`, fields: [] }
    group.fields.push(maskIdsAndTimes(toSortedJson(fields), (id) => recordNames.get(id) ?? describeMissingRecord(id)))
    groups.set(groupKey, group)
  }
  groupsByState.set(state, groups)
  return groups
}

/** Returns undefined for an id that was not generated, such as `usr_17`. Generated ids are longer, and differ between runs. */
const describeMissingRecord = (id: string): string | undefined =>
  id.slice(id.indexOf('_') + 1).length === idSuffixLength ? 'the id of no record' : undefined

/** Returns the multiset difference: each entry of `others` removes at most one equal entry of `texts`. */
export const subtract = (texts: readonly string[], others: readonly string[]): string[] => {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1)
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}
