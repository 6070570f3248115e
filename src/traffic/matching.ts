import { isRecord } from '../schema/is-record.ts'
import { shorten } from '../schema/text.ts'
import { redactHeader } from '../domain/tokens.ts'
import type { Matcher } from '../schema/matcher.ts'
import { getHeaders, tryParseJson, type MatchableRequest, getPath, getQuery } from './record.ts'

/** Returns the body of a request as JSON, or undefined if it is not JSON. */
export type BodyReader = (request: MatchableRequest) => { readonly value: unknown } | undefined

/** Creates a reader that parses each body once. */
export const createBodyReader = (): BodyReader => {
  const bodies = new Map<MatchableRequest, ReturnType<BodyReader>>()
  return (request) => {
    if (!bodies.has(request)) bodies.set(request, tryParseJson(request.text ?? ''))
    return bodies.get(request)
  }
}

/** Returns true if a request has every field of the matcher. */
export const matches = (matcher: Matcher, request: MatchableRequest, readBody: BodyReader): boolean =>
  findDifferences(matcher, request, readBody, 1).length === 0

/** Describes the differences between a request and a matcher. Empty if the request matches. */
export const findDifferences = (
  matcher: Matcher,
  request: MatchableRequest,
  readBody: BodyReader,
  max = 5,
): string[] => {
  const differences: string[] = []
  for (const part of parts) {
    if (differences.length >= max) break
    differences.push(...part(matcher, request, readBody))
  }
  return differences.slice(0, max).map((one) => shorten(one, 200))
}

/** Replaces the secrets in a matcher with short hashes, which match the same requests. */
export const redactMatcher = <M extends Matcher>(matcher: M): M => {
  if (matcher.headers === undefined) return matcher
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(matcher.headers)) headers[name] = toComparable(name.toLowerCase(), value)
  return { ...matcher, headers }
}

/** Redacts the value of a header. A matcher may also contain a hash that was copied from the journal. */
const toComparable = (name: string, value: string): string =>
  /^(?:Bearer )?#[\da-f]{8}$/.test(value) ? value : redactHeader(name, value)

type Part = (matcher: Matcher, request: MatchableRequest, readBody: BodyReader) => string[]

/** The cheap comparisons come first, because most requests differ there. */
const parts: readonly Part[] = [
  ({ operation }, request) => compareValue('operation', operation, request.operation),
  ({ method }, request) => compareValue('method', method, request.method),
  ({ project }, request) => compareValue('project', project, request.project || undefined),
  ({ status }, request) => compareValue('status', status, request.status),
  ({ path }, request) => {
    if (path === undefined) return []
    const actual = getPath(request)
    return isAt(path, actual) ? [] : [`path is ${formatValue(actual)}, not ${formatValue(path)}`]
  },
  ({ query }, request) => (query === undefined ? [] : comparePart('query', query, getQuery(request))),
  ({ headers }, request) => {
    if (headers === undefined) return []
    const actual = getHeaders(request)
    return Object.entries(headers).flatMap(([name, value]) => {
      const key = name.toLowerCase()
      return compareValue(
        `headers.${key}`,
        toComparable(key, value),
        Object.hasOwn(actual, key) ? actual[key] : undefined,
      )
    })
  },
  ({ body }, request, readBody) => {
    if (body === undefined) return []
    // A body that is not JSON matches no value.
    const sent = readBody(request)
    if (sent !== undefined) return comparePart('body', body, sent.value)
    return [`body is ${request.text ? 'not JSON' : 'missing'}, not ${formatValue(body)}`]
  },
]

const compareValue = (path: string, expected: unknown, actual: unknown): string[] =>
  expected === undefined || expected === actual
    ? []
    : [`${path} is ${formatValue(actual)}, not ${formatValue(expected)}`]

const isAt = (pattern: string, path: string): boolean => {
  if (pattern === path) return true
  const expected = pattern.split('/')
  const segments = path.split('/')
  return expected.length === segments.length && expected.every((one, index) => one === '*' || one === segments[index])
}

/** Compares a part of a request. An object must contain the expected fields. Other values must be equal. */
const comparePart = (path: string, expected: unknown, actual: unknown): string[] => {
  if (!isRecord(expected))
    return isEqual(expected, actual) ? [] : [`${path} is ${formatValue(actual)}, not ${formatValue(expected)}`]
  if (!isRecord(actual)) return [`${path} is ${formatValue(actual)}, not an object`]
  return Object.keys(expected).flatMap((key) => {
    const at = `${path}.${shorten(key, 40)}`
    return Object.hasOwn(actual, key)
      ? comparePart(at, expected[key], actual[key])
      : [`${at} is missing, not ${formatValue(expected[key])}`]
  })
}

const isEqual = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, index) => isEqual(one, b[index]))
  if (!isRecord(a)) return a === b
  if (!isRecord(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** Formats a value for a message. */
const formatValue = (value: unknown): string => {
  if (value === undefined) return 'missing'
  return shorten(typeof value === 'string' ? `'${value}'` : JSON.stringify(value), 80)
}
