import { Hono } from 'hono'
import { getRawHeaders, readText, send } from '../http/transport.ts'
import { toMockError } from '../http/respond.ts'
import { toHonoPath } from '../openapi/route.ts'
import { findShown } from './coverage-situations.ts'
import type { Operation } from './operation.ts'
import { Notes, type OnOutcome, type RequestOutcome, sortBehaviors } from './outcome.ts'
import { type ApiContext, type ApiEnv, type ApiRequest, isCurrentState, receiveRequest } from './request.ts'
import { createStages, rejectPath, type RunStages } from './request-stages.ts'
import { addHeaders } from './response-headers.ts'
import { catchErrors } from './stage-errors.ts'
import { type Deliver, matchFault, withDuplicate, withFault } from './with-fault.ts'

export const createApi = (operations: readonly Operation[]): Hono<ApiEnv> => {
  const app = new Hono<ApiEnv>()
  for (const operation of operations)
    app.on(operation.method, toHonoPath(operation.path), createRouteHandler(createStages(operation), operation))
  for (const path of ['/projects/:project/*', '/projects/*']) app.all(path, createRouteHandler(rejectPath))
  return app
}

/** The body is read first, so that all later stages are synchronous and each request is atomic. Only faults wait. */
export const createRouteHandler = (runStages: RunStages, operation?: Operation) => {
  const deliver = createDeliver(runStages)
  return (c: ApiContext): Response | Promise<Response> => {
    const request = receiveRequest(c, operation)
    const onOutcome = c.env.onArrival?.(request)
    // A GET has no body to wait for.
    if (c.req.method === 'GET') return respond(request, deliver, onOutcome)
    return readText(c, request.options.bodyLimit)
      .then(
        (text) => ({ text: text || undefined, error: undefined }),
        (error: unknown) => ({ text: undefined, error: toMockError(error, request.options) }),
      )
      .then((body) => respond({ ...request, body }, deliver, onOutcome))
  }
}

const respond = (request: ApiRequest, deliver: Deliver, onOutcome?: OnOutcome): Response | Promise<Response> => {
  const { applied, rateLimit } = matchFault(request)
  const recordOutcome = (outcome: RequestOutcome, superseded = false): void => {
    addHeaders(outcome, rateLimit)
    record(request, outcome, superseded)
  }
  const sendOutcome = (outcome: RequestOutcome): Response => {
    recordOutcome(outcome)
    onOutcome?.(outcome)
    return send(request.c, outcome.response, outcome.fault?.broken)
  }
  if (applied === undefined) return sendOutcome(deliver(request))
  const recordFirst = (outcome: RequestOutcome) => recordOutcome(outcome, true)
  const deliverOnceOrTwice = applied.rule.effect.duplicate ? withDuplicate(applied, deliver, recordFirst) : deliver
  return withFault(request, { applied, rateLimit }, deliverOnceOrTwice).then(sendOutcome)
}

const createDeliver =
  (runStages: RunStages): Deliver =>
  (request, faultPast) => {
    const notes = new Notes(request.behaviors, faultPast)
    const { status, headers, text, error, shown } = catchErrors(request, notes, () => runStages(request, notes))
    ensureProject(request, status)
    const { changes, violations, past } = notes
    const assumed = sortBehaviors(notes.assumed)
    const response = { status, headers, text }
    return { id: request.id, response, error, shown, changes, assumed, violations, past, fault: undefined }
  }

// After these errors an unknown project is not created: its name may be misspelled.
const leaveProjectUnknown = new Set([401, 403, 404])

const ensureProject = (request: ApiRequest, status: number): void => {
  const { project, operation, behaviors, options } = request
  if (operation === undefined || leaveProjectUnknown.has(status) || behaviors.unknownProject === 'notFound') return
  // A request that began before a deletion must not create the project again.
  if (isCurrentState(request) && options.store.projects.ensure(project)) options.onProjectCreated(project)
}

/** @param superseded whether the request is delivered again, and the client gets the second response */
const record = (request: ApiRequest, outcome: RequestOutcome, superseded: boolean): void => {
  const { options, project, operation, req, body } = request
  const { id, response, assumed, violations, changes, fault } = outcome
  options.traffic.record(
    {
      id,
      project,
      operation: operation?.id,
      method: req.method,
      url: req.url,
      headers: getRawHeaders(request.c),
      text: body.text,
      status: response?.status,
      response,
      receivedAt: request.receivedAt,
      duration: options.systemNow() - request.startedAt,
      assumed,
      violations,
      changes,
      fault: fault?.id,
      superseded,
    },
    request.epoch,
    superseded ? [] : findShown(request, outcome),
  )
}
