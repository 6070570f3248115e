import { getQueryParams } from 'hono/utils/url'
import { z } from 'zod'
import { paymentLinkOf } from '../domain/payment-links.ts'
import { userOf } from '../domain/users.ts'
import type { World } from '../domain/world.ts'
import { Refusal } from '../schema/error.ts'
import { parse, problemsText } from '../schema/problem.ts'
import { queryProblems } from '../schema/query.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { originOf } from '../wire/connection.ts'
import { parseJson } from '../wire/json.ts'
import { admitsJson, isJson, json, namesJson, notJson, refuseCoding } from '../wire/media-type.ts'
import { type ApiOptions, type Exchange, exchangeHeaders, send } from './exchange.ts'
import type { Input, Operation } from './operation.ts'
import { note } from './violations.ts'

/** Spec §5: every request carries a bearer token. */
export const authenticate = ({ raw, project, behave }: Exchange, { world, tokens }: ApiOptions): void =>
  tokens.check(raw.headers.get('authorization') ?? undefined, project, world.timeOf(project ?? ''), behave)

/** Spec §5: the headers that say JSON. */
export const negotiate = (exchange: Exchange, operation: Operation): void => {
  const accept = exchange.raw.headers.get('accept') ?? ''
  if (accept !== json) refuseOtherAccept(exchange, accept)
  if (operation.body !== undefined) refuseOtherMediaTypes(exchange)
}

const refuseOtherAccept = (exchange: Exchange, accept: string) => {
  if (!namesJson(accept)) note(exchange, '§5', wrongHeader('accept', accept))
  if (!admitsJson(accept) && exchange.behave('requestHeaders') === 'required')
    throw new Refusal('notAcceptable', `The Accept header must admit application/json (got '${accept}').`, {
      hint: "Send 'Accept: application/json'.",
    })
}

/** A body that no operation asked for is a violation, and refused where it is no JSON. */
export const refuseBody = (exchange: Exchange, { id, spec }: Operation): void => {
  note(exchange, spec, { path: 'body', message: `The body must be left out: ${id} has none.` })
  refuseOtherMediaTypes(exchange)
}

// A body without a content type is read as JSON: many a client forgets it. One that says something else is refused.
const refuseOtherMediaTypes = (exchange: Exchange) => {
  refuseCoding(exchange.raw.headers.get('content-encoding'))
  const contentType = exchange.raw.headers.get('content-type') ?? ''
  if (contentType === json || isJson(contentType)) return
  if (contentType === '') note(exchange, '§5', wrongHeader('content-type', ''))
  if (contentType === '' && exchange.behave('requestHeaders') === 'lenient') return
  throw notJson(contentType)
}

const wrongHeader = (name: string, value: string) => ({
  path: `headers.${name}`,
  message: `The ${name} header must be 'application/json' (${value === '' ? 'it is missing' : `got '${value.slice(0, 100)}'`}).`,
})

/** The project and the row that the path names must be there before anything else of the request is looked at. */
export const locate = ({ params, behave }: Exchange, { world }: ApiOptions): void => {
  const { project, user, paymentLink } = params as { project: string; user?: string; paymentLink?: string }
  if (!world.has(project) && behave('unknownProject') === 'notFound')
    throw new Refusal('projectNotFound', `No project '${project}'.`, { hint: knownProjects(world) })
  if (user !== undefined) world.look(project, (work) => userOf(work, user))
  if (paymentLink !== undefined) world.look(project, (work) => paymentLinkOf(work, paymentLink))
}

const knownProjects = (world: World): string => {
  const names = world.names(5)
  return names.length === 0 ? 'No project is there yet.' : `Known projects: ${names.join(', ')}.`
}

/** The query, by the schema of the operation. Both cursors together are refused: they mark two places. */
export const queryOf = (exchange: Exchange, operation: Operation, { world }: ApiOptions): unknown => {
  const schema = operation.query
  if (schema === undefined) return refuseParameters(exchange, operation)
  const sent = parametersOf(exchange.raw.url)
  const parsed = parse(schema, sent)
  const unknown = unknownFields(schema, sent)
  for (const problem of unknown) note(exchange, operation.spec, problem)
  const problems = [
    ...(parsed.ok ? [] : queryProblems(schema, sent, parsed.problems)),
    ...(sent.after !== undefined && sent.before !== undefined
      ? ['after', 'before'].map((path) => ({ path, message: `${path} cannot be combined with the other cursor.` }))
      : []),
    ...(unknown.length > 0 && exchange.behave('unknownFields') === 'reject' ? unknown : []),
  ]
  if (!parsed.ok || problems.length > 0)
    throw new Refusal('invalidQuery', problemsText('The query', problems), { details: problems })
  world.look(exchange.project ?? '', (work) => operation.checkQuery(work, parsed.value), exchange.behave)
  return parsed.value
}

/** An operation without parameters: all that are sent are unknown. */
const refuseParameters = (exchange: Exchange, operation: Operation): undefined => {
  // Most requests have no query, and are spared the parsing.
  const unknown = exchange.raw.url.includes('?') ? unknownFields(noFields, parametersOf(exchange.raw.url)) : []
  for (const problem of unknown) note(exchange, operation.spec, problem)
  if (unknown.length > 0 && exchange.behave('unknownFields') === 'reject')
    throw new Refusal('invalidQuery', problemsText('The query', unknown), { details: unknown })
}

const noFields = z.object({})

type Parameters = Readonly<Record<string, string | readonly string[]>>

const noParameters: Parameters = {}

/** The parameters as they were sent: one that stands twice is an array. */
const parametersOf = (url: string): Parameters => {
  if (!url.includes('?')) return noParameters
  const all = getQueryParams(url) as Record<string, string[]>
  return Object.fromEntries(
    Object.entries(all).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  )
}

/** The body: its syntax first, then its content. */
export const bodyOf = (exchange: Exchange, operation: Operation, text: string): unknown => {
  const sent = parseJson(text)
  const parsed = parse(operation.body!, sent)
  const unknown = unknownFields(operation.body!, sent)
  for (const problem of unknown) note(exchange, operation.spec, problem)
  const problems = [
    ...(parsed.ok ? [] : parsed.problems),
    ...(unknown.length > 0 && exchange.behave('unknownFields') === 'reject' ? unknown : []),
  ]
  if (parsed.ok && problems.length === 0) return parsed.value
  throw new Refusal('invalidBody', problemsText('The request body', problems), { details: problems })
}

/** Does the work and answers it, with all headers at once. */
export const answer = (
  exchange: Exchange,
  operation: Operation,
  { world, provider, payUrl }: ApiOptions,
  { query, body }: Pick<Input, 'query' | 'body'>,
): Response => {
  const { params, behave, behaviors, raw } = exchange
  const project = exchange.project!
  // What was begun before a reset, a load or a restore must not write into the state that came after it.
  if (world.generationOf(project) !== exchange.generation)
    throw new Refusal(
      'stateReplaced',
      `The state of project '${project}' was replaced while the request was under way.`,
    )
  const result = world.run(project, behave, (work) => {
    const done = operation.handle(work, { params, query, body, headersOnly: raw.method === 'HEAD' })
    exchange.changes = work.changes
    return done
  })
  const text = operation.view(result, {
    provider,
    timestampPrecision: behaviors.timestampPrecision,
    payUrl: payUrl(project, originOf(exchange.raw.url)),
  })
  // The status first: it may be one more open point that the headers tell of.
  const status = operation.creates ? behave('createStatus') : operation.status
  return send(exchange, { status, headers: { 'content-type': json, ...exchangeHeaders(exchange) }, text })
}
