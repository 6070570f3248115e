import { formatCoverage } from '../schema/coverage-text.ts'
import { errors, invalidControlQuery, type MockError } from '../schema/error.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import { Timestamp } from '../schema/field.ts'
import { createUnpagedList } from '../schema/list.ts'
import { isOfProject } from '../schema/matcher.ts'
import { pluralize, quote } from '../schema/problem.ts'
import type { ParsedCall, CommandQuery } from '../schema/command.ts'
import type { RecordedRequests } from '../schema/recorded-request.ts'
import type { trafficCommands } from '../schema/commands/traffic-definitions.ts'
import type { ParsedVerification, VerificationSuccess } from '../schema/verification.ts'
import { type Journal, toRecordedRequest, type StoredRequest } from '../traffic/journal.ts'
import { requireHold } from '../traffic/faults.ts'
import { createBodyReader, prepareMatcher } from '../traffic/matching.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { prepareVerification } from '../traffic/verify.ts'
import type { OnEnd } from '../traffic/pending-delays.ts'
import { createReport, formatReport } from './report.ts'
import type { ControlOptions, Handlers } from './handlers.ts'

/** Creates the handlers of recorded requests, diagnostics, faults and events. */
export const createTrafficHandlers = (options: ControlOptions): Handlers<keyof typeof trafficCommands> => {
  const { store, traffic } = options
  const { journal, diagnostics, coverage, faults, events } = traffic
  return {
    listRequests: ({ project, query }) => listRecordedRequests(journal, query, project),
    clearRequests: ({ project }) => journal.clear(project),
    retrieveRequest: ({ project, params }) => toRecordedRequest(journal.get(params.request, project)),
    verifyRequests: ({ project, body, onEnd }) => waitAndVerify(traffic, body, onEnd, project),

    listViolations: ({ project }) => diagnostics.listViolations(project),
    verifyViolations: ({ project }) => diagnostics.verifyNoViolations(project),
    listAssumptions: ({ project }) => createUnpagedList(diagnostics.listAssumptions(project)),

    readCoverage: ({ project, query }) =>
      query.format === 'text' ? formatCoverage(coverage.read(project)) : coverage.read(project),
    clearCoverage: ({ project }) => coverage.clear(project),

    listFaults: ({ project }) => createUnpagedList(faults.list(project)),
    addFault: ({ project, body }) => {
      if (project !== undefined) {
        rejectOtherProject(body, project)
        store.projects.ensure(project)
      }
      return faults.add(body, project)
    },
    removeFaults: ({ project }) => faults.removeAll(project),
    retrieveFault: ({ project, params }) => faults.get(params.fault, project),
    removeFault: ({ project, params }) => faults.remove(params.fault, project),
    releaseFault: ({ project, params, body }) => faults.release(params.fault, body?.count, project),
    waitForHeld: (call) => waitForHeld(traffic, call),

    report: (call) => (call.query.format === 'json' ? createReport : formatReport)(options, call),
    events: ({ project, lastEvent, onEnd, onBehind }) => {
      rejectInvalidEvent(lastEvent)
      return events.follow({ project, after: lastEvent, onEnd, ...(onBehind && { onBehind }) })
    },
  }
}

/** The event id comes from the library or from `Last-Event-ID`, which no schema checks. */
const rejectInvalidEvent = (id: number | undefined) => {
  if (id === undefined || (Number.isSafeInteger(id) && id >= 0)) return
  throw invalidControlQuery({ message: `The id of the last event must be an integer from 0 (got ${id}).` })
}

// A fault of one project that matches only another project would never apply.
const rejectOtherProject = ({ match }: FaultRule, project: string) => {
  if (match?.project !== undefined && match.project !== project)
    throw createProjectError('match.project', `must be '${project}' or omitted`, match.project)
  if (match?.path !== undefined && !isOfProject(match.path, project))
    throw createProjectError(
      'match.path',
      `must be a path of project '${project}', or have '*' as its project`,
      match.path,
    )
}

const createProjectError = (path: string, expectation: string, got: string): MockError => {
  const message = `${path} ${expectation}, because the fault is for that project (got ${quote(got)}).`
  return errors.invalidBody({ what: 'The request body', problems: [{ path, message }] })
}

const listRecordedRequests = (
  journal: Journal,
  { since, limit = Infinity, ...match }: CommandQuery<'listRequests'>,
  project?: string,
): RecordedRequests => {
  const readBody = createBodyReader()
  const matcher = prepareMatcher(match)
  const wanted = filterSince(journal.list(project), since).filter((one) => matcher.matches(one, readBody))
  const items = wanted.slice(Math.max(0, wanted.length - limit))
  return { object: 'list', items: items.map(toRecordedRequest), dropped: journal.countDropped(project) }
}

/** Returns the requests after the one with this id, or received at this time or later. */
const filterSince = (entries: readonly StoredRequest[], since: string | undefined): readonly StoredRequest[] => {
  if (since === undefined) return entries
  const index = entries.findIndex(({ id }) => id === since)
  if (index !== -1) return entries.slice(index + 1)
  // Stricter than `Date.parse`, which accepts texts that may be ids.
  const time = Timestamp.safeParse(since)
  if (!time.success) {
    const message = `since must be the id of a request, or an ISO 8601 time (got ${quote(since)}).`
    throw invalidControlQuery({ what: 'The query', problems: [{ path: 'since', message }] })
  }
  const from = Date.parse(time.data)
  return entries.filter(({ receivedAt }) => receivedAt >= from)
}

/** Waits until the result is settled or `within` is over, then verifies. */
const waitAndVerify = async (
  { journal, waits }: Traffic,
  verification: ParsedVerification,
  onEnd: OnEnd,
  project?: string,
): Promise<VerificationSuccess> => {
  const { within: milliseconds = 0 } = verification
  const { matchesAny, check } = prepareVerification(journal, verification, project)
  // Only a matching entry can settle the result.
  const until = (settle: () => void) =>
    journal.onAdd((request) => {
      if (matchesAny(request) && check().isSettled) settle()
    })
  if (milliseconds > 0 && !check().isSettled) await waits.wait({ milliseconds, onEnd, until })
  const result = check()
  if (result.ok) return result.verified
  throw result.createError()
}

/** Waits until a fault holds enough requests, or `within` is over. */
const waitForHeld = async (
  { faults, waits }: Traffic,
  { project, params, body = {}, onEnd }: ParsedCall<'waitForHeld'> & { readonly onEnd: OnEnd },
): Promise<Fault> => {
  const { held: wanted = 1, within = 2000 } = body
  const { fault: id } = params
  requireHold(faults.get(id, project))
  const isEnough = () => waits.countHeld(id) >= wanted
  const until = (settle: () => void) => waits.onHeld(() => isEnough() && settle())
  if (!isEnough()) await waits.wait({ milliseconds: within, onEnd, until })
  const fault = faults.get(id, project)
  const actual = waits.countHeld(id)
  if (actual >= wanted) return fault
  const claim = `Fault '${id}' was expected to hold at least ${pluralize(wanted, 'request')} and holds ${actual}`
  throw errors.verificationFailed({ claim, expected: { atLeast: wanted }, actual, nearMisses: [] })
}
