// How the records at the end of two runs differ, apart from ids and times.
import { kinds, recordKinds } from '../../domain/kinds.ts'
import { isRecord, hasSameJson } from '../../schema/json-value.ts'
import { pluralize, quote } from '../../schema/problem.ts'
import type { ProjectDocument } from '../../schema/seed.ts'

/** The projects of a state, as `GET /__admin/state` returns them. */
export type ProjectRecords = Readonly<Record<string, Pick<ProjectDocument, 'users' | 'paymentLinks'>>>

/** How the records of a run differ from the expected ones. */
export interface RecordDifference {
  /** One text each, such as `2 payment links of inv_7 instead of 1`. Empty: they are the same. */
  readonly differences: string[]
  /** Additional canceled payment links, which a client that cleans up leaves: `1 canceled payment link of inv_7 instead of 0`. */
  readonly canceled: string[]
}

/** A record without its id and times. */
interface PlainRecord {
  /** `user`, `payment link` or `canceled payment link`. */
  readonly noun: string
  /** Distinguishes it from other records of its kind: `with ada@example.com`, or `of inv_7`. */
  readonly name: string
  readonly project: string
  /** Its fields as JSON. An id of a record is replaced by what the record is. */
  readonly fields: string
}

const canceledLink = `canceled ${kinds.paymentLinks.text}`

/** Compares the records of a run with the expected ones. */
export const compareRecords = (expected: ProjectRecords, actual: ProjectRecords): RecordDifference => {
  const describe = createDescribe(expected, actual)
  const before = groupRecords(expected)
  const after = groupRecords(actual)
  const differences: string[] = []
  const canceled: string[] = []
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const wanted = before.get(key) ?? []
    const found = after.get(key) ?? []
    const record = [...wanted, ...found][0]!
    const isHarmless = record.noun === canceledLink && found.length > wanted.length
    if (found.length === wanted.length) differences.push(...compareFields(wanted, found, describe(record)))
    else (isHarmless ? canceled : differences).push(describe(record, found.length, wanted.length))
  }
  return { differences, canceled }
}

/** The largest numbers of records that a run had at the same time, by what they are. */
export type RecordPeaks = Map<string, number>

/** Raises the peaks to the numbers of records in a state. */
export const raisePeaks = (peaks: RecordPeaks, state: ProjectRecords): void => {
  for (const [key, { length }] of groupRecords(state)) peaks.set(key, Math.max(length, peaks.get(key) ?? 0))
}

/** Lists each group that exceeds its peak: users of an email, or active and completed payment links of an invoice. */
export const listExcess = (peaks: Readonly<RecordPeaks>, state: ProjectRecords): string[] => {
  const describe = createDescribe(state)
  return [...groupRecords(state)].flatMap(([key, records]) => {
    const peak = peaks.get(key) ?? 0
    const [record] = records
    return record!.noun === canceledLink || records.length <= peak ? [] : [describe(record!, records.length, peak)]
  })
}

/** Returns a function that names a record, or says how many there are: `2 payment links of inv_7 in acme instead of 1`. */
const createDescribe = (...states: readonly ProjectRecords[]) => {
  const hasOneProject = new Set(states.flatMap(Object.keys)).size < 2
  return ({ noun, name, project }: PlainRecord, count?: number, expected?: number): string => {
    const which = `${name}${hasOneProject ? '' : ` in ${project}`}`
    return count === undefined ? `${noun} ${which}` : `${pluralize(count, noun)} ${which} instead of ${expected}`
  }
}

/** The groups of each state. Those of the expected records are needed in every run. */
const cached = new WeakMap<ProjectRecords, Map<string, PlainRecord[]>>()

/** Groups records by what they are, apart from their other fields. */
const groupRecords = (state: ProjectRecords): Map<string, PlainRecord[]> => {
  const known = cached.get(state)
  if (known !== undefined) return known
  const groups = new Map<string, PlainRecord[]>()
  cached.set(state, groups)
  for (const record of listPlainRecords(state)) {
    const key = JSON.stringify([record.project, record.noun, record.name])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return groups
}

const listPlainRecords = (state: ProjectRecords): PlainRecord[] => {
  const records = Object.entries(state).flatMap(([project, { users = [], paymentLinks = [] }]) => [
    ...users.map((record) => ({ project, record, noun: kinds.users.text, name: `with ${record.email}` })),
    ...paymentLinks.map((record) => ({
      project,
      record,
      noun: record.status === 'canceled' ? canceledLink : kinds.paymentLinks.text,
      name: `of ${record.invoice}`,
    })),
  ])
  const texts = new Map(records.map(({ record, noun, name }) => [record.id, `${noun} ${name}`]))
  return records.map(({ record: { id, ...fields }, ...text }) => ({
    ...text,
    fields: maskIdsAndTimes(toSortedJson(fields), (of) => `the ${texts.get(of) ?? 'id of no record'}`),
  }))
}

const idPattern = new RegExp(`\\b(?:${recordKinds.map((kind) => kinds[kind].prefix).join('|')})_[\\w~-]+`, 'g')
// In a URL, colons may be encoded.
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d[.\d]*(?:Z|(?:[+-]|%2B)\d\d(?::|%3A)\d\d)/gi

/** Replaces the ids of records and the times in a text of JSON or in a URL. */
export const maskIdsAndTimes = (text: string, describeId: (id: string) => string = () => 'an id'): string =>
  text.replace(idPattern, (id) => JSON.stringify(`(${describeId(id)})`).slice(1, -1)).replace(timePattern, '(a time)')

/** Returns a value as JSON with sorted fields. */
export const toSortedJson = (given: unknown): string =>
  JSON.stringify(given, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  )

/** Compares as many records as there should be. Equal ones are left out, and the others are compared in their order. */
const compareFields = (wanted: readonly PlainRecord[], found: readonly PlainRecord[], name: string): string[] => {
  const left = wanted.map(({ fields }) => fields)
  const others = found.filter(({ fields }) => {
    const index = left.indexOf(fields)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return others.flatMap((record, index) => {
    const [old, now] = [left[index]!, record.fields].map((text) => JSON.parse(text) as Record<string, unknown>)
    const show = (value: unknown) => quote(isRecord(value) ? JSON.stringify(value) : value)
    return Object.keys({ ...old, ...now })
      .filter((field) => !hasSameJson(old![field], now![field]))
      .map((field) => `${field} of the ${name} is ${show(now![field])} instead of ${show(old![field])}`)
  })
}
