import type { Effect } from '../../schema/fault.ts'
import { type Answer, responseOf } from '../../wire/respond.ts'
import type { Exchange } from '../exchange.ts'

/** Spoils an answer: fewer bytes than it promises, broken JSON, or no body. */
export const corrupted = (exchange: Exchange, answer: Answer, how: NonNullable<Effect['corrupt']>): Response => {
  if (how === 'truncated') return exchange.line.truncate(answer)
  const spoiled = { ...answer, text: how === 'empty' ? '' : malformed(answer.text ?? '') }
  exchange.answer = spoiled
  return responseOf(spoiled)
}

/** As long as it was, and no JSON any more. */
const malformed = (text: string): string => `${text.slice(0, -1)}!`
