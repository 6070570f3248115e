import { isRecord, toSortedJson } from '../schema/json-value.ts'
import { shorten } from '../schema/text.ts'
import type { Matcher } from '../schema/matcher.ts'
import { getHeaders, parseRecordedJson, type MatchableRequest, getPath, getQuery, redactHeader } from './journal.ts'

/** Returns undefined if the body is not JSON. */
type BodyReader = (request: MatchableRequest) => unknown

/** Parses each body once for all matchers that share the reader. */
export const createBodyReader = (): BodyReader => {
  const bodies = new WeakMap<MatchableRequest, unknown>()
  return (request) => {
    if (!bodies.has(request)) bodies.set(request, parseRecordedJson(request.text ?? ''))
    return bodies.get(request)
  }
}

export interface PreparedMatcher {
  matches(request: MatchableRequest): boolean
  /** Returns at most five differences. */
  findDifferences(request: MatchableRequest): readonly Difference[]
}

interface Difference {
  /** A missing value is farther from the matcher than a different one. */
  readonly isMissing: boolean
  /** Formatting costs more than comparing, and most differences are only counted. */
  readonly describe: () => string
}

const describeDifferent = (describe: Difference['describe']): Difference => ({ isMissing: false, describe })
const describeMissing = (path: string, expected: unknown): Difference => ({
  isMissing: true,
  describe: () => `${path} is missing, not ${formatValue(expected)}`,
})

const maxDifferences = 5

/** Splits and hashes long strings only once. Matchers of the same requests share `readBody`. */
export const prepareMatcher = (matcher: Matcher, readBody = createBodyReader()): PreparedMatcher => {
  const comparisons = prepareComparisons(matcher, readBody)
  const findSome = (request: MatchableRequest, max: number): Difference[] => {
    const differences: Difference[] = []
    for (const compare of comparisons) {
      if (differences.length >= max) break
      differences.push(...compare(request))
    }
    return differences.slice(0, max)
  }
  return {
    matches: (request) => findSome(request, 1).length === 0,
    findDifferences: (request) => findSome(request, maxDifferences),
  }
}

/** Replaces the secrets in a matcher with short hashes, which match the same requests. */
export const redactMatcher = <M extends Matcher>(matcher: M): M => {
  if (matcher.headers === undefined) return matcher
  const headers = Object.entries(matcher.headers)
  return {
    ...matcher,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, redactMatchedHeader(name.toLowerCase(), value)])),
  }
}

/** Redacts the value of a header. A matcher may also contain a hash that was copied from the journal. */
const redactMatchedHeader = (name: string, value: string): string =>
  /^(?:Bearer )?#[\da-f]{8}$/.test(value) ? value : redactHeader(name, value)

type FieldComparison = (request: MatchableRequest) => Difference[]

const comparedFields = ['operation', 'method', 'project', 'status'] as const

/** The cheap comparisons come first, because most requests differ there. */
const prepareComparisons = (
  { path, query, headers, body, ...comparedValues }: Matcher,
  readBody: BodyReader,
): readonly FieldComparison[] => [
  ...comparedFields
    .filter((name) => comparedValues[name] !== undefined)
    .map(
      (name): FieldComparison =>
        (request) =>
          compareValue(name, comparedValues[name], request[name] || undefined),
    ),
  ...(path === undefined ? [] : [preparePathComparison(path)]),
  ...(query === undefined ? [] : [(request: MatchableRequest) => compareValue('query', query, getQuery(request))]),
  ...(headers === undefined ? [] : [prepareHeaderComparison(headers)]),
  ...(body === undefined ? [] : [prepareBodyComparison(body, readBody)]),
]

const preparePathComparison = (pattern: string): FieldComparison => {
  const expectedSegments = pattern.split('/')
  return (request) => {
    const actualPath = getPath(request)
    const segments = actualPath.split('/')
    const isMissing = expectedSegments.length !== segments.length
    const isSamePath =
      !isMissing && expectedSegments.every((segment, index) => segment === '*' || segment === segments[index])
    return isSamePath
      ? []
      : [{ isMissing, describe: () => `path is ${formatValue(actualPath)}, not ${formatValue(pattern)}` }]
  }
}

const prepareHeaderComparison = (headers: NonNullable<Matcher['headers']>): FieldComparison => {
  const expectedHeaders = Object.entries(headers).map(([name, value]) => {
    const key = name.toLowerCase()
    return { key, value: redactMatchedHeader(key, value) }
  })
  return (request) => {
    const actualHeaders = getHeaders(request)
    return expectedHeaders.flatMap(({ key, value }) =>
      compareValue(`headers.${key}`, value, Object.hasOwn(actualHeaders, key) ? actualHeaders[key] : undefined),
    )
  }
}

const prepareBodyComparison =
  (expectedBody: unknown, readBody: BodyReader): FieldComparison =>
  (request) => {
    const sentBody = readBody(request)
    if (sentBody !== undefined) return compareValue('body', expectedBody, sentBody)
    if (!request.text) return [describeMissing('body', expectedBody)]
    return [describeDifferent(() => `body is not JSON, not ${formatValue(expectedBody)}`)]
  }

/** Compares a part of a request. An object must contain the expected fields. Other values must be equal. */
const compareValue = (path: string, expected: unknown, actual: unknown): Difference[] => {
  if (actual === undefined) return [describeMissing(path, expected)]
  if (!isRecord(expected))
    return isEqual(expected, actual)
      ? []
      : [describeDifferent(() => `${path} is ${formatValue(actual)}, not ${formatValue(expected)}`)]
  if (!isRecord(actual)) return [describeDifferent(() => `${path} is ${formatValue(actual)}, not an object`)]
  return Object.keys(expected).flatMap((key) => {
    const fieldPath = `${path}.${shorten(key, 40)}`
    return compareValue(fieldPath, expected[key], Object.hasOwn(actual, key) ? actual[key] : undefined)
  })
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a === b || (Array.isArray(a) && toSortedJson(a) === toSortedJson(b))

const formatValue = (value: unknown): string =>
  shorten(typeof value === 'string' ? `'${value}'` : JSON.stringify(value), 80)
