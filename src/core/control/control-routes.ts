import { zValidator } from '@hono/zod-validator'
import { type Context, Hono, type MiddlewareHandler, type Next } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { errors, hasCode, invalidControlQuery } from '../schema/error.ts'
import { quote } from '../schema/problem.ts'
import { strict } from '../schema/unknown-fields.ts'
import type { EventSubscription } from '../traffic/events.ts'
import { maxStateDepth, parseJson, rejectCoding } from '../http/json.ts'
import { findNearestRoutes, isDecodable, listMethods, type Route, toHonoPath } from '../openapi/route.ts'
import { type ConnectionEnv, createOnEnd, drop, getOrigin, readText, respondToOtherMethod } from '../http/transport.ts'
import { checkAccess } from './access.ts'
import type { Caller, Command, CommandContext } from './command.ts'
import {
  callCommand,
  checkBody,
  checkParams,
  checkQuery,
  commands,
  noBody,
  noQuery,
  PathParameters,
} from './commands.ts'
import type { ControlRoute } from './control-document.ts'

/** Outside `/projects`: a client of the mocked API never uses this path. */
const adminPath = '/__admin'

const maxControlBody = 64 * 1024 * 1024

/** All mocks share the routes, so each request has its mock. */
export interface ControlEnv {
  Bindings: ConnectionEnv['Bindings'] & {
    /** Throws if the sandbox was deleted. */
    readonly getContext: () => CommandContext
    /** The path of the sandbox, such as `/@checkout-1`, or an empty string. */
    readonly prefix: string
  }
}

type ControlContext = Context<ControlEnv>

/** A command for both scopes has two routes, with the same sub-path. */
const controlRoutes: readonly ControlRoute[] = Object.entries<Command>(commands).flatMap(([id, command]) => {
  const { scope, path, bodyForAll, responseForAll, examplesForAll, ...routeDetails } = command
  const status = command.status ?? ((command.response ?? command.event) ? 200 : 204)
  const projectRoute = { ...routeDetails, id, status, path: `${adminPath}/projects/{project}${path}` }
  const sharedRoute = {
    ...projectRoute,
    id: scope === 'both' ? `${id}ForAll` : id,
    path: `${adminPath}${path}`,
    ...(bodyForAll && { body: bodyForAll }),
    ...(responseForAll && { response: responseForAll }),
    ...(examplesForAll && { examples: examplesForAll }),
  }
  return { mock: [sharedRoute], project: [projectRoute], both: [sharedRoute, projectRoute] }[scope]
})

/** The routes that are not commands. */
const otherRoutes: readonly Pick<Route, 'method' | 'path'>[] = [
  { method: 'GET', path: '/healthz' },
  { method: 'GET', path: `${adminPath}/openapi.json` },
]

export const createControlApp = (): Hono<ControlEnv> => {
  const app = new Hono<ControlEnv>()
  for (const path of ['/healthz', `${adminPath}/*`]) app.use(path, noStore)
  // Health checks have no token and may use any Host.
  for (const path of ['/healthz', `${adminPath}${commands.health.path}`]) app.get(path, respondHealth)
  app.use(`${adminPath}/*`, requireAccess)
  for (const route of controlRoutes) addRoute(app, route)
  app.get(`${adminPath}/openapi.json`, async (c) => {
    // Loaded on first use: few mocks need it.
    const { buildControlDocument } = await import('./control-document.ts')
    return c.json(buildControlDocument(controlRoutes, c.env.prefix))
  })
  for (const path of ['/healthz', `${adminPath}/*`]) app.all(path, respondUnmatched)
  return app
}

/** Errors and event streams must not be cached either. */
const noStore = async (c: ControlContext, next: Next) => {
  await next()
  c.res.headers.set('cache-control', 'no-store')
  c.res.headers.set('x-content-type-options', 'nosniff')
}

const requireAccess = (c: ControlContext, next: Next) => {
  checkAccess(c)
  if (!isDecodable(c.req.url)) throw errors.malformedRequest('undecodablePath')
  return next()
}

/** A call with the project in the query, instead of the path, would act on all projects. */
const rejectProjectInQuery = ({ req, env }: ControlContext): void => {
  const project = req.query('project')
  if (project === undefined) return
  const path = `${adminPath}/projects/${encodeURIComponent(project)}${req.path.slice(adminPath.length)}`
  if (!listMethods(controlRoutes, path).includes(req.method)) return
  const problem = { path: 'project', message: 'project belongs in the path.' }
  throw invalidControlQuery({ message: problem.message, details: [problem], hint: `Use ${env.prefix}${path}.` })
}

const respondHealth = (c: ControlContext): Response => {
  if (c.env.connection?.stopping?.aborted) throw errors.shuttingDown()
  return c.json(callCommand('health', c.env.getContext(), {}, createCaller(c)))
}

