import type { MockEvent } from '../schema/event.ts'
import { Refusal } from '../schema/error.ts'
import type { Entries } from '../schema/traffic.ts'
import type { Verification, Verified } from '../schema/verification.ts'
import type { Journal } from '../traffic/journal.ts'
import { matches } from '../traffic/matching.ts'
import { entryOf, type Recorded } from '../traffic/record.ts'
import { verify } from '../traffic/verify.ts'
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
  const follow = (caller: Caller, project?: string): AsyncIterable<MockEvent> =>
    events.follow({ ...caller, project, after: caller.lastEvent })
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
      one: ({ project, body, onEnd }) => verified(journal, body, onEnd, project),
      all: ({ body, onEnd }) => verified(journal, body, onEnd),
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

interface Query {
  readonly operation?: Recorded['operation']
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly project?: string | undefined
  readonly status?: number | undefined
  readonly since?: string | undefined
  readonly limit?: number | undefined
}

const requests = (journal: Journal, { since, limit, ...match }: Query, project?: string): Entries => {
  const wanted = sinceOf(journal.list(project), since).filter((one) => matches(match as object, one))
  const items = limit === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - limit))
  return { object: 'list', items: items.map(entryOf), dropped: journal.dropped(project) }
}

/** What came behind an entry, or at a time and later. */
const sinceOf = (entries: readonly Recorded[], since: string | undefined): readonly Recorded[] => {
  if (since === undefined) return entries
  const index = entries.findIndex(({ id }) => id === since)
  if (index !== -1) return entries.slice(index + 1)
  const time = Date.parse(since)
  if (Number.isNaN(time)) {
    const message = `since must be the id of an entry, or an ISO 8601 time (got '${since.slice(0, 40)}').`
    throw new Refusal('invalidQuery', message, { details: [{ path: 'since', message }], status: 422 })
  }
  return entries.filter(({ receivedAt }) => receivedAt >= time)
}

/** Waits until it is so, until it cannot be so any more, or until the time is up. */
const verified = (journal: Journal, verification: Verification, onEnd: OnEnd, project?: string): Promise<Verified> =>
  new Promise((resolve, reject) => {
    const { within = 0 } = verification
    const look = () => verify(journal, verification, project)
    const settle = (finding: ReturnType<typeof look>) =>
      finding.ok ? resolve(finding.verified) : reject(finding.refusal())
    const first = look()
    if (first.ok || first.final || within === 0) return settle(first)

    const end = () => {
      clearTimeout(timer)
      forget()
      stopWaiting()
      settle(look())
    }
    const timer = setTimeout(end, within)
    const forget = journal.onAdd(() => {
      const finding = look()
      if (finding.ok || finding.final) end()
    })
    const stopWaiting = onEnd(end)
  })
