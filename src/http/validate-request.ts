import { requireRecord } from '../domain/transaction.ts'
import { errors } from '../schema/error.ts'
import * as z from 'zod/mini'

import { parse, simplifyQueryProblems } from '../schema/problem.ts'
import { shorten } from '../schema/text.ts'
import { findUnknownFields } from '../schema/unknown-fields.ts'
import { parseJson } from '../wire/json.ts'
import { allowsJson, isJson, json, namesJson, rejectCoding } from '../wire/media-type.ts'
import type { Operation } from './operation.ts'
import { readState, type RequestContext } from './request-context.ts'
import { noteViolation } from './violations.ts'

/** Checks the bearer token that spec §5 requires. */
export const authenticate = ({ req, project, getBehavior, options }: RequestContext): void => {
  const { store, tokens } = options
  tokens.check(req.header('authorization'), project, store.getTime(project), getBehavior)
}

/** Checks the Accept and Content-Type headers that spec §5 requires. */
export const negotiate = (context: RequestContext, operation: Operation): void => {
  const accept = context.req.header('accept') ?? ''
  if (accept !== json) rejectAccept(context, accept)
  if (operation.body !== undefined) rejectMediaType(context)
  else if (hasUnneededBody(context)) {
    const message = `${operation.id} must be sent without a body.`
    noteViolation(context, operation.spec, { path: 'body', message })
    rejectMediaType(context)
  }
}

// An unreadable body still counts as a body.
const hasUnneededBody = ({ text = '', bodyError }: RequestContext): boolean => text !== '' || bodyError !== undefined

const rejectAccept = (context: RequestContext, accept: string) => {
  if (!namesJson(accept)) noteViolation(context, '§5', describeWrongHeader('accept', accept))
  if (!allowsJson(accept) && context.getBehavior('requestHeaders') === 'required') throw errors.notAcceptable(accept)
}

// Many clients send no Content-Type, which is accepted as JSON. Other types are rejected.
const rejectMediaType = (context: RequestContext) => {
  rejectCoding(context.req.header('content-encoding'))
  const contentType = context.req.header('content-type') ?? ''
  if (contentType === json || isJson(contentType)) return
  if (contentType === '') noteViolation(context, '§5', describeWrongHeader('content-type', ''))
  if (contentType === '' && context.getBehavior('requestHeaders') === 'lenient') return
  throw errors.unsupportedMediaType({ contentType })
}

const describeWrongHeader = (name: string, value: string) => ({
  path: `headers.${name}`,
  message: `The ${name} header must be 'application/json' (${value === '' ? 'it is missing' : `got '${shorten(value, 100)}'`}).`,
})

/** Throws if the project or the record of the path does not exist, before the query and the body are validated. */
export const requireTarget = (context: RequestContext): void => {
  const { project, params, getBehavior, options } = context
  const { store } = options
  const { user, paymentLink } = params
  if (!store.has(project) && getBehavior('unknownProject') === 'notFound')
    throw errors.projectNotFound({ id: project, known: store.listNames(5) })
  if (user !== undefined) readState(context, (tx) => requireRecord(tx, 'users', user))
  if (paymentLink !== undefined) readState(context, (tx) => requireRecord(tx, 'paymentLinks', paymentLink))
}

/** Validates the query. Assumed: both cursors together are an error. */
export const validateQuery = (context: RequestContext, operation: Operation): unknown => {
  const schema = operation.query
  if (schema === undefined) return rejectParameters(context, operation)
  const sent = getParameters(context)
  const parsed = parse(schema, sent)
  const unknown = findUnknownFields(schema, sent)
  const hasBothCursors = sent.after !== undefined && sent.before !== undefined
  if (parsed.ok && unknown.length === 0 && !hasBothCursors) return checkQuery(context, operation, parsed.value)
  for (const problem of unknown) noteViolation(context, operation.spec, problem)
  const problems = [
    ...(parsed.ok ? [] : simplifyQueryProblems(schema, sent, parsed.problems)),
    ...(hasBothCursors
      ? ['after', 'before'].map((path) => ({ path, message: `${path} cannot be combined with the other cursor.` }))
      : []),
    ...(unknown.length > 0 && context.getBehavior('unknownFields') === 'reject' ? unknown : []),
  ]
  if (!parsed.ok || problems.length > 0) throw errors.invalidQuery({ what: 'The query', problems })
  return checkQuery(context, operation, parsed.value)
}

const checkQuery = (context: RequestContext, operation: Operation, query: unknown): unknown => {
  if (operation.checkQuery !== undefined) readState(context, (tx) => operation.checkQuery?.(tx, query))
  return query
}

/** Rejects all query parameters of an operation that has none. */
const rejectParameters = (context: RequestContext, operation: Operation): undefined => {
  const sent = getParameters(context)
  if (sent === noParameters) return
  const unknown = findUnknownFields(noFields, sent)
  for (const problem of unknown) noteViolation(context, operation.spec, problem)
  if (unknown.length > 0 && context.getBehavior('unknownFields') === 'reject')
    throw errors.invalidQuery({ what: 'The query', problems: unknown })
}

const noFields = z.object({})

const noParameters: Readonly<Record<string, string | readonly string[]>> = {}

/** Returns the query parameters. A repeated parameter is an array. */
const getParameters = ({ req }: RequestContext): typeof noParameters => {
  // Most requests have no query.
  if (!req.url.includes('?')) return noParameters
  const sent: Record<string, string | readonly string[]> = req.queries()
  for (const name in sent) if (sent[name]!.length === 1) sent[name] = sent[name]![0]!
  return sent
}

/** Validates the body: first its syntax, then its fields. An unneeded body must still be JSON. */
export const validateBody = (context: RequestContext, { body: schema, spec }: Operation): unknown => {
  if (context.bodyError !== undefined) throw context.bodyError
  if (schema === undefined && !hasUnneededBody(context)) return undefined
  const sent = parseJson(context.text ?? '')
  if (schema === undefined) return undefined
  const parsed = parse(schema, sent)
  const unknown = findUnknownFields(schema, sent)
  if (parsed.ok && unknown.length === 0) return parsed.value
  for (const problem of unknown) noteViolation(context, spec, problem)
  const problems = [
    ...(parsed.ok ? [] : parsed.problems),
    ...(unknown.length > 0 && context.getBehavior('unknownFields') === 'reject' ? unknown : []),
  ]
  if (parsed.ok && problems.length === 0) return parsed.value
  throw errors.invalidBody({ what: 'The request body', problems })
}
