import { errors, type MockError, withStatus } from '../schema/error.ts'
import { rejectLargeRecords } from '../domain/record-size.ts'
import { readPaymentLink } from '../domain/payment-links.ts'
import type { ListQuery } from '../schema/list.ts'
import { readText } from '../wire/body.ts'
import {
  toHonoHandler,
  createErrorResponseData,
  type ResponseHeaders,
  type ResponseData,
  createResponse,
  toMockError,
  type OutgoingResponse,
} from '../wire/respond.ts'
import { listMethods, findNearestRoutes } from '../wire/route.ts'
import { applyFault, matchFault } from './apply-fault.ts'
import { runList } from './list-freshness.ts'
import type { Operation } from './operation.ts'
import { type ApiContext, createContext, readState, type RequestContext } from './request-context.ts'
import { keepResponse, replayResponse } from './replay-response.ts'
import { addContextHeaders, getContextHeaders } from './response-headers.ts'
import { getOrigin } from '../wire/transport.ts'
import { json } from '../wire/media-type.ts'
import { findShown } from './situations.ts'
import { authenticate, requireTarget, negotiate, validateBody, validateQuery } from './validate-request.ts'
import { noteError } from './violations.ts'

/** Runs the stages of a request. A thrown error becomes the response. */
type Run = (context: RequestContext) => ResponseData

/**
 * Returns the handler of a route of the mocked API. It reads the body first, so that all later stages are synchronous and
 * each request is atomic. Only a fault makes a request wait.
 */
export const createRouteHandler = (run: Run, operation?: Operation) =>
  toHonoHandler((c: ApiContext) => {
    const context = createContext(c, operation)
    c.env.onContext?.(context)
    return context.transport.hasBody()
      ? readText(context.transport, context.options.bodyLimit).then(
          (text) => {
            context.text = text
            return respond(c, context, run)
          },
          (error: unknown) => {
            context.bodyError = toMockError(error, context.options.onError)
            return respond(c, context, run)
          },
        )
      : respond(c, context, run)
  })

/** Returns the handler of an operation. Its stages are in the order of their errors. */
export const createOperationHandler = (operation: Operation) =>
  createRouteHandler((context) => {
    // 401, 403
    authenticate(context)
    // 406, 415
    negotiate(context, operation)
    // 400, 422, or the response to the first request with the key
    const replayed = replayResponse(context)
    if (replayed !== undefined) return replayed
    // 404
    requireTarget(context)
    const text =
      operation.lists === undefined
        ? validateAndRun(context, operation)
        : runList(context, operation.lists, (one) => validateAndRun(one, operation))
    return respondWithResult(context, operation, text)
  }, operation)

/** Responds to a path below `/projects` that has no operation for the method. A missing token is reported first. */
export const rejectOperation: Run = (context) => {
  const { req, options } = context
  const route = req.path.slice(options.basePath.length)
  const methods = listMethods(options.operations, route)
  const allow = { allow: methods.join(', ') }
  // A preflight request has no token.
  if (req.method !== 'OPTIONS') authenticate(context)
  const { method, path } = req
  if (methods.length === 0)
    throw errors.routeNotFound({ method, path, near: findNearestRoutes(options.operations, route) })
  if (req.method === 'OPTIONS') return { status: 204, headers: { ...getContextHeaders(context), ...allow }, text: null }
  return respondWithError(context, errors.methodNotAllowed({ method, path, methods }), allow)
}

/** Throws `malformedRequest`: the path cannot be decoded. */
export const rejectUndecodablePath = (): never => {
  throw errors.malformedRequest('undecodablePath')
}

/** Throws `routeNotFound`: no route has the path. */
export const rejectUnknownRoute = ({ req }: RequestContext): never => {
  throw errors.routeNotFound({ method: req.method, path: req.path, near: [] })
}

const respond = (c: ApiContext, context: RequestContext, run: Run): OutgoingResponse | Promise<OutgoingResponse> => {
  const fault = matchFault(context)
  if (fault === undefined) return record(context, createResponse(runStages(context, run)))
  const deliver = () => {
    if (fault.rule.effect.duplicate) deliverBefore(c, context, run)
    return runStages(context, run)
  }
  return applyFault(context, fault, deliver)
    .catch((error: unknown) => createResponse(respondWithError(context, error)))
    .then((response) => record(context, response))
}

/** Delivers a request that is delivered again directly afterwards. The client gets the second response. */
const deliverBefore = (c: ApiContext, context: RequestContext, run: Run): void => {
  const first = createContext(c, context.operation)
  // Ids are in the order of the deliveries.
  ;[first.requestId, context.requestId] = [context.requestId, first.requestId]
  first.text = context.text
  first.bodyError = context.bodyError
  first.fault = context.fault
  first.rateLimit = context.rateLimit
  record(first, createResponse(runStages(first, run)), true)
  context.hasChangedBefore = first.changes.length > 0
}

/** Runs the stages. The response is that of the operation, or of the error that a stage has thrown. */
const runStages = (context: RequestContext, run: Run): ResponseData => {
  try {
    context.response = run(context)
  } catch (error) {
    context.response = respondWithError(context, error)
  }
  keepResponse(context, context.response)
  ensureProject(context, context.response.status)
  return context.response
}

