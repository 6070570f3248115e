import { MockError } from '../schema/error.ts'
import type { Matcher } from '../schema/matcher.ts'
import { pluralize } from '../schema/problem.ts'
import { shorten } from '../schema/text.ts'
import type { NearMiss, ParsedVerification, Times, VerificationSuccess } from '../schema/verification.ts'
import type { Journal } from './journal.ts'
import { type BodyReader, findDifferences, matches, redactMatcher } from './matching.ts'
import { getPath, type StoredRequest } from './record.ts'

/** The result of one verification of the journal. */
export interface VerificationResult {
  readonly ok: boolean
  /** Whether the result is final. A maximum can still be exceeded, unless it already is. */
  readonly isSettled: boolean
  readonly verified: VerificationSuccess
  /** Returns the error of a failed verification. */
  createError(): MockError
}

/** The journal to verify, of one project or of all. */
interface Scope {
  readonly journal: Journal
  readonly project: string | undefined
  readonly readBody: BodyReader
}

/** Compares the journal with an expectation. */
export const verify = (scope: Scope, verification: ParsedVerification): VerificationResult =>
  verification.sequence === undefined ? verifyTimes(scope, verification) : verifySequence(scope, verification.sequence)

const verifyTimes = (
  { journal, project, readBody }: Scope,
  { match = {}, times = { atLeast: 1 } }: ParsedVerification,
): VerificationResult => {
  const entries = journal.list(project)
  const actual = entries.filter((entry) => matches(match, entry, readBody)).length
  const { min, max } = getBounds(times)
  const isInBounds = actual >= min && actual <= max
  // Dropped requests may have matched, so the count is only a minimum.
  const isUnsure = journal.countDropped(project) > 0 && actual <= max && (actual < min || max < Infinity)
  return {
    ok: isInBounds && !isUnsure,
    // Assumed: a reached minimum is final. Without a minimum, a call waits for the whole time, in case more requests come.
    isSettled: actual > max || (isInBounds && (isUnsure || min > 0)),
    verified: { ok: true, expected: times, actual },
    createError: () => {
      const message = `${formatMatcher(match)} was expected ${formatTimes(times)} and was seen ${formatCount(actual)}`
      const facts = {
        expected: times,
        actual,
        nearMisses: actual > max ? [] : findNearMisses(match, entries, readBody),
      }
      return createFailure(message, facts, isUnsure ? journal.countDropped(project) : 0)
    },
  }
}

const verifySequence = ({ journal, project, readBody }: Scope, sequence: readonly Matcher[]): VerificationResult => {
  const entries = journal.list(project)
  let actual = 0
  for (const entry of entries) {
    const step = sequence[actual]
    if (step !== undefined && matches(step, entry, readBody)) actual++
  }
  const expected = { sequence: sequence.length }
  const missing = sequence[actual]
  const ok = missing === undefined
  return {
    ok,
    isSettled: ok,
    verified: { ok: true, expected, actual },
    createError: () => {
      const step = missing ?? {}
      const message = `Step ${actual + 1} of ${sequence.length}, ${formatMatcher(step)}, was not seen${actual === 0 ? '' : ' after the previous steps'}`
      const facts = { expected, actual, nearMisses: findNearMisses(step, entries, readBody) }
      return createFailure(message, facts, journal.countDropped(project))
    },
  }
}

interface Facts {
  readonly expected: object
  readonly actual: number
  readonly nearMisses: readonly NearMiss[]
}

const createFailure = (message: string, facts: Facts, dropped: number): MockError => {
  if (dropped > 0)
    return new MockError(
      'journalTruncated',
      `${message}, but ${pluralize(dropped, 'older request')} ${dropped === 1 ? 'was' : 'were'} dropped.`,
      {
        hint: 'Raise --journal-size, or clear the requests before the part to verify.',
        facts: { ...facts },
      },
    )
  // In the message, because some test runners print nothing else.
  return new MockError('verificationFailed', `${message}.${formatNearest(facts.nearMisses)}`, { facts: { ...facts } })
}

const formatNearest = ([nearest]: readonly NearMiss[]): string =>
  nearest === undefined
    ? ''
    : ` The nearest request: ${nearest.method} ${shorten(nearest.path, 100)} (${nearest.status ?? 'no response'}), where ${nearest.differences.join('; ')}.`

/** Finds the requests with the fewest differences, the newest first. */
const findNearMisses = (matcher: Matcher, entries: readonly StoredRequest[], readBody: BodyReader): NearMiss[] =>
  entries
    .filter((entry) => !matches(matcher, entry, readBody))
    .slice(-1000)
    .map((entry) => ({ entry, differences: findDifferences(matcher, entry, readBody) }))
    .toReversed()
    .toSorted((a, b) => getWeight(matcher, a) - getWeight(matcher, b))
    .slice(0, 5)
    .map(({ entry, differences }) => ({
      id: entry.id,
      method: entry.method,
      path: shorten(getPath(entry), 200),
      status: entry.status ?? null,
      differences,
    }))

interface Candidate {
  readonly entry: StoredRequest
  readonly differences: readonly string[]
}

// Another operation is farther away than any difference within the same operation.
const getWeight = ({ operation }: Matcher, { entry, differences }: Candidate): number =>
  differences.length + (operation !== undefined && operation !== entry.operation ? 10 : 0)

const getBounds = ({ exactly, atLeast, atMost }: Times) => ({
  min: exactly ?? atLeast ?? 0,
  max: exactly ?? atMost ?? Infinity,
})

const formatTimes = ({ exactly, atLeast, atMost }: Times): string => {
  if (exactly !== undefined) return exactly === 0 ? 'never' : `exactly ${formatCount(exactly)}`
  return [
    ...(atLeast === undefined ? [] : [`at least ${formatCount(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${formatCount(atMost)}`]),
  ].join(' and ')
}

const formatCount = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const formatMatcher = (matcher: Matcher): string => {
  const { operation, method, path, ...rest } = redactMatcher(matcher)
  const name = operation ?? ([method, path].filter((part) => part !== undefined).join(' ') || 'A request')
  const details = JSON.stringify(rest)
  return shorten(details === '{}' ? name : `${name} with ${details}`, 300)
}
