import * as z from 'zod/mini'
import { kinds } from '../domain/kinds.ts'
import { findCursors } from '../domain/pagination.ts'
import { rejectLargeRecords } from '../domain/record-size.ts'
import type { Transaction } from '../domain/transaction.ts'
import { jsonType } from '../http/json.ts'
import { getOrigin } from '../http/transport.ts'
import { findNearestRoutes, isDecodable, listMethods } from '../openapi/route.ts'
import { errors } from '../schema/error.ts'
import type { ListQuery } from '../schema/list.ts'
import { parse, type Parsed, type Problem, simplifyQueryProblems } from '../schema/problem.ts'
import { findUnknownFields } from '../schema/unknown-fields.ts'
import { withIdempotency } from './idempotency-keys.ts'
import { negotiate } from './negotiate.ts'
import type { Operation } from './operation.ts'
import type { Notes, StageResult } from './outcome.ts'
import { type ApiRequest, isCurrentState, parseBody } from './request.ts'
import { noteInvoice, noteViolation } from './violations.ts'

/** Runs the stages of a request. They throw errors, and note what they find. */
export type RunStages = (request: ApiRequest, notes: Notes) => StageResult

/** Returns the stages of an operation, in the order of their errors. */
export const createStages =
  (operation: Operation): RunStages =>
  (request, notes) => {
    // 401, 403
    authenticate(request, notes)
    // 400
    requireDecodable(request)
    // 406, 415
    negotiate(request, notes, operation)
    // 400, 422, or the response to the first request with the key
    return withIdempotency(request, notes, () => {
      // 404
      requireTarget(request, notes, operation)
      if (operation.isList) showEarlierList(request, notes, operation)
      // 400
      const query = validateQuery(request, notes, operation)
      // 413, 400, 422
      const body = validateBody(request, notes, operation)
      // 404, 409, 422
      const { text, shown } = runWithinPageLimit(request, notes, operation, { query, body })
      const status = operation.creates ? notes.getBehavior('createStatus') : operation.status
      return { status, headers: { 'content-type': jsonType }, text, shown }
    })
  }

/** Responds to a path below `/projects` that has no operation for the method. A missing token is reported first. */
export const rejectPath: RunStages = (request, notes) => {
  const { req, options } = request
  const { method, path } = req
  const routePath = path.slice(options.basePath.length)
  const methods = listMethods(options.operations, routePath)
  // A preflight request has no token.
  if (method !== 'OPTIONS') authenticate(request, notes)
  requireDecodable(request)
  if (methods.length === 0)
    throw errors.routeNotFound({ method, path, near: findNearestRoutes(options.operations, method, routePath) })
  if (method === 'OPTIONS') return { status: 204, headers: { allow: methods.join(', ') }, text: null }
  throw errors.methodNotAllowed({ method, path, methods })
}

/** Checks the bearer token that spec §5 requires. */
const authenticate = ({ req, project, options }: ApiRequest, { getBehavior }: Notes): void => {
  const { store, tokens } = options
  tokens.check(req.header('authorization'), project, store.clock.getTime(project), getBehavior)
}

/** Throws if the path cannot be decoded: it names no project and no record. */
export const requireDecodable = ({ req }: ApiRequest): void => {
  if (!isDecodable(req.url)) throw errors.malformedRequest('undecodablePath')
}

/** How long lists lag behind with `listFreshness=delayed`, in milliseconds of the mock clock. */
const listLag = 2000

/** Assumed: if a fault shows an earlier state too, the list shows the older state. */
const showEarlierList = ({ options, project, behaviors }: ApiRequest, notes: Notes, { kind }: Operation): void => {
  const { past } = notes
  const delayedPast = { ...past, milliseconds: Math.max(listLag, past?.milliseconds ?? 0) }
  // If nothing has changed since then, which is usual, the behavior decides nothing.
  if (options.store.isChangedBetween(project, kind, delayedPast, past)) notes.assume('listFreshness')
  if (behaviors.listFreshness === 'delayed') notes.past = delayedPast
}

const readState = <R>({ options: { store }, project }: ApiRequest, notes: Notes, read: (tx: Transaction) => R): R =>
  store.read(project, read, notes.getBehavior, notes.past)

/** Throws if the project or the record of the path does not exist, before the query and the body are validated. */
const requireTarget = (request: ApiRequest, notes: Notes, operation: Operation): void => {
  const { kind } = operation
  const { project, params, options } = request
  const { store } = options
  if (!store.projects.has(project) && notes.getBehavior('unknownProject') === 'notFound')
    throw errors.projectNotFound({ id: project, known: store.projects.listNames(5) })
  const id = params[kinds[kind].object]
  if (id === undefined) return
  try {
    readState(request, notes, (tx) => tx.require(kind, id))
  } catch (error) {
    // A link that the earlier state does not have may exist now.
    if (notes.past !== undefined) countRead(request, notes, operation)
    throw error
  }
}

const noFields: z.ZodMiniObject = z.object({})

