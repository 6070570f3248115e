import { isRecord, toSortedJson } from '../schema/json-value.ts'
import { shorten } from '../schema/text.ts'
import { redactHeader } from '../domain/tokens.ts'
import type { Matcher } from '../schema/matcher.ts'
import { getHeaders, tryParseJson, type MatchableRequest, getPath, getQuery } from './journal.ts'

/** Returns the body of a request as JSON, or undefined if it is not JSON. */
type BodyReader = (request: MatchableRequest) => { readonly value: unknown } | undefined

/** Creates a reader that parses each body once, for all matchers that share it. */
export const createBodyReader = (): BodyReader => {
  const bodies = new WeakMap<MatchableRequest, ReturnType<BodyReader>>()
  return (request) => {
    if (!bodies.has(request)) bodies.set(request, tryParseJson(request.text ?? ''))
    return bodies.get(request)
  }
}

/** A matcher that was prepared once for many requests. */
export interface PreparedMatcher {
  /** Returns true if a request has every field of the matcher. */
  matches(request: MatchableRequest): boolean
  /** Lists the differences between a request and the matcher, at most five. Empty if the request matches. */
  findDifferences(request: MatchableRequest): readonly Difference[]
}

interface Difference {
  /** A missing value is farther from the matcher than a different one. */
  readonly isMissing: boolean
  /** Formatting costs more than comparing, and most differences are only counted. */
  readonly describe: () => string
}

const different = (describe: Difference['describe']): Difference => ({ isMissing: false, describe })
const missing = (path: string, expected: unknown): Difference => ({
  isMissing: true,
  describe: () => `${path} is missing, not ${formatValue(expected)}`,
})

const maxDifferences = 5

/**
 * Prepares a matcher: its texts may be long, and are split and hashed only once.
 *
 * @param readBody is shared by matchers of the same requests
 */
export const prepareMatcher = (matcher: Matcher, readBody = createBodyReader()): PreparedMatcher => {
  const parts = prepareParts(matcher, readBody)
  const find = (request: MatchableRequest, max: number): Difference[] => {
    const differences: Difference[] = []
    for (const part of parts) {
      if (differences.length >= max) break
      differences.push(...part(request))
    }
    return differences.slice(0, max)
  }
  return {
    matches: (request) => find(request, 1).length === 0,
    findDifferences: (request) => find(request, maxDifferences),
  }
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

type Part = (request: MatchableRequest) => Difference[]

const valueNames = ['operation', 'method', 'project', 'status'] as const

/** The comparisons of a matcher. The cheap ones come first, because most requests differ there. */
const prepareParts = ({ path, query, headers, body, ...values }: Matcher, readBody: BodyReader): readonly Part[] => [
  ...valueNames
    .filter((name) => values[name] !== undefined)
    .map(
      (name): Part =>
        (request) =>
          comparePart(name, values[name], request[name] || undefined),
    ),
  ...(path === undefined ? [] : [preparePath(path)]),
  ...(query === undefined ? [] : [(request: MatchableRequest) => comparePart('query', query, getQuery(request))]),
  ...(headers === undefined ? [] : [prepareHeaders(headers)]),
  ...(body === undefined ? [] : [prepareBody(body, readBody)]),
]

const preparePath = (pattern: string): Part => {
  const expected = pattern.split('/')
  return (request) => {
    const actual = getPath(request)
    const segments = actual.split('/')
    const isMissing = expected.length !== segments.length
    const isAt = !isMissing && expected.every((one, index) => one === '*' || one === segments[index])
    return isAt ? [] : [{ isMissing, describe: () => `path is ${formatValue(actual)}, not ${formatValue(pattern)}` }]
  }
}

const prepareHeaders = (headers: NonNullable<Matcher['headers']>): Part => {
  const expected = Object.entries(headers).map(([name, value]) => {
    const key = name.toLowerCase()
    return { key, value: toComparable(key, value) }
  })
  return (request) => {
    const actual = getHeaders(request)
    return expected.flatMap(({ key, value }) =>
      comparePart(`headers.${key}`, value, Object.hasOwn(actual, key) ? actual[key] : undefined),
    )
  }
}

const prepareBody =
  (expected: unknown, readBody: BodyReader): Part =>
  (request) => {
    // A body that is not JSON matches no value.
    const sent = readBody(request)
    if (sent !== undefined) return comparePart('body', expected, sent.value)
    return [
      request.text ? different(() => `body is not JSON, not ${formatValue(expected)}`) : missing('body', expected),
    ]
  }

/** Compares a part of a request. An object must contain the expected fields. Other values must be equal. */
const comparePart = (path: string, expected: unknown, actual: unknown): Difference[] => {
  if (actual === undefined) return [missing(path, expected)]
  if (!isRecord(expected))
    return isEqual(expected, actual)
      ? []
      : [different(() => `${path} is ${formatValue(actual)}, not ${formatValue(expected)}`)]
  if (!isRecord(actual)) return [different(() => `${path} is ${formatValue(actual)}, not an object`)]
  return Object.keys(expected).flatMap((key) => {
    const at = `${path}.${shorten(key, 40)}`
    return comparePart(at, expected[key], Object.hasOwn(actual, key) ? actual[key] : undefined)
  })
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && toSortedJson(a) === toSortedJson(b))

const formatValue = (value: unknown): string =>
  shorten(typeof value === 'string' ? `'${value}'` : JSON.stringify(value), 80)