/** The hooks throw the same errors as a call in this process. */
const addRoute = (app: Hono<ControlEnv>, route: ControlRoute) => {
  const { query = noQuery, body = noBody } = route
  app.on(
    route.method,
    toHonoPath(route.path),
    prepareCall(route),
    zValidator('param', PathParameters, ({ success, data }) => {
      if (!success) checkParams(data)
    }),
    zValidator('query', strict(query), ({ success, data }) => {
      if (!success) checkQuery(query, data)
    }),
    zValidator('json', strict(body), ({ success, data }) => {
      if (!success) checkBody(body, data)
    }),
    async (c) => {
      const { project, ...params } = c.req.valid('param')
      const parsedCall = { project, params, query: c.req.valid('query'), body: c.req.valid('json'), ...createCaller(c) }
      const mock = c.env.getContext()
      if (route.event !== undefined)
        return streamEvents(c, (reader) => route.handle(mock, { ...parsedCall, ...reader }) as EventSubscription)
      const commandResult = await route.handle(mock, parsedCall)
      if (commandResult === undefined) return c.body(null, 204)
      const status = (route.accepted?.safeParse(commandResult).success ? 202 : route.status) as ContentfulStatusCode
      return typeof commandResult === 'string' ? c.text(commandResult, status) : c.json(commandResult, status)
    },
  )
}

/** Hono's validator reads only bodies of these types. It takes any other body for an empty object. */
const readableType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/**
 * Checks the place of the project, then the form of the body, before the fields of a call are validated. The body must be sent
 * as JSON: otherwise a form on any web page could call the control API.
 */
const prepareCall = ({ path, query, body = noBody }: ControlRoute): MiddlewareHandler<ControlEnv> => {
  const needsBody = !body.safeParse(undefined).success
  return async (c, next) => {
    if (query?.shape.project === undefined) rejectProjectInQuery(c)
    // Checked first: a compressed body is not text.
    rejectCoding(c.req.header('content-encoding'))
    const bodyText = await readText(c, maxControlBody).catch(throwWithStateHint)
    const contentType = c.req.header('content-type') ?? ''
    if (bodyText !== '' && !readableType.test(contentType)) throw errors.unsupportedMediaType({ contentType })
    if (bodyText === '' && needsBody) throw errors.malformedBody('empty')
    // The validator parses the text again, but its errors say less. No error may quote a token, such as one in a fault's headers.
    const mayHaveSecret = /\/(?:tokens|state)$/.test(path) || /token|header/i.test(bodyText)
    if (bodyText !== '') parseJson(bodyText, { maxDepth: maxStateDepth, secret: mayHaveSecret })
    // The validator reads the text from the cache of Hono, which has promises. An optional body is an empty object.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(bodyText || '{}') })
    // The sandbox may have been deleted while the body arrived.
    c.env.getContext()
    await next()
  }
}

const createCaller = (c: ControlContext): Caller => {
  const origin = getOrigin(c.req.url)
  const needsAdminToken = c.env.connection?.admin.token !== undefined
  return { origin, address: { mockUrl: origin + c.env.prefix, needsAdminToken }, onEnd: createOnEnd(c) }
}

const respondUnmatched = (c: ControlContext): Response => {
  rejectProjectInQuery(c)
  const methods = listMethods([...controlRoutes, ...otherRoutes], c.req.path)
  const { method, path } = c.req
  if (methods.length === 0)
    throw errors.routeNotFound({ method, path, near: findNearestRoutes(controlRoutes, method, path) })
  // Without CORS headers, a page of another origin cannot call the control API.
  return respondToOtherMethod(c, methods)
}

/** Replaces the hint of `bodyTooLarge`: `--body-limit` does not apply to the control API. */
const throwWithStateHint = (error: unknown): never => {
  throw hasCode(error, 'bodyTooLarge') ? errors.bodyTooLarge(maxControlBody, 'state') : error
}

/** Disconnects a reader that is too slow. */
const streamEvents = (
  c: ControlContext,
  followEvents: (reader: Pick<Caller, 'lastEvent' | 'onBehind'>) => EventSubscription,
): Response => {
  let disconnect = () => {}
  const lastEvent = parseLastEvent(c.req.header('last-event-id'))
  // A HEAD has no reader.
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
  const events = followEvents({ lastEvent, onBehind: () => disconnect() })
  return streamSSE(c, async (stream) => {
    disconnect = () => (c.env.incoming === undefined ? stream.abort() : void drop(c, 'close'))
    stream.onAbort(() => void events.return())
    // Without a first byte the client would not know that it is connected.
    await stream.write(': events\n\n')
    for await (const event of events)
      await stream.writeSSE({ id: `${event.id}`, event: event.type, data: JSON.stringify(event) })
  })
}

const parseLastEvent = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw invalidControlQuery({ message: `Last-Event-ID must be the id of an event (got ${quote(header)}).` })
}