const validateQuery = (
  request: ApiRequest,
  notes: Notes,
  { query: schema = noFields, isList, kind, body }: Operation,
): unknown => {
  const { req } = request
  // Most requests have no query.
  const isEmpty = !req.url.includes('?')
  if (schema === noFields && isEmpty) return undefined
  const rawQuery = isEmpty ? {} : readQuery(req)
  const parsedQuery = parse(schema, rawQuery)
  const problems = parsedQuery.ok ? [] : simplifyQueryProblems(schema, rawQuery, parsedQuery.problems)
  const unknownFields = findUnknownFields(schema, rawQuery, 'parameter')
  const query = accept(request, notes, 'invalidQuery', parsedQuery, problems, unknownFields)
  // The cursors of a search are checked before its body.
  if (isList && body !== undefined) readState(request, notes, (tx) => findCursors(tx, kind, query as ListQuery))
  return query
}

/**
 * A repeated parameter becomes an invalid array. Assumed: a repeated `status` is a list, because generated clients send it so.
 */
const readQuery = (req: ApiRequest['req']) =>
  Object.fromEntries(
    Object.entries(req.queries()).map(([name, values]) => {
      const isSingle = values.length === 1 || name === 'status'
      return [name, isSingle ? values.join(',') : values]
    }),
  )

/** Reports errors of the syntax before those of the fields. */
const validateBody = (request: ApiRequest, notes: Notes, operation: Operation): unknown => {
  const { body: schema } = operation
  const body = parseBody(request)
  if (schema === undefined) return undefined
  noteInvoice(request, notes, body)
  const parsedBody = parse(schema, body)
  const ruleProblems = readState(request, notes, (tx) => operation.findProblems?.(tx, body, request.params) ?? [])
  const problems = parsedBody.ok ? ruleProblems : [...parsedBody.problems, ...ruleProblems]
  return accept(request, notes, 'invalidBody', parsedBody, problems, findUnknownFields(schema, body))
}

const inputNames = { invalidQuery: 'The query', invalidBody: 'The request body' }

/** Throws with all problems at once. A behavior decides whether unknown fields are problems. */
const accept = (
  request: ApiRequest,
  notes: Notes,
  code: keyof typeof inputNames,
  parsed: Parsed<unknown>,
  problems: readonly Problem[],
  unknownFields: readonly Problem[],
): unknown => {
  for (const problem of unknownFields) noteViolation(request, notes, problem)
  const rejectedFields =
    unknownFields.length > 0 && notes.getBehavior('unknownFields') === 'reject' ? unknownFields : []
  if (parsed.ok && problems.length === 0 && rejectedFields.length === 0) return parsed.value
  throw errors[code]({ what: inputNames[code], problems: [...problems, ...rejectedFields] })
}

type ValidInput = Readonly<Record<'query' | 'body', unknown>>

/** The maximum length of a page in characters. Several pages with hundreds of megabytes would fill the memory. */
const maxPageLength = 16 * 1024 * 1024

/** Runs an operation. Assumed: a page that would be too long has fewer records than `limit`, and a cursor to the others. */
const runWithinPageLimit = (
  request: ApiRequest,
  notes: Notes,
  operation: Operation,
  input: ValidInput,
): Pick<StageResult, 'text' | 'shown'> => {
  const { behaviors, options, req, project } = request
  const result = runHandler(request, notes, operation, input)
  const text = operation.view(result, {
    provider: options.provider,
    timestampPrecision: behaviors.timestampPrecision,
    payUrl: options.payUrl(project, getOrigin(req.url)),
  })
  const { limit } = (input.query ?? {}) as Partial<ListQuery>
  if (limit === undefined || limit <= 1 || text.length <= maxPageLength)
    return { text, shown: { result, query: input.query } }
  const shorterQuery = { ...(input.query as ListQuery), limit: Math.ceil(limit / 2) }
  return runWithinPageLimit(request, notes, operation, { ...input, query: shorterQuery })
}

const runHandler = (request: ApiRequest, notes: Notes, operation: Operation, input: ValidInput): unknown => {
  const { project, params, req, options } = request
  requireSameState(request)
  const headersOnly = req.method === 'HEAD'
  if (notes.past !== undefined) {
    countRead(request, notes, operation)
    // An earlier state does not change: like a HEAD request, the retrieve does not count as a read again.
    return readState(request, notes, (tx) => operation.handle(tx, { params, ...input, headersOnly: true }))
  }
  return options.store.write(project, notes.getBehavior, (tx) => {
    const operationResult = operation.handle(tx, { params, ...input, headersOnly })
    rejectLargeRecords(tx.changes, options.bodyLimit)
    notes.changes = tx.changes
    return operationResult
  })
}

/** A request that began before a reset, a load or a restore must not write into the new state. */
const requireSameState = (request: ApiRequest): void => {
  if (!isCurrentState(request)) throw errors.stateReplaced({ project: request.project })
}

/** The client has read, whatever it was shown, so the scheduled payments of the current state count the read. */
const countRead = (request: ApiRequest, notes: Notes, operation: Operation): void => {
  const { params, project, options, req } = request
  if (operation.countRead === undefined || req.method === 'HEAD') return
  requireSameState(request)
  options.store.write(project, notes.getBehavior, (tx) => {
    operation.countRead?.(tx, params)
    notes.changes = tx.changes
  })
}
