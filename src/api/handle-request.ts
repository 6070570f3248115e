import { Hono } from 'hono'
import * as z from 'zod/mini'
import { kinds } from '../domain/kinds.ts'
import { findCursors } from '../domain/pagination.ts'
import { readPaymentLink } from '../domain/payment-links.ts'
import { rejectLargeRecords } from '../domain/record-size.ts'
import { errors, withStatus } from '../schema/error.ts'
import type { ListQuery } from '../schema/list.ts'
import type { AppliedFault } from '../traffic/faults.ts'
import { parse, type Parsed, type Problem, simplifyQueryProblems } from '../schema/problem.ts'
import { findUnknownFields } from '../schema/unknown-fields.ts'
import { DroppedError, getOrigin, getRawHeaders, readText } from '../http/transport.ts'
import { parseJson, json } from '../http/json.ts'
import {
  createErrorResponseData,
  createResponse,
  type ResponseData,
  type ResponseHeaders,
  toMockError,
} from '../http/respond.ts'
import { findNearestRoutes, isDecodable, listMethods, toHonoPath } from '../openapi/route.ts'
import { applyFault, matchFault } from './apply-fault.ts'
import { keepResponse, replayResponse } from './idempotency-keys.ts'
import { hasBody, negotiate } from './negotiate.ts'
import type { Operation } from './operations.ts'
import { type ApiContext, type ApiEnv, readState, RequestContext } from './request-context.ts'
import { getContextHeaders } from './response-headers.ts'
import { findShown } from './coverage-situations.ts'
import { noteError, noteInvoice, noteViolation } from './violations.ts'

/** Creates the routes of the mocked API. */
export const createApi = (operations: readonly Operation[]): Hono<ApiEnv> => {
  const app = new Hono<ApiEnv>()
  for (const operation of operations)
    app.on(operation.method, toHonoPath(operation.path), createOperationHandler(operation))
  for (const path of ['/projects/:project/*', '/projects/*']) app.all(path, createRouteHandler(rejectOperation))
  return app
}

/** Runs the stages of a request. A thrown error becomes the response. */
type RunOperation = (context: RequestContext) => ResponseData

/**
 * Returns the handler of a route of the mocked API. It reads the body first, so that all later stages are synchronous and
 * each request is atomic. Only a fault makes a request wait.
 */
export const createRouteHandler = (run: RunOperation, operation?: Operation) => (c: ApiContext) => {
  const context = new RequestContext(c, operation)
  c.env.onArrival?.(context)
  // In Hono a GET has no body.
  if (c.req.method === 'GET') return respond(context, run)
  return readText(c, context.options.bodyLimit)
    .then(
      (text) => void (context.text = text || undefined),
      (error: unknown) => void (context.bodyError = toMockError(error, context.options)),
    )
    .then(() => respond(context, run))
}

/** Returns the handler of an operation. Its stages are in the order of their errors. */
const createOperationHandler = (operation: Operation) =>
  createRouteHandler((context) => {
    // 401, 403
    authenticate(context)
    // 400
    requireDecodable(context)
    // 406, 415
    negotiate(context, operation)
    // 400, 422, or the response to the first request with the key
    const replayedResponse = replayResponse(context)
    if (replayedResponse !== undefined) return replayedResponse
    // 404
    requireTarget(context, operation)
    if (operation.isList) showEarlierList(context, operation)
    // 400
    const query = validateQuery(context, operation)
    // 413, 400, 422
    const body = validateBody(context, operation)
    // 404, 409, 422
    const resultText = runWithinPageLimit(context, operation, query, body)
    // Before the headers, which list every behavior that was looked up.
    const status = operation.creates ? context.getBehavior('createStatus') : operation.status
    return { status, headers: getContextHeaders(context, { 'content-type': json }), text: resultText }
  }, operation)

