import * as z from 'zod/mini'
import { errors, invalidControlQuery, type MockError } from '../schema/error.ts'
import { Timestamp } from '../schema/field.ts'
import { buildUnpagedListSchema, createUnpagedList, integerParameter, optionalLimit } from '../schema/list.ts'
import { isOfProject, type Matcher, PathPattern } from '../schema/matcher.ts'
import { Method, OperationId } from '../schema/operation-routes.ts'
import { type Problem, quote } from '../schema/problem.ts'
import { Assumption, RecordedRequest, RecordedRequests, Violations } from '../schema/recorded-request.ts'
import { Coverage } from '../schema/summaries.ts'
import { Verification, VerificationSuccess } from '../schema/verification.ts'
import { described, documentation } from '../schema/zod-helpers.ts'
import { type StoredRequest, toRecordedRequest } from '../traffic/journal.ts'
import { prepareMatcher } from '../traffic/matching.ts'
import { prepareVerification } from '../traffic/verify-journal.ts'
import { formatCoverageAsCurl } from '../openapi/curl.ts'
import { defineCommand } from './command.ts'

const JournalQuery = z.object({
  operation: described(z.optional(OperationId), 'Only requests to this operation.'),
  method: described(z.optional(Method), 'Only requests with this method.'),
  path: described(z.optional(PathPattern), 'Only requests to this path; `*` matches one segment.'),
  project: described(z.optional(z.string()), 'Only requests to this project.'),
  status: integerParameter(/^[1-5]\d\d$/, 'must be a status such as 409', {
    description: 'Only requests with this response status.',
    minimum: 100,
    maximum: 599,
  }),
  since: z.optional(z.string()).register(documentation, {
    description: 'Only requests after the one with this id, or received at this ISO 8601 time or later.',
    pattern: '^req_\\w+$|^\\d{4}-.*Z$',
    minLength: 1,
  }),
  limit: optionalLimit('The maximum number of requests. The newest are returned. Default: all.'),
})

