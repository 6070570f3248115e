import type { Context, Hono } from 'hono'
import { Refusal } from '../schema/error.ts'
import type { Verb } from '../schema/verb.ts'
import { type Call, type VerbId, verbs } from '../schema/verbs.ts'
import { type ConnectionEnv, onEndOf, originOf } from '../wire/connection.ts'
import { readBytes, textOf } from '../wire/body.ts'
import { maxStateDepth, parseJson } from '../wire/json.ts'
import { isLong, jsonStream } from '../wire/json-stream.ts'
import { isJson, json, notJson, refuseCoding } from '../wire/media-type.ts'
import { emptyResponse, errorResponse, jsonResponse, nosniff } from '../wire/respond.ts'
import { honoPath, methodNotAllowed, methodsAt, nearestRoutes, type Route, routeNotFound } from '../wire/route.ts'
import type { RunVerb } from './control.ts'
import { largeStateHint } from './error-docs.ts'
import { controlDocument, type ControlRoute } from './openapi.ts'
import { defend } from './defence.ts'
import { answerEvents } from './event-stream.ts'
import type { Caller } from './task.ts'

/** Where the control plane lives: outside `/projects`, where a client of the service never goes. */
const adminPath = '/__admin'

// Larger states come from a seed file or from `generate`, which need no request.
const maxBody = 64 * 1024 * 1024

// A longer response, in characters, is streamed without a length: a string has at most half a gigabyte.
const maxText = 32 * 1024 * 1024

/** What comes with a call: the mock that it steers. The routes are the same for every mock. */
export interface ControlEnv {
  Bindings: ConnectionEnv['Bindings'] & { readonly run: RunVerb }
}

type PlaneContext = Pick<Context<ControlEnv>, 'req' | 'env'>

/** The verbs as routes: a verb for both scopes is two, with the same sub-path. */
const controlRoutes: readonly ControlRoute[] = Object.entries<Verb>(verbs).flatMap(([id, verb]) => {
  const row = { ...verb, verb: id as VerbId, status: verb.status ?? ((verb.response ?? verb.event) ? 200 : 204) }
  const one = { ...row, id, path: `${adminPath}/projects/{project}${verb.path}` }
  const all = {
    ...row,
    id: verb.scope === 'both' ? `${id}ForAll` : id,
    path: `${adminPath}${verb.path}`,
    body: verb.bodyForAll ?? verb.body,
    response: verb.responseForAll ?? verb.response,
  }
  return { mock: [all], project: [one], both: [all, one] }[verb.scope]
})

/** Mounts the control plane. */
export const mountControl = <E extends ControlEnv>(app: Hono<E>): void => {
  // Before the defence: a health check knows no token and comes under any name.
  app.get('/healthz', answerHealth)
  app.get(`${adminPath}/health`, answerHealth)
  for (const route of controlRoutes)
    app.on(
      route.method,
      honoPath(route.path),
      defended((c) => answerVerb(c, route), route),
    )
  app.get(
    `${adminPath}/openapi.json`,
    defended(() => jsonResponse(controlDocument(controlRoutes), 200, uncached)),
  )
  app.all(`${adminPath}/*`, defended(answerRest))
}

type Handle = (c: PlaneContext) => Response | Promise<Response>

/** Part of the handler, not of the path: the path that a prefix test sees is not always the one that the router sees. */
const defended =
  (handle: Handle, route?: ControlRoute): Handle =>
  (c) => {
    defend(c)
    if (route?.query?.shape['project'] === undefined) rejectProjectInQuery(c)
    return handle(c)
  }

/** A project belongs in the path: a call that names it in the query alone would act on all of them. */
const rejectProjectInQuery = ({ req }: PlaneContext): void => {
  const project = req.query('project')
  if (project === undefined) return
  const path = `${adminPath}/projects/${encodeURIComponent(project)}${req.path.slice(adminPath.length)}`
  if (!methodsAt(controlRoutes, path).includes(req.method)) return
  const problem = { path: 'project', message: 'project belongs in the path.' }
  throw new Refusal('invalidQuery', problem.message, { details: [problem], status: 422, hint: `Use ${path}.` })
}

const answerHealth = (c: PlaneContext): Response => {
  if (!c.env.connection?.stopping()) return jsonResponse(c.env.run('health', {}, callerOf(c)), 200, uncached)
  return errorResponse(new Refusal('stopping', 'The server is stopping.'), 'object', uncached)
}

const answerVerb = async (c: PlaneContext, route: ControlRoute): Promise<Response> => {
  const { run } = c.env
  const call: Call = { params: c.req.param(), query: queryOf(c), body: await bodyOf(c, route) }
  const caller = callerOf(c)
  if (route.event !== undefined) return answerEvents(c, (reader) => run(route.verb, call, { ...caller, ...reader }))
  const answer = (await run(route.verb, call, caller)) as object | undefined
  if (answer === undefined) return emptyResponse(204, uncached)
  const status = isPlan(answer) ? 202 : route.status
  return isLong(answer, maxText) ? streamed(answer, status) : jsonResponse(answer, status, uncached)
}

const streamed = (answer: unknown, status: number): Response =>
  new Response(jsonStream(answer), { status, headers: { 'content-type': json, ...nosniff, ...uncached } })

const callerOf = ({ req, env }: PlaneContext): Caller => ({
  origin: originOf(req.url),
  onEnd: onEndOf({ raw: req.raw, connection: env.connection }),
})

// A payment that is to come is accepted, not made.
const isPlan = (answer: object): boolean => 'when' in answer

const answerRest = (c: PlaneContext): Response => {
  const methods = methodsAt(controlRoutes, c.req.path)
  if (methods.length === 0) throw routeNotFound(c.req.method, c.req.path, nearestRoutes(controlRoutes, c.req.path))
  const allow = { allow: methods.join(', ') }
  // No CORS: a page of another origin learns from its preflight that it may not.
  if (c.req.method === 'OPTIONS') return emptyResponse(204, allow)
  return errorResponse(methodNotAllowed(c.req.method, c.req.path, methods), 'object', allow)
}

const uncached = { 'cache-control': 'no-store' }

const queryOf = ({ req }: PlaneContext): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )

/** Returns the parsed body. Only JSON is accepted: otherwise a form of another site could control the mock. */
const bodyOf = async (c: PlaneContext, { path }: Route): Promise<unknown> => {
  // As in `fetch`, these have no body.
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return undefined
  // Before the body is read: a compressed body is not text.
  refuseCoding(c.req.header('content-encoding'))
  const bytes = await readBytes(c.env.line, maxBody).catch(withStateHint)
  if (bytes.length === 0) return undefined
  const contentType = c.req.header('content-type') ?? ''
  if (!isJson(contentType)) throw notJson(contentType)
  // The body of `PUT /tokens` is as secret as a field of that name.
  const field = path.slice(path.lastIndexOf('/') + 1)
  // Secret: a state may contain tokens, which no error may quote.
  return parseJson(textOf(bytes), { maxDepth: maxStateDepth, secret: true, field })
}

/** Replaces the hint of `bodyTooLarge`: `--body-limit` does not apply to the control API. */
const withStateHint = (error: unknown): never => {
  if (!(error instanceof Refusal) || error.code !== 'bodyTooLarge') throw error
  throw new Refusal('bodyTooLarge', error.message, { hint: largeStateHint })
}
