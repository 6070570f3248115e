import * as z from 'zod'
import { requirePaymentLink } from '../domain/payment-links.ts'
import { requireUser } from '../domain/users.ts'
import type { Store } from '../domain/store.ts'
import { MockError } from '../schema/error.ts'
import { parse, problemsText, queryProblems } from '../schema/problem.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { parseJson } from '../wire/json.ts'
import { allowsJson, isJson, json, namesJson, notJson, rejectCoding } from '../wire/media-type.ts'
import type { Operation } from './operation.ts'
import type { RequestContext } from './request-context.ts'
import { note } from './violations.ts'

/** Spec §5: every request has a bearer token. */
export const authenticate = ({ req, project, getBehavior, options }: RequestContext): void => {
  const { store, tokens } = options
  tokens.check(req.header('authorization'), project, store.getTime(project), getBehavior)
}

/** Spec §5: the Accept and Content-Type headers. */
export const negotiate = (context: RequestContext, operation: Operation): void => {
  const accept = context.req.header('accept') ?? ''
  if (accept !== json) rejectAccept(context, accept)
  if (operation.body !== undefined) rejectMediaType(context)
  else if (hasUnneededBody(context)) {
    const message = `${operation.id} must be sent without a body.`
    note(context, operation.spec, { path: 'body', message })
    rejectMediaType(context)
  }
}

// An unreadable body still counts as a body.
const hasUnneededBody = ({ text = '', bodyError }: RequestContext): boolean => text !== '' || bodyError !== undefined

const rejectAccept = (context: RequestContext, accept: string) => {
  if (!namesJson(accept)) note(context, '§5', wrongHeader('accept', accept))
  if (!allowsJson(accept) && context.getBehavior('requestHeaders') === 'required')
    throw new MockError('notAcceptable', `The Accept header must allow application/json (got '${accept}').`, {
      hint: "Send 'Accept: application/json'.",
    })
}

// Many clients send no Content-Type, which is accepted as JSON. Other types are rejected.
const rejectMediaType = (context: RequestContext) => {
  rejectCoding(context.req.header('content-encoding'))
  const contentType = context.req.header('content-type') ?? ''
  if (contentType === json || isJson(contentType)) return
  if (contentType === '') note(context, '§5', wrongHeader('content-type', ''))
  if (contentType === '' && context.getBehavior('requestHeaders') === 'lenient') return
  throw notJson(contentType)
}

const wrongHeader = (name: string, value: string) => ({
  path: `headers.${name}`,
  message: `The ${name} header must be 'application/json' (${value === '' ? 'it is missing' : `got '${value.slice(0, 100)}'`}).`,
})

/** Finds the project and the record of the path before the query and the body are validated. */
export const locate = ({ project, params, getBehavior, options }: RequestContext): void => {
  const { store } = options
  const { user, paymentLink } = params
  if (!store.has(project) && getBehavior('unknownProject') === 'notFound')
    throw new MockError('projectNotFound', `No project '${project}'.`, { hint: knownProjects(store) })
  if (user !== undefined) store.read(project, (tx) => requireUser(tx, user))
  if (paymentLink !== undefined) store.read(project, (tx) => requirePaymentLink(tx, paymentLink))
}

const knownProjects = (store: Store): string => {
  const names = store.listNames(5)
  return names.length === 0 ? 'There are no projects yet.' : `Known projects: ${names.join(', ')}.`
}

/** Validates the query. Assumed: both cursors together are an error. */
export const validateQuery = (context: RequestContext, operation: Operation): unknown => {
  const schema = operation.query
  if (schema === undefined) return rejectParameters(context, operation)
  const sent = parametersOf(context)
  const parsed = parse(schema, sent)
  const unknown = unknownFields(schema, sent)
  for (const problem of unknown) note(context, operation.spec, problem)
  const problems = [
    ...(parsed.ok ? [] : queryProblems(schema, sent, parsed.problems)),
    ...(sent.after !== undefined && sent.before !== undefined
      ? ['after', 'before'].map((path) => ({ path, message: `${path} cannot be combined with the other cursor.` }))
      : []),
    ...(unknown.length > 0 && context.getBehavior('unknownFields') === 'reject' ? unknown : []),
  ]
  if (!parsed.ok || problems.length > 0)
    throw new MockError('invalidQuery', problemsText('The query', problems), { details: problems })
  context.options.store.read(context.project, (tx) => operation.checkQuery?.(tx, parsed.value), context.getBehavior)
  return parsed.value
}

/** Without a schema, all query parameters are unknown. */
const rejectParameters = (context: RequestContext, operation: Operation): undefined => {
  const sent = parametersOf(context)
  if (sent === noParameters) return
  const unknown = unknownFields(noFields, sent)
  for (const problem of unknown) note(context, operation.spec, problem)
  if (unknown.length > 0 && context.getBehavior('unknownFields') === 'reject')
    throw new MockError('invalidQuery', problemsText('The query', unknown), { details: unknown })
}

const noFields = z.object({})

const noParameters: Readonly<Record<string, string | readonly string[]>> = {}

/** The query parameters. A repeated one is an array. */
const parametersOf = ({ req }: RequestContext): typeof noParameters => {
  // Most requests have no query.
  if (!req.url.includes('?')) return noParameters
  return Object.fromEntries(
    Object.entries(req.queries()).map(([name, values]) => [name, values.length === 1 ? values.join('') : values]),
  )
}

/** Validates the body: first its syntax, then its fields. An unneeded body must still be JSON. */
export const validateBody = (context: RequestContext, { body: schema, spec }: Operation): unknown => {
  if (context.bodyError !== undefined) throw context.bodyError
  if (schema === undefined && !hasUnneededBody(context)) return undefined
  const sent = parseJson(context.text ?? '')
  if (schema === undefined) return undefined
  const parsed = parse(schema, sent)
  const unknown = unknownFields(schema, sent)
  for (const problem of unknown) note(context, spec, problem)
  const problems = [
    ...(parsed.ok ? [] : parsed.problems),
    ...(unknown.length > 0 && context.getBehavior('unknownFields') === 'reject' ? unknown : []),
  ]
  if (parsed.ok && problems.length === 0) return parsed.value
  throw new MockError('invalidBody', problemsText('The request body', problems), { details: problems })
}
