import { MockError } from '../schema/error.ts'
import type { Effect } from '../schema/fault.ts'
import type { Faults } from '../traffic/faults.ts'
import { onEndOf } from '../wire/transport.ts'
import { type ResponseData, responseOf } from '../wire/respond.ts'
import { corrupt, rateLimitResponse, statusResponse } from './fault-effects.ts'
import type { RequestContext } from './request-context.ts'

type MatchedFault = NonNullable<ReturnType<Faults['choose']>>

/** Finds the fault that applies to the request, and counts the hit. */
export const matchFault = (context: RequestContext): MatchedFault | undefined => {
  const { options, operation, project, raw, transport, text } = context
  const { faults } = options.traffic
  if (operation === undefined || project === undefined || !faults.mayApply(project)) return undefined
  // A request that began before a reset does not use up a fault that was created after it.
  if (options.store.generationOf(project) !== context.generation) return undefined
  const { method, url } = raw
  return faults.choose({
    project,
    operation: operation.id,
    method,
    url,
    headers: transport.headers(),
    text,
    status: undefined,
  })
}

/**
 * Applies a fault to a request: before the operation, or after it with `phase: 'after'`. This is the only place where a
 * request waits. Throws `stateReplaced` or `shuttingDown` if that happens meanwhile.
 */
export const applyFault = async (
  context: RequestContext,
  { id, rule, limited }: MatchedFault,
  execute: () => ResponseData,
): Promise<Response> => {
  const { effect, phase = 'before' } = rule
  context.fault = id
  const early = phase === 'after' ? execute() : undefined
  if (effect.delay !== undefined && !(await wait(context, delayOf(context, effect.delay))))
    return drop(context, 'close')
  if (effect.connection === 'hang') await wait(context)
  if (effect.connection !== undefined) return drop(context, effect.connection === 'reset' ? 'reset' : 'close')
  context.response = replacementOf(context, limited, effect) ?? early ?? execute()
  return effect.corrupt === undefined
    ? responseOf(context.response)
    : corrupt(context, context.response, effect.corrupt)
}

const delayOf = ({ options, project }: RequestContext, delay: NonNullable<Effect['delay']>): number => {
  const { milliseconds, jitter = 0 } = delay
  return jitter === 0 ? milliseconds : milliseconds + Math.round(options.store.draw(project!) * jitter)
}

/** Waits, without `milliseconds` until the client goes away. Returns false if the client went away. */
const wait = async (context: RequestContext, milliseconds?: number): Promise<boolean> => {
  const project = context.project!
  const end = await context.options.traffic.waits.wait({ project, milliseconds, onEnd: onEndOf(context) })
  switch (end) {
    case 'elapsed':
      return true
    case 'gone':
      return false
    case 'replaced':
      throw new MockError(
        'stateReplaced',
        `The state of project '${project}' was replaced while the request was under way.`,
      )
    case 'stopped':
      throw new MockError('shuttingDown', 'The server is stopping.')
  }
}

const drop = (context: RequestContext, how: 'reset' | 'close'): Response => {
  context.response = undefined
  return context.transport.drop(how)
}

/** The response that replaces that of the operation, if the fault has one. */
const replacementOf = (
  context: RequestContext,
  limited: MatchedFault['limited'],
  effect: Effect,
): ResponseData | undefined => {
  if (limited !== undefined) return rateLimitResponse(context, limited)
  return effect.status === undefined ? undefined : statusResponse(context, effect, effect.status)
}