/** The maximum length of a page in characters. Several pages with hundreds of megabytes would fill the memory. */
const maxPage = 16 * 1024 * 1024

/** Validates the input of an operation, and runs it. Returns the JSON of its result. */
const validateAndRun = (context: RequestContext, operation: Operation): string => {
  // 400
  const query = validateQuery(context, operation)
  // 413, 400, 422
  const body = validateBody(context, operation)
  // 404, 409, 422
  return runBounded(context, operation, query, body)
}

/** Runs an operation. Assumed: a page that would be too long has fewer records than `limit`, and a cursor to the others. */
const runBounded = (context: RequestContext, operation: Operation, query: unknown, body: unknown): string => {
  const result = runOperation(context, operation, query, body)
  context.result = result
  context.query = query
  const text = serialize(context, operation, result)
  const { limit } = (query ?? {}) as Partial<ListQuery>
  if (limit === undefined || limit <= 1 || text.length <= maxPage) return text
  return runBounded(context, operation, { ...(query as ListQuery), limit: Math.ceil(limit / 2) }, body)
}

/** Returns the JSON of a result as a client sees it. */
const serialize = (context: RequestContext, operation: Operation, result: unknown): string => {
  const { behaviors, options, req, project } = context
  return operation.view(result, {
    provider: options.provider,
    timestampPrecision: behaviors.timestampPrecision,
    payUrl: options.payUrl(project, getOrigin(req.url)),
  })
}

/** Creates the response of an operation. */
const respondWithResult = (context: RequestContext, operation: Operation, text: string): ResponseData => {
  // Before the headers, which list every behavior that was looked up.
  const status = operation.creates ? context.getBehavior('createStatus') : operation.status
  return { status, headers: addContextHeaders(context, { 'content-type': json }), text }
}

const runOperation = (context: RequestContext, operation: Operation, query: unknown, body: unknown): unknown => {
  const { project, params, getBehavior, req, options } = context
  // A request that began before a reset, a load or a restore must not write into the new state.
  if (options.store.getGeneration(project) !== context.generation) throw errors.stateReplaced({ project })
  const headersOnly = req.method === 'HEAD'
  if (context.past !== undefined) {
    countRead(context)
    // An earlier state does not change: like a HEAD request, the retrieve does not count as a read again.
    return readState(context, (tx) => operation.handle(tx, { params, query, body, headersOnly: true }))
  }
  return options.store.write(project, getBehavior, (tx) => {
    const result = operation.handle(tx, { params, query, body, headersOnly })
    rejectLargeRecords(tx.changes, options.bodyLimit)
    context.changes = tx.changes
    return result
  })
}

/** Counts a retrieve of an earlier state for the scheduled payments of today: the client has read, whatever it sees. */
const countRead = (context: RequestContext): void => {
  const { operation, params, project, req, getBehavior, options } = context
  const { paymentLink } = params
  if (operation?.id !== 'retrievePaymentLink' || paymentLink === undefined || req.method === 'HEAD') return
  options.store.write(project, getBehavior, (tx) => {
    if (tx.state.paymentLinks.get(paymentLink) !== undefined) readPaymentLink(tx, paymentLink)
    context.changes = tx.changes
  })
}

const respondWithError = (context: RequestContext, error: unknown, headers?: ResponseHeaders): ResponseData => {
  const mockError = withBodyStatus(context, toMockError(error, context.options.onError))
  context.error = mockError.code
  noteError(context, mockError)
  // Built last: the headers list every behavior that was looked up.
  const allHeaders = { ...getContextHeaders(context), ...headers }
  return (context.response = createErrorResponseData(mockError, context.behaviors.errorFormat, allHeaders))
}

const withBodyStatus = ({ getBehavior }: RequestContext, mockError: MockError): MockError =>
  mockError.code === 'invalidBody' ? withStatus(mockError, getBehavior('invalidBodyStatus')) : mockError

// After these errors an unknown project is not created: its name may be misspelled.
const leaveProjectUnknown = new Set([401, 403, 404])

const ensureProject = ({ project, operation, generation, options }: RequestContext, status: number): void => {
  if (operation === undefined || leaveProjectUnknown.has(status)) return
  const { store, onProjectCreated } = options
  // A request that began before a deletion must not create the project again.
  if (store.getGeneration(project) === generation && store.ensureProject(project)) onProjectCreated(project)
}

const record = (context: RequestContext, response: OutgoingResponse, superseded = false): OutgoingResponse => {
  const { req, options, transport } = context
  options.traffic.record(
    {
      id: context.requestId,
      project: context.project,
      operation: context.operation?.id,
      method: req.method,
      url: req.url,
      headers: transport.rawHeaders(),
      text: context.text,
      status: context.response?.status,
      response: context.response,
      receivedAt: context.receivedAt,
      duration: options.systemNow() - context.startedAt,
      behaviors: context.behaviors,
      assumed: context.assumed,
      violations: context.violations,
      changes: context.changes,
      fault: context.fault,
      superseded,
    },
    context.epoch,
    // The client receives no response to the first of two deliveries.
    superseded ? [] : findShown(context),
  )
  return response
}
