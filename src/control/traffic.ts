import { Refusal } from '../schema/error.ts'
import { Timestamp } from '../schema/field.ts'
import type { Entries } from '../schema/traffic.ts'
import type { ParsedVerification, Verified } from '../schema/verification.ts'
import type { QueryOf } from '../schema/verbs.ts'
import type { Following } from '../traffic/events.ts'
import type { Journal } from '../traffic/journal.ts'
import { createBodyReader, matches } from '../traffic/matching.ts'
import { entryOf, type Recorded } from '../traffic/record.ts'
import { verify } from '../traffic/verify.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { OnEnd } from '../traffic/waits.ts'
import { type Caller, type ControlOptions, type Handlers, list } from './task.ts'

type TrafficVerb =
  | 'listRequests'
  | 'forgetRequests'
  | 'retrieveRequest'
  | 'verifyRequests'
  | 'listViolations'
  | 'verifyViolations'
  | 'listAssumptions'
  | 'events'

/** What was called, what that relied on, and what happens. */
export const trafficVerbs = ({ traffic }: ControlOptions): Handlers<TrafficVerb> => {
  const { journal, findings, events } = traffic
  const follow = (caller: Caller, project?: string): Following => {
    refuseNoEvent(caller.lastEvent)
    return events.follow({ ...caller, project, after: caller.lastEvent })
  }
  return {
    listRequests: {
      one: ({ project, query }) => requests(journal, query, project),
      all: ({ query }) => requests(journal, query),
    },
    forgetRequests: {
      one: ({ project }) => journal.forget(project) as undefined,
      all: () => journal.forget() as undefined,
    },
    retrieveRequest: {
      one: ({ project, params }) => entryOf(journal.get(params.request!, project)),
      all: ({ params }) => entryOf(journal.get(params.request!)),
    },
    verifyRequests: {
      one: ({ project, body, onEnd }) => verified(traffic, body, onEnd, project),
      all: ({ body, onEnd }) => verified(traffic, body, onEnd),
    },
    listViolations: { one: ({ project }) => findings.violations(project), all: () => findings.violations() },
    verifyViolations: {
      one: ({ project }) => findings.verifyNoViolations(project),
      all: () => findings.verifyNoViolations(),
    },
    listAssumptions: {
      one: ({ project }) => list(findings.assumptions(project)),
      all: () => list(findings.assumptions()),
    },
    events: { one: (task) => follow(task, task.project), all: (task) => follow(task) },
  }
}

const refuseNoEvent = (id: number | undefined) => {
  if (id === undefined || (Number.isSafeInteger(id) && id >= 0)) return
  throw new Refusal('invalidQuery', `The last event must be named by its id, an integer from 0 (got ${id}).`, {
    status: 422,
  })
}

type Query = QueryOf<'listRequests'>

const requests = (journal: Journal, { since, limit = Infinity, ...match }: Query, project?: string): Entries => {
  const readBody = createBodyReader()
  const wanted = sinceOf(journal.list(project), since).filter((one) => matches(match, one, readBody))
  const items = wanted.slice(Math.max(0, wanted.length - limit))
  return { object: 'list', items: items.map(entryOf), dropped: journal.dropped(project) }
}

/** What came behind an entry, or at a time and later. */
const sinceOf = (entries: readonly Recorded[], since: string | undefined): readonly Recorded[] => {
  if (since === undefined) return entries
  const index = entries.findIndex(({ id }) => id === since)
  if (index !== -1) return entries.slice(index + 1)
  // Not what the engine takes for a date besides: that may be an id too.
  const time = Timestamp.safeParse(since)
  if (!time.success) {
    const message = `since must be the id of an entry, or an ISO 8601 time (got '${since.slice(0, 40)}').`
    throw new Refusal('invalidQuery', message, { details: [{ path: 'since', message }], status: 422 })
  }
  const from = Date.parse(time.data)
  return entries.filter(({ receivedAt }) => receivedAt >= from)
}

/** Waits until that is settled, or the time is up. */
const verified = async (
  { journal, waits }: Traffic,
  verification: ParsedVerification,
  onEnd: OnEnd,
  project?: string,
): Promise<Verified> => {
  const { within: milliseconds = 0, match = {}, sequence = [match] } = verification
  const readBody = createBodyReader()
  const look = () => verify({ journal, project, readBody }, verification)
  // Only an entry that it is about can settle it.
  const onSettled: OnEnd = (listener) =>
    journal.onAdd((recorded) => {
      if (sequence.some((one) => matches(one, recorded, readBody)) && look().settled) listener('gone')
    })
  if (milliseconds > 0 && !look().settled) await waits.wait({ milliseconds, onEnd: either(onSettled, onEnd) })
  const found = look()
  if (found.ok) return found.verified
  throw found.refusal()
}

const either =
  (...all: readonly OnEnd[]): OnEnd =>
  (listener) => {
    const forgets = all.map((onEnd) => onEnd(listener))
    return () => {
      for (const forget of forgets) forget()
    }
  }
