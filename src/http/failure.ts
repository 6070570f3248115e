import { Refusal } from '../schema/error.ts'
import { refusalOf } from '../wire/respond.ts'
import { type ApiOptions, type Exchange, refuse } from './exchange.ts'
import { noteRefusal } from './violations.ts'

/** What a client of the mocked API gets for anything that was thrown. */
export const apiFailure = (error: unknown, exchange: Exchange, { onError }: ApiOptions): Response => {
  const refusal = refusalOf(error, onError)
  noteRefusal(exchange, refusal)
  if (refusal.code !== 'invalidBody') return refuse(refusal, exchange)
  const { code, message, hint, details } = refusal
  return refuse(new Refusal(code, message, { hint, details, status: exchange.behave('invalidBodyStatus') }), exchange)
}