/** Responds to a path below `/projects` that has no operation for the method. A missing token is reported first. */
const rejectOperation: RunOperation = (context) => {
  const { req, options } = context
  const { method, path } = req
  const routePath = path.slice(options.basePath.length)
  const methods = listMethods(options.operations, routePath)
  const allow = { allow: methods.join(', ') }
  // A preflight request has no token.
  if (method !== 'OPTIONS') authenticate(context)
  requireDecodable(context)
  if (methods.length === 0)
    throw errors.routeNotFound({ method, path, near: findNearestRoutes(options.operations, method, routePath) })
  if (method === 'OPTIONS') return { status: 204, headers: { ...getContextHeaders(context), ...allow }, text: null }
  return respondWithError(context, errors.methodNotAllowed({ method, path, methods }), allow)
}

const respond = (context: RequestContext, run: RunOperation): Response | Promise<Response> => {
  const fault = matchFault(context)
  if (fault !== undefined) return respondWithFault(context, run, fault)
  const response = createResponse(runStages(context, run))
  record(context)
  return response
}

const respondWithFault = async (context: RequestContext, run: RunOperation, fault: AppliedFault): Promise<Response> => {
  try {
    return await applyFault(context, fault, () => {
      if (fault.rule.effect.duplicate) deliverBefore(context, run)
      return runStages(context, run)
    })
  } catch (error) {
    if (error instanceof DroppedError) throw error
    return createResponse(respondWithError(context, error))
  } finally {
    record(context)
  }
}

/** Delivers a request that is delivered again directly afterwards. The client gets the second response. */
const deliverBefore = (context: RequestContext, run: RunOperation): void => {
  const firstDelivery = new RequestContext(context.c, context.operation)
  // Ids are in the order of the deliveries.
  ;[firstDelivery.requestId, context.requestId] = [context.requestId, firstDelivery.requestId]
  firstDelivery.text = context.text
  firstDelivery.bodyError = context.bodyError
  firstDelivery.fault = context.fault
  firstDelivery.rateLimit = context.rateLimit
  runStages(firstDelivery, run)
  record(firstDelivery, true)
  context.hasChangedBefore = firstDelivery.changes.length > 0
  // The changes of the first delivery, such as a new project, also decide the second response.
  firstDelivery.assumed.forEach(context.getBehavior)
}

/** Runs the stages. The response is that of the operation, or of the error that a stage has thrown. */
const runStages = (context: RequestContext, run: RunOperation): ResponseData => {
  try {
    context.response = run(context)
  } catch (error) {
    context.response = respondWithError(context, error)
  }
  keepResponse(context, context.response)
  ensureProject(context, context.response.status)
  return context.response
}

/** Checks the bearer token that spec §5 requires. */
const authenticate = ({ req, project, getBehavior, options }: RequestContext): void => {
  const { store, tokens } = options
  tokens.check(req.header('authorization'), project, store.clock.getTime(project), getBehavior)
}

/** Throws if the path cannot be decoded: it names no project and no record. */
export const requireDecodable = ({ req }: RequestContext): void => {
  if (!isDecodable(req.url)) throw errors.malformedRequest('undecodablePath')
}

/** Throws if the project or the record of the path does not exist, before the query and the body are validated. */
const requireTarget = (context: RequestContext, operation: Operation): void => {
  const { kind } = operation
  const { project, params, getBehavior, options } = context
  const { store } = options
  if (!store.projects.has(project) && getBehavior('unknownProject') === 'notFound')
    throw errors.projectNotFound({ id: project, known: store.projects.listNames(5) })
  const id = params[kinds[kind].object]
  if (id === undefined) return
  try {
    readState(context, (tx) => tx.require(kind, id))
  } catch (error) {
    // A link that the earlier state does not have may exist today.
    if (context.past !== undefined) countRead(context, operation)
    throw error
  }
}

/** How long lists lag behind with `listFreshness=delayed`, in milliseconds of the mock clock. */
const listLag = 2000

