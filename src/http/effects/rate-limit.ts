import { Refusal } from '../../schema/error.ts'
import type { Limited } from '../../traffic/windows.ts'
import { type Answer, errorAnswer } from '../../wire/respond.ts'
import { type Exchange, exchangeHeaders } from '../exchange.ts'

/** The refusal of a request beyond a rate limit, with the usual fields: how much, and how many seconds to wait. */
export const limitedAnswer = (exchange: Exchange, { limit, wait }: Limited): Answer => {
  const seconds = `${Math.max(1, Math.ceil(wait / 1000))}`
  const refusal = new Refusal(
    'rateLimited',
    `Project '${exchange.project}' has used up its limit of ${limit} requests.`,
    {
      hint: `The next window begins in ${wait} ms of the mock clock.`,
    },
  )
  return errorAnswer(refusal, exchange.behaviors.errorFormat, {
    ...exchangeHeaders(exchange),
    'retry-after': seconds,
    'ratelimit-limit': `${limit}`,
    'ratelimit-remaining': '0',
    'ratelimit-reset': seconds,
  })
}
