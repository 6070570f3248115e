import type { Context } from 'hono'
import type { Effect } from '../../schema/fault.ts'
import { onEndOf } from '../../wire/connection.ts'
import type { ApiEnv, ApiOptions } from '../exchange.ts'
import { goesOn } from './delay.ts'

/** Breaks the connection, closes it without an answer, or lets the client wait for ever. */
export const breakConnection = async (
  c: Context<ApiEnv>,
  { traffic }: ApiOptions,
  how: NonNullable<Effect['connection']>,
): Promise<Response> => {
  const { exchange } = c.var
  exchange.answer = undefined
  if (how !== 'hang') return c.env.line.drop(how)
  const project = exchange.project!
  goesOn(project, await traffic.waits.wait({ project, onEnd: onEndOf(c) }))
  return c.env.line.drop('close')
}
