import type { Effect } from '../../schema/fault.ts'
import { onEndOf } from '../../wire/connection.ts'
import type { ApiOptions, Exchange } from '../exchange.ts'
import { goesOn } from './delay.ts'

/** Breaks the connection, closes it without an answer, or lets the client wait for ever. */
export const breakConnection = async (
  exchange: Exchange,
  { traffic }: ApiOptions,
  how: NonNullable<Effect['connection']>,
): Promise<Response> => {
  exchange.answer = undefined
  if (how !== 'hang') return exchange.line.drop(how)
  const project = exchange.project!
  goesOn(project, await traffic.waits.wait({ project, onEnd: onEndOf(exchange) }))
  return exchange.line.drop('close')
}