/** Shows the state that a list shows. Assumed: if a fault shows an earlier state too, that is the older of both. */
const showEarlierList = (context: RequestContext, { kind }: Operation): void => {
  const { options, project, behaviors, past, getBehavior } = context
  const delayedPast = { ...past, milliseconds: Math.max(listLag, past?.milliseconds ?? 0) }
  // Nearly always, nothing has changed since then, so that the behavior decides nothing.
  if (options.store.isChangedBetween(project, kind, delayedPast, past)) getBehavior('listFreshness')
  if (behaviors.listFreshness === 'delayed') context.past = delayedPast
}

const noFields: z.ZodMiniObject = z.object({})

const validateQuery = (context: RequestContext, { query: schema = noFields, kind, body }: Operation): unknown => {
  const { req } = context
  // Most requests have no query.
  const isEmpty = !req.url.includes('?')
  if (schema === noFields && isEmpty) return undefined
  // A repeated parameter is an array.
  const rawQuery: Record<string, string | readonly string[]> = isEmpty ? {} : req.queries()
  // Assumed: a repeated `status` is the same as a list with commas. Generated clients send it so.
  if ('status' in schema.shape && rawQuery.status !== undefined) rawQuery.status = [[rawQuery.status].flat().join(',')]
  for (const [name, [onlyValue, secondValue]] of Object.entries(rawQuery))
    if (onlyValue !== undefined && secondValue === undefined) rawQuery[name] = onlyValue
  const parsedQuery = parse(schema, rawQuery)
  const problems = parsedQuery.ok ? [] : simplifyQueryProblems(schema, rawQuery, parsedQuery.problems)
  // Assumed: both cursors together are an error.
  if ('after' in schema.shape && rawQuery.after !== undefined && rawQuery.before !== undefined)
    for (const path of ['after', 'before'])
      problems.push({ path, message: `${path} cannot be combined with the other cursor.` })
  const query = accept(context, 'invalidQuery', parsedQuery, problems, findUnknownFields(schema, rawQuery, 'parameter'))
  // The cursors of a search are checked before its body.
  if (schema !== noFields && body !== undefined) readState(context, (tx) => findCursors(tx, kind, query as ListQuery))
  return query
}

/** Validates the body: first its syntax, then its fields. An unneeded body must still be JSON. */
const validateBody = (context: RequestContext, operation: Operation): unknown => {
  const { body: schema } = operation
  if (context.bodyError !== undefined) throw context.bodyError
  if (schema === undefined && !hasBody(context)) return undefined
  const body = parseJson(context.text ?? '')
  if (schema === undefined) return undefined
  noteInvoice(context, body)
  const parsedBody = parse(schema, body)
  const ruleProblems = readState(context, (tx) => operation.findProblems?.(tx, body, context.params) ?? [])
  const problems = parsedBody.ok ? ruleProblems : [...parsedBody.problems, ...ruleProblems]
  return accept(context, 'invalidBody', parsedBody, problems, findUnknownFields(schema, body))
}

const inputNames = { invalidQuery: 'The query', invalidBody: 'The request body' }

/** Returns a query or a body, or throws with all of its problems. A behavior decides whether unknown fields are problems. */
const accept = (
  context: RequestContext,
  code: keyof typeof inputNames,
  parsed: Parsed<unknown>,
  problems: readonly Problem[],
  unknownFields: readonly Problem[],
): unknown => {
  for (const problem of unknownFields) noteViolation(context, problem)
  const rejectedFields =
    unknownFields.length > 0 && context.getBehavior('unknownFields') === 'reject' ? unknownFields : []
  if (parsed.ok && problems.length === 0 && rejectedFields.length === 0) return parsed.value
  throw errors[code]({ what: inputNames[code], problems: [...problems, ...rejectedFields] })
}

/** The maximum length of a page in characters. Several pages with hundreds of megabytes would fill the memory. */
const maxPageLength = 16 * 1024 * 1024

