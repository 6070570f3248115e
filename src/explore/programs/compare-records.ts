// The records at the end of a run, compared with those of a run without a fault: what differs, in words.
import { kinds } from '../../core/mock/extension.ts'
import { hasSameJson, isRecord, toSortedJson } from '../../core/schema/json-value.ts'
import { pluralize, quote } from '../../core/schema/problem.ts'
import { nameSubject, type RecordsByProject } from '../customers.ts'
import { maskIdsAndTimes } from './describe-request.ts'

/** Records that have the same name. */
interface RecordGroup {
  /** `user`, `payment link` or `canceled payment link`. */
  readonly noun: string
  /** Distinguishes them from other records of their kind: `with ada@example.com`, or `of inv_7`. */
  readonly name: string
  readonly project: string
  /** Whose records they are: of an invoice, or of the user with an email. */
  readonly subject: string
  /** The fields of each as JSON, without id and times. An id of a record is replaced by what the record is. */
  readonly fields: string[]
}

const canceledLink = `canceled ${kinds.paymentLinks.text}`

/**
 * Compares the records of a run with the expected ones. A difference is a text such as `2 payment links of inv_7 instead of 1`.
 * `canceled` lists additional canceled payment links, which a client that cleans up leaves.
 *
 * @param touched the invoices and users that are left out
 * @param countsCanceled whether fewer canceled payment links are a difference
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

/** Compares as many records as there should be. Equal ones are left out, and the others are compared in their order. */
const compareFields = (expectedFields: readonly string[], actualFields: readonly string[], name: string): string[] => {
  const missingFields = withoutOthers(expectedFields, actualFields)
  const parseFields = (text = '{}') => JSON.parse(text) as Record<string, unknown>
  const showValue = (value: unknown) => quote(isRecord(value) ? JSON.stringify(value) : value)
  return withoutOthers(actualFields, expectedFields).flatMap((fields, index) => {
    const [oldFields, newFields] = [parseFields(missingFields[index]), parseFields(fields)]
    return Object.keys({ ...oldFields, ...newFields })
      .filter((field) => !hasSameJson(oldFields[field], newFields[field]))
      .map(
        (field) =>
          `${field} of the ${name} is ${showValue(newFields[field])} instead of ${showValue(oldFields[field])}`,
      )
  })
}

/** Raises the peaks to the numbers of records in a state. */
export const raisePeaks = (peaks: Map<string, number>, state: RecordsByProject): void => {
  for (const [key, { fields }] of groupRecords(state)) peaks.set(key, Math.max(fields.length, peaks.get(key) ?? 0))
}

/** Lists each group that exceeds its peak: users of an email, or active and completed payment links of an invoice. */
export const listExcess = (peaks: ReadonlyMap<string, number>, state: RecordsByProject): string[] => {
  const describe = createDescribe(state)
  return [...groupRecords(state)].flatMap(([key, group]) => {
    const peak = peaks.get(key) ?? 0
    const { length } = group.fields
    return group.noun === canceledLink || length <= peak ? [] : [describe(group, length, peak)]
  })
}

/** Returns a function that names a record, or says how many there are: `2 payment links of inv_7 in acme instead of 1`. */
const createDescribe = (...states: readonly RecordsByProject[]) => {
  const hasOneProject = new Set(states.flatMap(Object.keys)).size < 2
  return ({ noun, name, project }: RecordGroup, count?: number, expected?: number): string => {
    const groupName = `${name}${hasOneProject ? '' : ` in ${project}`}`
    return count === undefined
      ? `${noun} ${groupName}`
      : `${pluralize(count, noun)} ${groupName} instead of ${expected}`
  }
}

/** The groups of each state. Those of the expected records are needed in every run. */
const groupsByState = new WeakMap<RecordsByProject, ReadonlyMap<string, RecordGroup>>()

/** Groups records by what they are, apart from their other fields. */
const groupRecords = (state: RecordsByProject): ReadonlyMap<string, RecordGroup> => {
  const cachedGroups = groupsByState.get(state)
  if (cachedGroups !== undefined) return cachedGroups
  const records = Object.entries(state).flatMap(([project, { users = [], paymentLinks = [] }]) => [
    ...users.map((record) => ({
      record,
      project,
      subject: nameSubject(project, record.email),
      noun: kinds.users.text,
      name: `with ${record.email}`,
    })),
    ...paymentLinks.map((record) => ({
      record,
      project,
      subject: nameSubject(project, record.invoice),
      noun: record.status === 'canceled' ? canceledLink : kinds.paymentLinks.text,
      name: `of ${record.invoice}`,
    })),
  ])
  const recordNames = new Map(records.map(({ record, noun, name }) => [record.id, `${noun} ${name}`]))
  const groups = new Map<string, RecordGroup>()
  for (const { record, project, subject, noun, name } of records) {
    const { id: _, ...fields } = record
    const key = JSON.stringify([project, noun, name])
    const group = groups.get(key) ?? { project, subject, noun, name, fields: [] }
    group.fields.push(maskIdsAndTimes(toSortedJson(fields), (id) => `the ${recordNames.get(id) ?? 'id of no record'}`))
    groups.set(key, group)
  }
  groupsByState.set(state, groups)
  return groups
}

/** Removes each text once for each time that it is among the others. */
export const withoutOthers = (given: readonly string[], others: readonly string[]): string[] => {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1)
  return given.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}
