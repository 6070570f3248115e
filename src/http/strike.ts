import type { Context } from 'hono'
import { type Answer, responseOf } from '../wire/respond.ts'
import { breakConnection } from './effects/connection.ts'
import { corrupted } from './effects/corrupt.ts'
import { delay } from './effects/delay.ts'
import { limitedAnswer } from './effects/rate-limit.ts'
import { statusAnswer } from './effects/status.ts'
import type { ApiEnv, ApiOptions } from './exchange.ts'
import { hasBody, readBody } from './read-body.ts'
import { sightingOf } from './sighting.ts'

/**
 * Lets a fault strike the request, if one does: before the operation, which then does not happen where the fault answers
 * in its place, or after it. Answers what the client gets; undefined leaves it at what the operation answered.
 */
export const strike = async (
  c: Context<ApiEnv>,
  options: ApiOptions,
  next: () => Promise<void>,
): Promise<Response | undefined> => {
  const { exchange } = c.var
  // A rule may be about the body. One that cannot be read matches none, and is refused in its turn.
  if (hasBody(c)) await readBody(c, options.bodyLimit).catch(() => {})
  const strike = options.traffic.faults.choose({ ...sightingOf(c), project: exchange.project! })
  if (strike === undefined) {
    await next()
    return undefined
  }

  exchange.fault = strike.id
  const { effect, phase = 'before' } = strike.rule
  if (phase === 'after') await next()
  if (effect.delay !== undefined && !(await delay(c, options, effect.delay))) return gone(c)
  if (effect.connection !== undefined) return breakConnection(c, options, effect.connection)
  const inPlace = replacement(c, strike.limited, effect)
  if (inPlace === undefined && phase === 'before') await next()
  if (inPlace !== undefined) exchange.answer = inPlace
  if (effect.corrupt !== undefined) return corrupted(c, exchange.answer!, effect.corrupt)
  return inPlace && responseOf(inPlace)
}

type Strike = NonNullable<ReturnType<ApiOptions['traffic']['faults']['choose']>>

/** What is answered in place of the operation. */
const replacement = (
  { var: { exchange } }: Context<ApiEnv>,
  limited: Strike['limited'],
  effect: Strike['rule']['effect'],
): Answer | undefined => {
  if (limited !== undefined) return limitedAnswer(exchange, limited)
  return effect.status === undefined ? undefined : statusAnswer(exchange, effect, effect.status)
}

/** The client went away while it was made to wait. */
const gone = (c: Context<ApiEnv>): Response => {
  c.var.exchange.answer = undefined
  return c.env.line.drop('close')
}
