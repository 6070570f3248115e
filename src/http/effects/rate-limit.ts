import { Refusal } from '../../schema/error.ts'
import { amountText } from '../../schema/problem.ts'
import type { Limited } from '../../traffic/windows.ts'
import { type Answer, errorAnswer } from '../../wire/respond.ts'
import { type ApiOptions, type Exchange, exchangeHeaders } from '../exchange.ts'

/** The refusal of a request beyond a rate limit, with the usual fields: how much, and how many seconds to wait. */
export const limitedAnswer = (exchange: Exchange, { world }: ApiOptions, { limit, wait }: Limited): Answer => {
  const seconds = `${Math.max(1, Math.ceil(wait / 1000))}`
  const refusal = new Refusal(
    'rateLimited',
    `Project '${exchange.project}' has used up its limit of ${amountText(limit, 'request')}.`,
    {
      hint: `The next window begins in ${wait} ms of the mock clock.${standstill(world, exchange.project!)}`,
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

/** How the next window is reached where the clock does not run by itself. */
const standstill = (world: ApiOptions['world'], project: string): string => {
  const { mode } = world.clockOf(project)
  if (mode === 'real') return ''
  return ` That clock is ${mode}: move it with POST /__admin/projects/${encodeURIComponent(project)}/clock/advance.`
}
