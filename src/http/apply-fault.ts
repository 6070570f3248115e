import { errors } from '../schema/error.ts'
import type { Effect } from '../schema/effect.ts'
import type { AppliedFault } from '../traffic/faults.ts'
import { type ResponseData, createResponse, type OutgoingResponse } from '../wire/respond.ts'
import { createOnEnd } from '../wire/transport.ts'
import { corrupt, createRateLimitResponse, createStatusResponse, evolve } from './fault-effects.ts'
import type { RequestContext } from './request-context.ts'

/** A response with a longer delay is late, in milliseconds. */
const lateAfter = 1000

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
): Promise<OutgoingResponse> => {
  const { effect, phase = 'before' } = rule
  context.fault = id
  context.effect = effect
  context.past = effect.stale
  let delivered = phase === 'after' ? execute() : undefined
  const milliseconds = effect.delay === undefined ? 0 : getDelay(context, effect.delay)
  const isConnected =
    effect.delay === undefined
      ? !effect.hold || (await wait(context, { heldBy: id }))
      : await wait(context, { milliseconds })
  // A held response is always late: the time of the machine would differ between runs.
  context.isLate = effect.hold === true || milliseconds > lateAfter
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
      throw errors.stateReplaced({ project })
    case 'stopped':
      throw errors.shuttingDown()
  }
}

const drop = (context: RequestContext, how: 'reset' | 'close'): OutgoingResponse => {
  context.response = undefined
  return context.transport.drop(how)
}

/** Creates the response that replaces the operation. Undefined if the fault has none. */
const createReplacement = (context: RequestContext, effect: Effect): ResponseData | undefined => {
  const { rateLimit } = context
  if (effect.rateLimit !== undefined && rateLimit !== undefined) return createRateLimitResponse(context, rateLimit)
  return effect.status === undefined ? undefined : createStatusResponse(context, effect, effect.status)
}
