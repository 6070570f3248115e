import { MockError } from '../schema/error.ts'
import type { Effect } from '../schema/effect.ts'
import type { AppliedFault } from '../traffic/faults.ts'
import { type ResponseData, createResponse } from '../wire/respond.ts'
import { createOnEnd } from '../wire/transport.ts'
import { corrupt, createRateLimitResponse, createStatusResponse, evolve } from './fault-effects.ts'
import type { RequestContext } from './request-context.ts'

/** Finds the fault that applies to the request, and counts the hit. The context gets the rate limit that matches. */
export const matchFault = (context: RequestContext): AppliedFault | undefined => {
  const { options, operation, project, req, transport, text } = context
  const { faults } = options.traffic
  if (operation === undefined || !faults.mayApply(project)) return undefined
  // A request that began before a reset does not use up a fault that was created after it.
  if (options.store.getGeneration(project) !== context.generation) return undefined
  const { method, url } = req
  const headers = transport.headers()
  const request = { project, operation: operation.id, method, url, headers, text, status: undefined }
  const { applied, rateLimit } = faults.choose(request)
  context.rateLimit = rateLimit
  return applied
}

/**
 * Applies a fault to a request: before the operation, or after it with `phase: 'after'`. Requests wait only here. Throws
 * `stateReplaced` or `shuttingDown` if that happens during the wait.
 */
export const applyFault = async (
  context: RequestContext,
  { id, rule }: AppliedFault,
  execute: () => ResponseData,
): Promise<Response> => {
  const { effect, phase = 'before' } = rule
  context.fault = id
  context.past = effect.stale
  let delivered = phase === 'after' ? execute() : undefined
  const isConnected =
    effect.delay === undefined
      ? !effect.hold || (await wait(context, { heldBy: id }))
      : await wait(context, { milliseconds: getDelay(context, effect.delay) })
  if (!isConnected) return drop(context, 'close')
  // Both deliveries happen, also if the client then receives no response.
  if (effect.duplicate) delivered = execute()
  if (effect.connection === 'hang') await wait(context, {})
  if (effect.connection !== undefined) return drop(context, effect.connection === 'reset' ? 'reset' : 'close')
  const response = createReplacement(context, effect) ?? delivered ?? execute()
  context.response = effect.evolve === undefined ? response : evolve(response, effect.evolve)
  return effect.corrupt === undefined
    ? createResponse(context.response)
    : corrupt(context, context.response, effect.corrupt)
}

/** The error of a request whose project was reset, loaded, restored or deleted meanwhile. It has changed nothing. */
export const stateReplaced = (project: string): MockError =>
  new MockError('stateReplaced', `The state of project '${project}' was replaced during the request.`)

const getDelay = ({ options, project }: RequestContext, delay: NonNullable<Effect['delay']>): number => {
  const { milliseconds, jitter = 0 } = delay
  return jitter === 0 ? milliseconds : milliseconds + Math.round(options.store.draw(project) * jitter)
}

/** Waits for a time or a release, or else until the client disconnects. Returns false if it disconnected. */
const wait = async (
  context: RequestContext,
  until: { readonly milliseconds?: number; readonly heldBy?: string },
): Promise<boolean> => {
  const { project, req, connection, options } = context
  const onEnd = createOnEnd({ raw: req.raw, connection })
  switch (await options.traffic.waits.wait({ project, onEnd, ...until })) {
    case 'elapsed':
      return true
    case 'disconnected':
      return false
    case 'replaced':
      throw stateReplaced(project)
    case 'stopped':
      throw new MockError('shuttingDown', 'The server is stopping.')
  }
}

const drop = (context: RequestContext, how: 'reset' | 'close'): Response => {
  context.response = undefined
  return context.transport.drop(how)
}

/** Creates the response that replaces the operation. Undefined if the fault has none. */
const createReplacement = (context: RequestContext, effect: Effect): ResponseData | undefined => {
  const { rateLimit } = context
  if (effect.rateLimit !== undefined && rateLimit !== undefined) return createRateLimitResponse(context, rateLimit)
  return effect.status === undefined ? undefined : createStatusResponse(context, effect, effect.status)
}
