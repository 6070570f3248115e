import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { paymentLinkOf } from '../domain/payment-links.ts'
import { userOf } from '../domain/users.ts'
import type { World } from '../domain/world.ts'
import { Refusal } from '../schema/error.ts'
import { asking, parse, problemsOf, problemsText } from '../schema/problem.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { parseJson } from '../wire/json.ts'
import { admitsJson, isJson, namesJson, notJson } from '../wire/media-type.ts'
import { jsonAnswer } from '../wire/respond.ts'
import { type ApiEnv, type ApiOptions, type Exchange, exchangeHeaders, send } from './exchange.ts'
import type { Operation } from './operation.ts'
import { hasBody, readBody } from './read-body.ts'
import { note } from './violations.ts'

type Guard = MiddlewareHandler<ApiEnv>

/** Spec §5: every request carries a bearer token. */
export const authenticate = ({ world, tokens }: ApiOptions): Guard =>
  async function authenticate(c, next) {
    const { project, behave } = c.var.exchange
    tokens.check(c.req.header('authorization'), project, world.timeOf(project ?? ''), behave)
    await next()
  }

/** Spec §5: the headers that say JSON. */
export const negotiate = (operation: Operation, options: ApiOptions): Guard =>
  async function negotiate(c, next) {
    const { exchange } = c.var
    const accept = c.req.header('accept') ?? ''
    if (!namesJson(accept)) note(exchange, '§5', wrongHeader('accept', accept))
    if (!admitsJson(accept) && exchange.behave('requestHeaders') === 'required')
      throw new Refusal('notAcceptable', `The Accept header must admit application/json (got '${accept}').`, {
        hint: "Send 'Accept: application/json'.",
      })
    if (operation.body !== undefined) refuseOtherMediaTypes(c)
    else if (hasBody(c) && (c.env.connection !== undefined || (await readBody(c, options.bodyLimit)) !== '')) {
      note(exchange, operation.spec, { path: 'body', message: `The body must be left out: ${operation.id} has none.` })
      refuseOtherMediaTypes(c)
    }
    await next()
  }

// A body without a content type is read as JSON: many a client forgets it. One that says something else is refused.
const refuseOtherMediaTypes = (c: Context<ApiEnv>) => {
  const { exchange } = c.var
  const contentType = c.req.header('content-type') ?? ''
  if (isJson(contentType)) return
  if (contentType === '') note(exchange, '§5', wrongHeader('content-type', ''))
  if (contentType === '' && exchange.behave('requestHeaders') === 'lenient') return
  throw notJson(contentType)
}

const wrongHeader = (name: string, value: string) => ({
  path: `headers.${name}`,
  message: `The ${name} header must be 'application/json' (${value === '' ? 'it is missing' : `got '${value.slice(0, 100)}'`}).`,
})

/** The project and the row that the path names must be there before anything else of the request is looked at. */
export const locate = ({ world }: ApiOptions): Guard =>
  async function locate(c, next) {
    const { behave } = c.var.exchange
    const { project, user, paymentLink } = c.req.param() as { project: string; user?: string; paymentLink?: string }
    if (!world.has(project) && behave('unknownProject') === 'notFound')
      throw new Refusal('projectNotFound', `No project '${project}'.`, { hint: knownProjects(world) })
    if (user !== undefined) world.look(project, (work) => userOf(work, user))
    if (paymentLink !== undefined) world.look(project, (work) => paymentLinkOf(work, paymentLink))
    await next()
  }

const knownProjects = (world: World): string => {
  const names = world.names()
  return names.length === 0 ? 'No project is there yet.' : `Known projects: ${names.slice(0, 5).join(', ')}.`
}