export const requestCommands = {
  listRequests: defineCommand('both', 'GET', '/requests', 'List recorded requests', {
    description: 'The oldest request comes first.',
    query: JournalQuery,
    response: RecordedRequests,
  }).handle(({ traffic: { journal } }, { project, query: { since, limit = Infinity, ...match } }) => {
    if (project !== undefined) rejectOtherProject(match, project, '', createQueryError)
    const matcher = prepareMatcher(match)
    const matchingRequests = filterSince(journal.list(project), since).filter((request) => matcher.matches(request))
    const newestRequests = matchingRequests.slice(Math.max(0, matchingRequests.length - limit))
    return {
      object: 'list',
      items: newestRequests.map(toRecordedRequest),
      dropped: journal.countDropped(project, [match]),
    }
  }),

  clearRequests: defineCommand('both', 'DELETE', '/requests', 'Clear the journal').handle(({ traffic }, { project }) =>
    traffic.journal.clear(project),
  ),

  retrieveRequest: defineCommand('both', 'GET', '/requests/{request}', 'Retrieve a recorded request', {
    response: RecordedRequest,
  }).handle(({ traffic }, { project, params }) => toRecordedRequest(traffic.journal.get(params.request, project))),

  verifyRequests: defineCommand('both', 'POST', '/requests/verify', 'Verify requests', {
    description: 'Responds with 409 if the verification fails, after waiting up to `within` milliseconds.',
    body: Verification,
    response: VerificationSuccess,
    errors: ['verificationFailed', 'journalTruncated'],
    examples: {
      times: { summary: 'One request', value: { match: { operation: 'createUser' }, times: { exactly: 1 } } },
      within: { summary: 'Wait for a request', value: { match: { operation: 'createPaymentLink' }, within: 2000 } },
      sequence: {
        summary: 'Two requests in this order',
        value: { sequence: [{ operation: 'createUser' }, { operation: 'createPaymentLink' }] },
      },
    },
  }).handle(async ({ traffic: { journal, waits } }, { project, body, onEnd }) => {
    const { within: milliseconds = 0, match = {}, sequence } = body
    if (project !== undefined)
      for (const [index, matchStep] of (sequence ?? [match]).entries())
        rejectOtherProject(matchStep, project, sequence ? `sequence[${index}].` : 'match.', createBodyError)
    const { matchesAny, check } = prepareVerification(journal, body, project)
    // Only a matching request can settle the result.
    const onMatchingRequest = (endWait: () => void) =>
      journal.onAdd((request) => {
        if (matchesAny(request) && check().isSettled) endWait()
      })
    const mustWait = milliseconds > 0 && !check().isSettled
    if (mustWait && (await waits.wait({ milliseconds, onEnd, until: onMatchingRequest })) === 'stopped')
      throw errors.shuttingDown()
    return check().verify()
  }),

  listViolations: defineCommand('both', 'GET', '/violations', 'List violations', {
    description: 'Requests that violate the specification, even if the mock accepted them.',
    response: Violations,
  }).handle(({ traffic }, { project }) => traffic.diagnostics.listViolations(project)),

  verifyViolations: defineCommand('both', 'POST', '/violations/verify', 'Verify that there are no violations', {
    description: 'Responds with 409 if there are any.',
    response: Violations,
    errors: ['violationsFound'],
  }).handle(({ traffic }, { project }) => traffic.diagnostics.verifyNoViolations(project)),

  listAssumptions: defineCommand('both', 'GET', '/assumptions', 'List assumptions', {
    description: 'The behaviors that responses relied on.',
    response: buildUnpagedListSchema(Assumption),
  }).handle(({ traffic }, { project }) => createUnpagedList(traffic.diagnostics.listAssumptions(project))),

  readCoverage: defineCommand('both', 'GET', '/coverage', 'Read the coverage', {
    description:
      'The situations that clients were shown, and those that they never were. A reset of all projects clears the counts.',
    query: z.object({ format: described(z.optional(z.enum(['json', 'text'])), 'Default: `json`.') }),
    response: Coverage,
    text: z.string(),
  }).handle(({ store, traffic }, { project, query, address }) => {
    const coverage = traffic.coverage.read(project)
    if (query.format !== 'text') return coverage
    const { mockUrl, needsAdminToken } = address ?? { mockUrl: 'http://mock', needsAdminToken: false }
    const coverageProject = project ?? store.projects.listNames(1)[0] ?? 'acme'
    return formatCoverageAsCurl(coverage, { mockUrl, project: coverageProject, needsAdminToken })
  }),

  clearCoverage: defineCommand('both', 'DELETE', '/coverage', 'Clear the coverage').handle(({ traffic }, { project }) =>
    traffic.coverage.clear(project),
  ),
}

/** Rejects a matcher for another project, which would match nothing. @param prefix its path in the call, such as `match.` */
export const rejectOtherProject = (
  matcher: Pick<Matcher, 'project' | 'path'>,
  project: string,
  prefix: string,
  createError: (problems: Problem[]) => MockError,
): void => {
  const rejectMatcher = (matchField: 'project' | 'path', expectation: string) => {
    const path = `${prefix}${matchField}`
    const message = `${path} ${expectation}, because the call is for that project (got ${quote(matcher[matchField])}).`
    throw createError([{ path, message }])
  }
  if (matcher.project !== undefined && matcher.project !== project)
    rejectMatcher('project', `must be '${project}' or omitted`)
  if (matcher.path !== undefined && !isOfProject(matcher.path, project))
    rejectMatcher('path', `must be a path of project '${project}', or have '*' as its project`)
}

export const createBodyError = (problems: Problem[]): MockError =>
  errors.invalidBody({ what: 'The request body', problems })

const createQueryError = (problems: Problem[]) => invalidControlQuery({ what: 'The query', problems })

const filterSince = (requests: readonly StoredRequest[], since: string | undefined): readonly StoredRequest[] => {
  if (since === undefined) return requests
  const sinceIndex = requests.findIndex(({ id }) => id === since)
  if (sinceIndex !== -1) return requests.slice(sinceIndex + 1)
  // Stricter than `Date.parse`, which accepts texts that may be ids.
  const sinceTime = Timestamp.safeParse(since)
  if (!sinceTime.success) {
    const message = `since must be the id of a request, or an ISO 8601 time (got ${quote(since)}).`
    throw createQueryError([{ path: 'since', message }])
  }
  const earliestTime = Date.parse(sinceTime.data)
  return requests.filter(({ receivedAt }) => receivedAt >= earliestTime)
}
