import { isRecord } from '../schema/is-record.ts'
import { shortened } from '../schema/problem.ts'
import { redactedHeader } from '../domain/tokens.ts'
import type { Matcher } from '../schema/matcher.ts'
import { headersOf, jsonIn, pathOf, queryOf, type MatchableRequest } from './record.ts'

/** Reads the body of a request as JSON; undefined if it is not JSON. */
export type BodyReader = (sighting: MatchableRequest) => { readonly value: unknown } | undefined

/** Creates a reader that parses each body once. It keeps the values, so it must not outlive the requests that it is for. */
export const createBodyReader = (): BodyReader => {
  const bodies = new WeakMap<MatchableRequest, ReturnType<BodyReader>>()
  return (sighting) => {
    if (!bodies.has(sighting)) bodies.set(sighting, jsonIn(sighting.text ?? ''))
    return bodies.get(sighting)
  }
}

/** Whether a request has all that a matcher names. */
export const matches = (matcher: Matcher, sighting: MatchableRequest, readBody: BodyReader): boolean =>
  differencesOf(matcher, sighting, readBody, 1).length === 0

/** In what a request differs from a matcher, in words: nothing where it matches. At most so many. */
export const differencesOf = (
  matcher: Matcher,
  sighting: MatchableRequest,
  readBody: BodyReader,
  most = 5,
): string[] => {
  const found: string[] = []
  for (const part of parts) {
    if (found.length >= most) break
    found.push(...part(matcher, sighting, readBody))
  }
  return found.slice(0, most).map((one) => shortened(one, 200))
}

/** The matcher without the secrets in it: short hashes, which match the same. */
export const withoutSecrets = <M extends Matcher>(matcher: M): M => {
  if (matcher.headers === undefined) return matcher
  const headers = Object.entries(matcher.headers).map(([name, value]) => [name, namedHeader(name.toLowerCase(), value)])
  return { ...matcher, headers: Object.fromEntries(headers) as Record<string, string> }
}

/** The value of a header as a matcher names it: a secret, or the hash of one, copied out of the journal. */
const namedHeader = (name: string, value: string): string =>
  /^(?:Bearer )?#[\da-f]{8}$/.test(value) ? value : redactedHeader(name, value)

type Part = (matcher: Matcher, sighting: MatchableRequest, readBody: BodyReader) => string[]

/** The cheap ones first: most requests differ in one of these. */
const parts: readonly Part[] = [
  ({ operation }, sighting) => same('operation', operation, sighting.operation),
  ({ method }, sighting) => same('method', method, sighting.method),
  ({ project }, sighting) => same('project', project, sighting.project),
  ({ status }, sighting) => same('status', status, sighting.status),
  ({ path }, sighting) => {
    if (path === undefined) return []
    const actual = pathOf(sighting)
    return isAt(path, actual) ? [] : [`path is ${text(actual)}, not ${text(path)}`]
  },
  ({ query }, sighting) => (query === undefined ? [] : unequal('query', query, queryOf(sighting))),
  ({ headers }, sighting) => {
    if (headers === undefined) return []
    const actual = headersOf(sighting)
    return Object.entries(headers).flatMap(([name, value]) => {
      const key = name.toLowerCase()
      return same(`headers.${key}`, namedHeader(key, value), Object.hasOwn(actual, key) ? actual[key] : undefined)
    })
  },
  ({ body }, sighting, readBody) => {
    if (body === undefined) return []
    // A body that is not JSON matches no value.
    const sent = readBody(sighting)
    if (sent !== undefined) return unequal('body', body, sent.value)
    return [`body is ${sighting.text ? 'no JSON' : 'missing'}, not ${text(body)}`]
  },
]

const same = (path: string, expected: unknown, actual: unknown): string[] =>
  expected === undefined || expected === actual ? [] : [`${path} is ${text(actual)}, not ${text(expected)}`]

const isAt = (pattern: string, path: string): boolean => {
  if (pattern === path) return true
  const expected = pattern.split('/')
  const segments = path.split('/')
  return expected.length === segments.length && expected.every((one, index) => one === '*' || one === segments[index])
}

/** An object must contain the given fields. Any other value must be equal. */
const unequal = (path: string, expected: unknown, actual: unknown): string[] => {
  if (!isRecord(expected)) return equal(expected, actual) ? [] : [`${path} is ${text(actual)}, not ${text(expected)}`]
  if (!isRecord(actual)) return [`${path} is ${text(actual)}, not an object`]
  return Object.keys(expected).flatMap((key) => {
    const at = `${path}.${shortened(key, 40)}`
    return Object.hasOwn(actual, key)
      ? unequal(at, expected[key], actual[key])
      : [`${at} is missing, not ${text(expected[key])}`]
  })
}

const equal = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, index) => equal(one, b[index]))
  if (!isRecord(a)) return a === b
  if (!isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

/** A value as a sentence can hold it, whatever was sent. */
const text = (value: unknown): string => {
  if (value === undefined) return 'missing'
  return shortened(typeof value === 'string' ? `'${value}'` : JSON.stringify(value), 80)
}