/** Runs an operation. Assumed: a page that would be too long has fewer records than `limit`, and a cursor to the others. */
const runWithinPageLimit = (context: RequestContext, operation: Operation, query: unknown, body: unknown): string => {
  const { behaviors, options, req, project } = context
  context.result = runOperation(context, operation, query, body)
  context.query = query
  const pageText = operation.view(context.result, {
    provider: options.provider,
    timestampPrecision: behaviors.timestampPrecision,
    payUrl: options.payUrl(project, getOrigin(req.url)),
  })
  const { limit } = (query ?? {}) as Partial<ListQuery>
  if (limit === undefined || limit <= 1 || pageText.length <= maxPageLength) return pageText
  return runWithinPageLimit(context, operation, { ...(query as ListQuery), limit: Math.ceil(limit / 2) }, body)
}

const runOperation = (context: RequestContext, operation: Operation, query: unknown, body: unknown): unknown => {
  const { project, params, getBehavior, req, options } = context
  requireSameState(context)
  const headersOnly = req.method === 'HEAD'
  if (context.past !== undefined) {
    countRead(context, operation)
    // An earlier state does not change: like a HEAD request, the retrieve does not count as a read again.
    return readState(context, (tx) => operation.handle(tx, { params, query, body, headersOnly: true }))
  }
  return options.store.write(project, getBehavior, (tx) => {
    const operationResult = operation.handle(tx, { params, query, body, headersOnly })
    rejectLargeRecords(tx.changes, options.bodyLimit)
    context.changes = tx.changes
    return operationResult
  })
}

/** A request that began before a reset, a load or a restore must not write into the new state. */
const requireSameState = ({ project, generation, options }: RequestContext): void => {
  if (options.store.states.getGeneration(project) !== generation) throw errors.stateReplaced({ project })
}

/** Counts a retrieve of an earlier state for the scheduled payments of today: the client has read, whatever it sees. */
const countRead = (context: RequestContext, { id }: Operation): void => {
  const { params, project, getBehavior, options, req } = context
  const { paymentLink } = params
  if (id !== 'retrievePaymentLink' || paymentLink === undefined || req.method === 'HEAD') return
  requireSameState(context)
  options.store.write(project, getBehavior, (tx) => {
    if (tx.state.paymentLinks.get(paymentLink) !== undefined) readPaymentLink(tx, paymentLink)
    context.changes = tx.changes
  })
}

const respondWithError = (context: RequestContext, error: unknown, headers?: ResponseHeaders): ResponseData => {
  const { options, getBehavior, behaviors } = context
  const thrown = toMockError(error, options)
  const mockError = thrown.code === 'invalidBody' ? withStatus(thrown, getBehavior('invalidBodyStatus')) : thrown
  context.error = mockError.code
  noteError(context, mockError)
  // Built last: the headers list every behavior that was looked up.
  const allHeaders = { ...getContextHeaders(context), ...headers }
  return (context.response = createErrorResponseData(mockError, allHeaders, behaviors.errorFormat))
}

// After these errors an unknown project is not created: its name may be misspelled.
const leaveProjectUnknown = new Set([401, 403, 404])

const ensureProject = (context: RequestContext, status: number): void => {
  const { project, operation, generation, behaviors, options } = context
  if (operation === undefined || leaveProjectUnknown.has(status) || behaviors.unknownProject === 'notFound') return
  const { store, onProjectCreated } = options
  // A request that began before a deletion must not create the project again.
  if (store.states.getGeneration(project) === generation && store.projects.ensure(project)) onProjectCreated(project)
}

const record = (context: RequestContext, superseded = false): void => {
  const { c, req, options } = context
  options.traffic.record(
    {
      id: context.requestId,
      project: context.project,
      operation: context.operation?.id,
      method: req.method,
      url: req.url,
      headers: getRawHeaders(c),
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
}
