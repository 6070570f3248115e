import type { Context } from 'hono'
import type { Effect } from '../../schema/fault.ts'
import { type Answer, responseOf } from '../../wire/respond.ts'
import type { ApiEnv } from '../exchange.ts'

/** Spoils an answer: fewer bytes than it promises, broken JSON, or no body. */
export const corrupted = (c: Context<ApiEnv>, answer: Answer, how: NonNullable<Effect['corrupt']>): Response => {
  if (how === 'truncated') return c.env.line.truncate(answer)
  const spoiled = { ...answer, text: how === 'empty' ? '' : malformed(answer.text ?? '') }
  c.var.exchange.answer = spoiled
  return responseOf(spoiled)
}

/** As long as it was, and no JSON any more. */
const malformed = (text: string): string => `${text.slice(0, -1)}!`
