// Compares the records at the end of a run with the records of an undisturbed run, and describes the differences.
import { idSuffixLength, kinds } from '../../core/mock/extension.ts'
import { hasSameJson, isRecord, toSortedJson } from '../../core/schema/json-value.ts'
import { pluralize, quote } from '../../core/schema/problem.ts'
import { getSubjectKey, type RecordsByProject } from '../customers.ts'
import { maskIdsAndTimes } from './describe-request.ts'

/** Records of one kind that belong together, such as the payment links of inv_7. */
interface RecordGroup {
  /** `user`, `payment link` or `canceled payment link`. */
  readonly noun: string
  /** `with ada@example.com`, or `of inv_7`. */
  readonly name: string
  readonly project: string
  /** As `getSubjectKey` returns it. */
  readonly subject: string
  /** The fields of each record as JSON, without its id. Other ids, times and addresses are replaced by descriptions. */
  readonly fields: string[]
}

const canceledLink = `canceled ${kinds.paymentLinks.text}`

/**
 * Lists differences such as `2 payment links of inv_7 instead of 1`. `canceled` lists the harmless differences: extra canceled
 * payment links, which a client leaves when it cleans up.
 *
 * @param touched the invoices and users to skip
 * @param countsCanceled whether missing canceled payment links count as a difference
 */
export const compareRecords = (
  expected: RecordsByProject,
  actual: RecordsByProject,
  {
    touched,
    countsCanceled = true,
  }: { readonly touched?: ReadonlySet<string>; readonly countsCanceled?: boolean } = {},
) => {
  const describe = createDescribe(expected, actual)
  const expectedGroups = groupRecords(expected)
  const actualGroups = groupRecords(actual)
  const differences: string[] = []
  const canceled: string[] = []
  for (const [key, group] of new Map([...expectedGroups, ...actualGroups])) {
    if (touched?.has(group.subject)) continue
    const expectedFields = expectedGroups.get(key)?.fields ?? []
    const actualFields = actualGroups.get(key)?.fields ?? []
    const isMore = actualFields.length > expectedFields.length
    const isHarmless = group.noun === canceledLink && (isMore || !countsCanceled)
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

/** Lists the groups that have more records than they ever had in the undisturbed runs, except groups of canceled links. */
export const listExcess = (peaks: ReadonlyMap<string, number>, state: RecordsByProject): string[] => {
  const describe = createDescribe(state)
  return [...groupRecords(state)].flatMap(([key, group]) => {
    const peak = peaks.get(key) ?? 0
    const { length } = group.fields
    return group.noun === canceledLink || length <= peak ? [] : [describe(group, length, peak)]
  })
}

/** Returns a function that describes a group or, with counts, a difference: `2 payment links of inv_7 in acme instead of 1`. */
const createDescribe = (...states: readonly RecordsByProject[]) => {
  const hasOneProject = new Set(states.flatMap(Object.keys)).size < 2
  return ({ noun, name, project }: RecordGroup, count?: number, expected?: number): string => {
    const groupName = `${name}${hasOneProject ? '' : ` in ${project}`}`
    return count === undefined
      ? `${noun} ${groupName}`
      : `${pluralize(count, noun)} ${groupName} instead of ${expected}`
  }
}

/** The groups of each state. Cached, because every run is compared with the same expected records. */
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
    const group = groups.get(groupKey) ?? { project, subject, noun, name: `${by} ${key}`, fields: [] }
    group.fields.push(maskIdsAndTimes(toSortedJson(fields), (id) => recordNames.get(id) ?? describeMissingRecord(id)))
    groups.set(groupKey, group)
  }
  groupsByState.set(state, groups)
  return groups
}

/** Returns undefined for an id that the program chose, such as `usr_17`. Ids of the mock are longer, and differ between runs. */
const describeMissingRecord = (id: string): string | undefined =>
  id.slice(id.indexOf('_') + 1).length === idSuffixLength ? 'the id of no record' : undefined

/** Removes one copy of a string for each copy in `others`. */
export const subtract = (given: readonly string[], others: readonly string[]): string[] => {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1)
  return given.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}
