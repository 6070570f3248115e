import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import { paymentLinkOf } from '../domain/payment-links.ts'
import { userOf } from '../domain/users.ts'
import type { World } from '../domain/world.ts'
import { Refusal } from '../schema/error.ts'
import { asking, parse, problemsOf, problemsText } from '../schema/problem.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { parseJson, readText } from '../wire/json.ts'
import { admitsJson, isJson, notJson } from '../wire/media-type.ts'
import { jsonResponse } from '../wire/respond.ts'
import { type ApiEnv, type ApiOptions, type Exchange, exchangeHeaders, openExchange } from './exchange.ts'
import type { Operation } from './operation.ts'

type Guard = MiddlewareHandler<ApiEnv>

// These refusals leave a project that is not there yet unborn: the address may be a typing mistake.
const leavesUnborn = new Set([401, 403, 404, 405])

/** Opens the exchange, and brings an unknown project into being when it is closed. */
export const open = ({ world, onProjectCreated }: ApiOptions): Guard =>
  async function open(c, next) {
    const project = c.req.param('project')
    c.set('exchange', openExchange(world, project))
    await next()
    // What was deleted or replaced meanwhile is not brought back by a request that was begun before.
    const isCurrent = project !== undefined && world.generationOf(project) === c.var.exchange.generation
    if (isCurrent && !leavesUnborn.has(c.res.status) && world.enter(project)) onProjectCreated(project)
  }

/** Spec §5: every request carries a bearer token. */
export const authenticate = ({ world, tokens }: ApiOptions): Guard =>
  async function authenticate(c, next) {
    const { project, behave } = c.var.exchange
    tokens.check(c.req.header('authorization'), project, world.timeOf(project ?? ''), behave)
    await next()
  }

/** Spec §5: the headers that say JSON. */
export const negotiate = (operation: Operation): Guard =>
  async function negotiate(c, next) {
    const { behave } = c.var.exchange
    const accept = c.req.header('accept')
    if (!admitsJson(accept ?? '') && behave('requestHeaders') === 'required')
      throw new Refusal('notAcceptable', `The Accept header must admit application/json (got '${accept ?? ''}').`, {
        hint: "Send 'Accept: application/json'.",
      })
    if (operation.body !== undefined || (await hasOtherBody(c))) refuseOtherMediaTypes(c)
    await next()
  }

// A body without a content type is read as JSON: many a client forgets it. One that says something else is refused.
const refuseOtherMediaTypes = (c: Context<ApiEnv>) => {
  const contentType = c.req.header('content-type') ?? ''
  if (isJson(contentType)) return
  if (contentType === '' && c.var.exchange.behave('requestHeaders') === 'lenient') return
  throw notJson(contentType)
}

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

/** Whether a body that is not JSON comes with a request that needs none. Over HTTP its length or its coding announces it. */
const hasOtherBody = async (c: Context<ApiEnv>): Promise<boolean> => {
  const contentType = c.req.header('content-type')
  if (contentType === undefined || isJson(contentType)) return false
  if (c.env.connection === undefined) return (await c.req.raw.arrayBuffer()).byteLength > 0
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0
}

const knownProjects = (world: World): string => {
  const names = world.names()
  return names.length === 0 ? 'No project is there yet.' : `Known projects: ${names.slice(0, 5).join(', ')}.`
}

/** The query, by the schema of the operation. Both cursors together are refused: they mark two places. */
export const query = (operation: Operation, { world }: ApiOptions): Guard => {
  const schema = operation.query
  if (schema === undefined) return (_, next) => next()
  return zValidator(
    'query',
    schema,
    (result, c) => {
      const { exchange } = c.var as ApiEnv['Variables']
      // As it was sent: what was parsed has lost what is unknown.
      const sent: Readonly<Record<string, unknown>> = c.req.queries()
      const unknown = unknownFields(schema, sent)
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

/** The body: its size and syntax first, then its content. */
export const body = (operation: Operation, { bodyLimit }: ApiOptions): Guard => {
  const schema = operation.body
  if (schema === undefined) return (_, next) => next()
  return async function body(c, next) {
    const sent = parseJson(await readText(c.req.raw, bodyLimit))
    const parsed = parse(schema, sent)
    const unknown = unknownFields(schema, sent)
    const problems = [
      ...(parsed.ok ? [] : parsed.problems),
      ...(unknown.length > 0 && c.var.exchange.behave('unknownFields') === 'reject' ? unknown : []),
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
    const result = world.run(project, exchange.behave, (work) => operation.handle(work, input))
    const { origin } = new URL(c.req.url)
    const shown = operation.view(result, {
      provider,
      timestampPrecision: exchange.behaviors.timestampPrecision,
      paymentUrl: (paymentLink) => paymentUrl(project, paymentLink, origin),
    })
    return jsonResponse(shown, statusOf(operation, exchange), exchangeHeaders(exchange))
  }

const statusOf = (operation: Operation, { behave }: Exchange): number =>
  operation.creates ? behave('createStatus') : operation.status
