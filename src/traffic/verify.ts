import { MockError } from '../schema/error.ts'
import type { Matcher } from '../schema/matcher.ts'
import type { NearMiss, ParsedVerification, Times, Verified } from '../schema/verification.ts'
import type { Journal } from './journal.ts'
import { shortened } from '../schema/problem.ts'
import { type BodyReader, differencesOf, matches, withoutSecrets } from './matching.ts'
import { pathOf, type Recorded } from './record.ts'

/** The result of one verification of the journal. */
export interface Finding {
  readonly ok: boolean
  /** Whether waiting cannot change the result. A maximum can still be exceeded, unless it already is. */
  readonly settled: boolean
  readonly verified: Verified
  /** The error, if nothing changes. */
  refusal(): MockError
}

/** Where to look: a journal, of one project or of all, and how to read the bodies in it. */
interface Place {
  readonly journal: Journal
  readonly project: string | undefined
  readonly readBody: BodyReader
}

/** Looks whether the journal has what was to be verified. */
export const verify = (place: Place, verification: ParsedVerification): Finding =>
  verification.sequence === undefined ? verifyTimes(place, verification) : verifySequence(place, verification.sequence)

const verifyTimes = (
  { journal, project, readBody }: Place,
  { match = {}, times = { atLeast: 1 } }: ParsedVerification,
): Finding => {
  const entries = journal.list(project)
  const actual = entries.filter((entry) => matches(match, entry, readBody)).length
  const { least, most } = bounds(times)
  const counted = actual >= least && actual <= most
  // Dropped requests may have matched, so the count is only a minimum.
  const unsure = journal.dropped(project) > 0 && actual <= most && (actual < least || most < Infinity)
  return {
    ok: counted && !unsure,
    // Waiting brings back no entry that is gone. Assumed: who expects a least number has it when it is there; who names
    // none can only have meant to watch that no more comes.
    settled: actual > most || (counted && (unsure || least > 0)),
    verified: { ok: true, expected: times, actual },
    refusal: () => {
      const what = `${textOf(match)} was expected ${timesText(times)} and was seen ${countText(actual)}`
      const facts = { expected: times, actual, nearMisses: actual > most ? [] : nearMisses(match, entries, readBody) }
      return refusal(what, facts, unsure ? journal.dropped(project) : 0)
    },
  }
}

const verifySequence = ({ journal, project, readBody }: Place, sequence: readonly Matcher[]): Finding => {
  const entries = journal.list(project)
  let actual = 0
  for (const entry of entries) if (actual < sequence.length && matches(sequence[actual]!, entry, readBody)) actual++
  const expected = { sequence: sequence.length }
  const ok = actual === sequence.length
  return {
    ok,
    settled: ok,
    verified: { ok: true, expected, actual },
    refusal: () => {
      const missing = sequence[actual]!
      const what = `Step ${actual + 1} of ${sequence.length}, ${textOf(missing)}, was not seen ${actual === 0 ? 'at all' : 'after the steps in front of it'}`
      return refusal(
        what,
        { expected, actual, nearMisses: nearMisses(missing, entries, readBody) },
        journal.dropped(project),
      )
    },
  }
}

interface Facts {
  readonly expected: object
  readonly actual: number
  readonly nearMisses: readonly NearMiss[]
}

const refusal = (what: string, facts: Facts, dropped: number): MockError => {
  if (dropped > 0)
    return new MockError('journalTruncated', `${what}, but ${dropped} older entries are there no more.`, {
      hint: 'Raise --journal-size, or forget the requests before the part that is verified.',
      facts: { ...facts },
    })
  const [nearest] = facts.nearMisses
  return new MockError('verificationFailed', `${what}.`, {
    hint:
      nearest === undefined
        ? undefined
        : `Nearest to it: ${nearest.method} ${shortened(nearest.path, 100)} (${nearest.status ?? 'no answer'}), where ${nearest.differences.join('; ')}.`,
    facts: { ...facts },
  })
}

/** The requests that differ least, the newest of them first. */
const nearMisses = (matcher: Matcher, entries: readonly Recorded[], readBody: BodyReader): NearMiss[] =>
  entries
    .filter((entry) => !matches(matcher, entry, readBody))
    .slice(-1000)
    .map((entry) => ({ entry, differences: differencesOf(matcher, entry, readBody) }))
    .toReversed()
    .toSorted((a, b) => weight(matcher, a) - weight(matcher, b))
    .slice(0, 5)
    .map(({ entry, differences }) => ({
      id: entry.id,
      method: entry.method,
      path: shortened(pathOf(entry), 200),
      status: entry.status ?? null,
      differences,
    }))

interface Candidate {
  readonly entry: Recorded
  readonly differences: readonly string[]
}

// Another operation is farther away than any difference within the same operation.
const weight = ({ operation }: Matcher, { entry, differences }: Candidate): number =>
  differences.length + (operation !== undefined && operation !== entry.operation ? 10 : 0)

const bounds = ({ exactly, atLeast, atMost }: Times) => ({
  least: exactly ?? atLeast ?? 0,
  most: exactly ?? atMost ?? Infinity,
})

const timesText = ({ exactly, atLeast, atMost }: Times): string => {
  if (exactly !== undefined) return exactly === 0 ? 'never' : `exactly ${countText(exactly)}`
  return [
    ...(atLeast === undefined ? [] : [`at least ${countText(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${countText(atMost)}`]),
  ].join(' and ')
}

const countText = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const textOf = (matcher: Matcher): string => {
  const { operation, method, path, ...rest } = withoutSecrets(matcher)
  const name = operation ?? ([method, path].filter((part) => part !== undefined).join(' ') || 'A request')
  const details = JSON.stringify(rest)
  return shortened(details === '{}' ? name : `${name} with ${details}`, 300)
}
