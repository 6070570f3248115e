// Describes requests without the values that differ between runs: ids, times and addresses.
import { kinds } from '../../core/mock/extension.ts'
import { parseJsonIfValid, toSortedJson } from '../../core/schema/json-value.ts'
import type { RecordsByProject } from '../customers.ts'
import type { SentRequest } from '../steps.ts'

/** Returns text that is the same in every run. Ids become descriptions such as `(the user with ada@example.com)`. */
export const describeRequest = ({ method, path, body }: SentRequest, getRecords: () => RecordsByProject): string => {
  // Some languages write JSON fields in a different order in each process, so sort them.
  const value = parseJsonIfValid(body ?? '')
  const text = `${method} ${path} ${value === undefined ? (body ?? '') : toSortedJson(value)}`.trimEnd()
  let names: ReadonlyMap<string, string> | undefined
  return maskIdsAndTimes(text, (id) => (names ??= nameRecords(getRecords())).get(id) ?? 'an id')
}

const nameRecords = (projects: RecordsByProject): ReadonlyMap<string, string> =>
  new Map(
    Object.values(projects).flatMap(({ users = [], paymentLinks = [] }) => [
      ...users.map(({ id = '', email }) => [id, `the user with ${email}`] as const),
      ...paymentLinks.map(({ id = '', invoice }) => [id, `a link of ${invoice}`] as const),
    ]),
  )

const prefixes = Object.values(kinds).map(({ prefix }) => prefix)
const idPattern = new RegExp(`\\b(?:${prefixes.join('|')})_[\\w~-]+`, 'g')
// Colons and plus signs may be percent-encoded in a URL.
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d[.\d]*(?:Z|(?:[+-]|%2B)\d\d(?::|%3A)\d\d)/gi

// Addresses differ between runs: a sandbox name contains the number of the run, and a service gets a new port.
const addressPattern =
  /http(?::|%3A)(?:\/|%2F){2}(?:127\.0\.0\.1|localhost)(?::|%3A)\d+(?:(?:\/|%2F)(?:@|%40)run-\d+(?:\.[a-d])?(?:\.service)?)?/gi

/** Replaces record ids, times and addresses in JSON text or in a URL. Keeps an id if `describeId` returns undefined. */
export const maskIdsAndTimes = (text: string, describeId: (id: string) => string | undefined): string =>
  text
    .replace(idPattern, (id) => {
      const description = describeId(id)
      return description === undefined ? id : JSON.stringify(`(${description})`).slice(1, -1)
    })
    .replace(timePattern, '(a time)')
    .replace(addressPattern, '(an address)')
