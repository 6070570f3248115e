import { type Answer, responseOf } from '../wire/respond.ts'
import { breakConnection } from './effects/connection.ts'
import { corrupted } from './effects/corrupt.ts'
import { delay } from './effects/delay.ts'
import { limitedAnswer } from './effects/rate-limit.ts'
import { statusAnswer } from './effects/status.ts'
import { type ApiOptions, type Exchange, readBody } from './exchange.ts'
import { sightingOf } from './sighting.ts'

/**
 * Lets a fault strike the request, if one does: before the operation, which then does not happen where the fault answers
 * in its place, or after it. Answers what the client gets.
 */
export const strike = async (
  exchange: Exchange,
  options: ApiOptions,
  perform: () => Response | Promise<Response>,
): Promise<Response> => {
  // A rule may be about the body. One that cannot be read matches none, and is refused in its turn.
  if (exchange.line.hasBody()) await readBody(exchange, options.bodyLimit).catch(() => {})
  // What was begun before a reset takes no fault that was set after it: it is refused in its turn.
  const isCurrent = options.world.generationOf(exchange.project!) === exchange.generation
  const strike = isCurrent ? options.traffic.faults.choose(sightingOf(exchange)) : undefined
  if (strike === undefined) return perform()

  exchange.fault = strike.id
  const { effect, phase = 'before' } = strike.rule
  let response = phase === 'after' ? await perform() : undefined
  if (effect.delay !== undefined && !(await delay(exchange, options, effect.delay))) return gone(exchange)
  if (effect.connection !== undefined) return breakConnection(exchange, options, effect.connection)
  const inPlace = replacement(exchange, options, strike.limited, effect)
  if (inPlace !== undefined) {
    exchange.answer = inPlace
    response = responseOf(inPlace)
  }
  response ??= await perform()
  return effect.corrupt === undefined ? response : corrupted(exchange, exchange.answer!, effect.corrupt)
}

type Strike = NonNullable<ReturnType<ApiOptions['traffic']['faults']['choose']>>

/** What is answered in place of the operation. */
const replacement = (
  exchange: Exchange,
  options: ApiOptions,
  limited: Strike['limited'],
  effect: Strike['rule']['effect'],
): Answer | undefined => {
  if (limited !== undefined) return limitedAnswer(exchange, options, limited)
  return effect.status === undefined ? undefined : statusAnswer(exchange, effect, effect.status)
}

/** The client went away while it was made to wait. */
const gone = (exchange: Exchange): Response => {
  exchange.answer = undefined
  return exchange.line.drop('close')
}
