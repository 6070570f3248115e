import { errors, type MockError } from '../schema/error.ts'
import type { FailedVerification } from '../schema/errors/mock-errors.ts'
import type { Matcher } from '../schema/matcher.ts'
import { quote } from '../schema/problem.ts'
import { shorten } from '../schema/text.ts'
import type { NearMiss, ParsedVerification, Times, VerificationSuccess } from '../schema/verification.ts'
import { type Journal, getPath, type StoredRequest } from './journal.ts'
import { createBodyReader, type PreparedMatcher, prepareMatcher, redactMatcher } from './matching.ts'

export const prepareVerification = (
  journal: Journal,
  { match = {}, times, sequence }: ParsedVerification,
  project: string | undefined,
) => {
  const readBody = createBodyReader()
  const matchers = sequence ?? [match]
  const steps = matchers.map((matcher) => ({ matcher, ...prepareMatcher(matcher, readBody) }))
  const explainMatcher = (step: VerifiedMatcher) => explainNoRequests(journal, project, step)
  return {
    check: () => {
      const requests = journal.list(project)
      const dropped = journal.countDropped(project, matchers)
      return sequence === undefined
        ? verifyTimes(requests, dropped, steps[0]!, times, explainMatcher)
        : verifySequence(requests, dropped, steps, explainMatcher)
    },
    /** Only a request that matches a part of the expectation can change the result. */
    matchesAny: (request: StoredRequest): boolean => steps.some((step) => step.matches(request)),
  }
}

interface VerifiedMatcher extends PreparedMatcher {
  readonly matcher: Matcher
}

interface VerificationResult {
  /** Whether the result is final. A maximum can still be exceeded, unless it already is. */
  readonly isSettled: boolean
  /** Returns the success, or throws the failure. */
  verify(): VerificationSuccess
}

const verifyTimes = (
  requests: readonly StoredRequest[],
  dropped: number,
  step: VerifiedMatcher,
  times: Times = { atLeast: 1 },
  explain: Explain,
): VerificationResult => {
  const matchingRequests = requests.filter((entry) => step.matches(entry))
  const actual = matchingRequests.length
  const min = times.exactly ?? times.atLeast ?? 0
  const max = times.exactly ?? times.atMost ?? Infinity
  const isInBounds = actual >= min && actual <= max
  // Dropped requests may have matched, so the count is only a minimum.
  const isUnsure = dropped > 0 && actual <= max && (actual < min || max < Infinity)
  return {
    // Assumed: a reached minimum is final. Without a minimum, a call waits for the whole time, in case more requests come.
    isSettled: actual > max || (isInBounds && (isUnsure || min > 0)),
    verify: () => {
      if (isInBounds && !isUnsure) return { ok: true, expected: times, actual }
      const isAboveMax = actual > max
      const claim = `${formatMatcher(step.matcher)} was expected ${formatTimes(times)} and was seen ${formatOccurrences(actual)}${isAboveMax ? `: ${formatRequests(matchingRequests)}` : ''}`
      const nearMisses = isAboveMax ? [] : findNearMisses(step, requests)
      const failure = { claim, expected: times, actual, nearMisses, hint: explain(step) }
      throw createFailure(failure, isUnsure ? dropped : 0)
    },
  }
}

const verifySequence = (
  requests: readonly StoredRequest[],
  dropped: number,
  steps: readonly VerifiedMatcher[],
  explain: Explain,
): VerificationResult => {
  let actual = 0
  for (const entry of requests) if (steps[actual]?.matches(entry)) actual++
  const expected = { sequence: steps.length }
  const missingStep = steps[actual]
  return {
    isSettled: missingStep === undefined,
    verify: () => {
      if (missingStep === undefined) return { ok: true, expected, actual }
      const claim = `Step ${actual + 1} of ${steps.length}, ${formatMatcher(missingStep.matcher)}, was not seen${actual === 0 ? '' : ' after the previous steps'}`
      const nearMisses = findNearMisses(missingStep, requests)
      throw createFailure({ claim, expected, actual, nearMisses, hint: explain(missingStep) }, dropped)
    },
  }
}

type Explain = (step: VerifiedMatcher) => string | undefined

/** If the project received no request at all, names the projects that received matching requests. */
const explainNoRequests = (journal: Journal, project: string | undefined, step: VerifiedMatcher) => {
  if (project === undefined || journal.list(project).length > 0) return undefined
  const matchingRequests = journal.list().filter((entry) => entry.project !== '' && step.matches(entry))
  const names = [...new Set(matchingRequests.map((entry) => entry.project))].slice(0, 3).map(quote)
  const otherProjects = names.length === 0 ? '' : ` Projects with matching requests: ${names.join(', ')}.`
  return `Project ${quote(project)} received no request.${otherProjects}`
}

const createFailure = (failure: FailedVerification, dropped: number): MockError =>
  dropped > 0 ? errors.journalTruncated(failure, dropped) : errors.verificationFailed(failure)

/** Finds the requests with the fewest differences, the newest first among equals. */
const findNearMisses = (step: VerifiedMatcher, requests: readonly StoredRequest[]): NearMiss[] =>
  requests
    .map((entry) => {
      const differences = step.findDifferences(entry)
      const { operation = entry.operation } = step.matcher
      // Another operation is farther away than any difference within the same operation.
      const distance = operation === entry.operation ? 0 : 20
      return { entry, differences, distance: differences.reduce((sum, one) => sum + (one.isMissing ? 2 : 1), distance) }
    })
    .filter(({ differences }) => differences.length > 0)
    .slice(-1000)
    .toReversed()
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map(({ entry, differences }) => ({
      id: entry.id,
      method: entry.method,
      path: shorten(getPath(entry), 200),
      status: entry.status ?? null,
      differences: differences.map(({ describe }) => shorten(describe(), 200)),
    }))

const formatTimes = ({ exactly, atLeast, atMost }: Times): string => {
  if (exactly !== undefined) return exactly === 0 ? 'never' : `exactly ${formatOccurrences(exactly)}`
  return [
    ...(atLeast === undefined ? [] : [`at least ${formatOccurrences(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${formatOccurrences(atMost)}`]),
  ].join(' and ')
}

const formatRequests = (requests: readonly StoredRequest[]): string => {
  const shownRequests = requests
    .slice(0, 3)
    .map((request) => `${request.method} ${shorten(getPath(request), 100)} (${request.status ?? 'no response'})`)
  return `${shownRequests.join(', ')}${requests.length > 3 ? ` and ${requests.length - 3} more` : ''}`
}

const formatOccurrences = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const formatMatcher = (matcher: Matcher): string => {
  const { operation, method, path, ...otherFields } = redactMatcher(matcher)
  const requestName = operation ?? ([method, path].filter((part) => part !== undefined).join(' ') || 'A request')
  const matcherDetails = JSON.stringify(otherFields)
  return shorten(matcherDetails === '{}' ? requestName : `${requestName} with ${matcherDetails}`, 300)
}