/** The query, by the schema of the operation. Both cursors together are refused: they mark two places. */
export const query = (operation: Operation, { world }: ApiOptions): Guard => {
  const schema = operation.query
  if (schema === undefined) return noParameters(operation)
  return zValidator(
    'query',
    schema,
    (result, c) => {
      const { exchange } = c.var as ApiEnv['Variables']
      // As it was sent: what was parsed has lost what is unknown.
      const sent: Readonly<Record<string, unknown>> = c.req.queries()
      const unknown = unknownFields(schema, sent)
      for (const problem of unknown) note(exchange, operation.spec, problem)
      const problems = [
        ...(result.success ? [] : problemsOf(result.error)),
        ...(sent.after !== undefined && sent.before !== undefined
          ? ['after', 'before'].map((path) => ({ path, message: `${path} cannot be combined with the other cursor.` }))
          : []),
        ...(unknown.length > 0 && exchange.behave('unknownFields') === 'reject' ? unknown : []),
      ]
      if (problems.length > 0)
        throw new Refusal('invalidQuery', problemsText('The query', problems), { details: problems })
      world.look(exchange.project ?? '', (work) => operation.checkQuery(work, result.data), exchange.behave)
    },
    { validationFunction: (query, value) => query.safeParse(value, asking) },
  ) as Guard
}

/** An operation without parameters: all that are sent are unknown. */
const noParameters = (operation: Operation): Guard =>
  async function noParameters(c, next) {
    const { exchange } = c.var
    // Most requests have no query, and are spared the parsing.
    const unknown = c.req.url.includes('?') ? unknownFields(noFields, c.req.queries()) : []
    for (const problem of unknown) note(exchange, operation.spec, problem)
    if (unknown.length > 0 && exchange.behave('unknownFields') === 'reject')
      throw new Refusal('invalidQuery', problemsText('The query', unknown), { details: unknown })
    await next()
  }

const noFields = z.object({})

/** The body: its size and syntax first, then its content. */
export const body = (operation: Operation, { bodyLimit }: ApiOptions): Guard => {
  const schema = operation.body
  if (schema === undefined) return (_, next) => next()
  return async function body(c, next) {
    const { exchange } = c.var
    const sent = parseJson(await readBody(c, bodyLimit))
    const parsed = parse(schema, sent)
    const unknown = unknownFields(schema, sent)
    for (const problem of unknown) note(exchange, operation.spec, problem)
    const problems = [
      ...(parsed.ok ? [] : parsed.problems),
      ...(unknown.length > 0 && exchange.behave('unknownFields') === 'reject' ? unknown : []),
    ]
    if (!parsed.ok || problems.length > 0)
      throw new Refusal('invalidBody', problemsText('The request body', problems), { details: problems })
    c.set('body', parsed.value)
    await next()
  }
}

/** Does the work and answers it, with all headers at once. */
export const answer = (operation: Operation, { world, provider, paymentUrl }: ApiOptions) =>
  function answer(c: Context<ApiEnv>): Response {
    const { exchange } = c.var
    const project = c.req.param('project')!
    // What was begun before a reset, a load or a restore must not write into the state that came after it.
    if (world.generationOf(project) !== exchange.generation)
      throw new Refusal(
        'stateReplaced',
        `The state of project '${project}' was replaced while the request was under way.`,
      )
    const input = { params: c.req.param(), query: c.req.valid('query' as never) as unknown, body: c.var.body }
    const result = world.run(project, exchange.behave, (work) => {
      const done = operation.handle(work, input)
      exchange.changes = work.changes
      return done
    })
    const { origin } = new URL(c.req.url)
    const shown = operation.view(result, {
      provider,
      timestampPrecision: exchange.behaviors.timestampPrecision,
      paymentUrl: (paymentLink) => paymentUrl(project, paymentLink, origin),
    })
    // The status first: it may be one more open point that the headers tell of.
    const status = statusOf(operation, exchange)
    return send(exchange, jsonAnswer(shown, status, exchangeHeaders(exchange)))
  }

const statusOf = (operation: Operation, { behave }: Exchange): number =>
  operation.creates ? behave('createStatus') : operation.status
