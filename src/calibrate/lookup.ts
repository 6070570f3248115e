import type { Fields } from '../schema/fields.ts'
import { exchangeText, fieldsOf, isOk, type Request } from './exchange.ts'
import type { Send } from './service.ts'
import { CouldNotTell } from './verdict.ts'

export type Kind = 'users' | 'paymentLinks'

/** The body of a create, with what names its record: an email, a full name, or the invoice of a link. */
export interface CreateBody extends Fields {
  readonly email?: string
  readonly fullName?: string
  readonly invoice?: string
}

/** The list that contains the record of a create, if it was created. Only active links matter: no other can be canceled. */
export const lookupOf = (base: string, kind: Kind, { email, invoice = '' }: CreateBody): Request => {
  if (kind === 'paymentLinks') {
    const query = `invoice=${encodeURIComponent(invoice)}&status=active&limit=200`
    return { method: 'GET', path: `${base}/paymentLinks?${query}`, answers: 'paymentLinks' }
  }
  // A search without an email finds nobody, or everybody.
  if (email === undefined) return { method: 'GET', path: `${base}/users?limit=200`, answers: 'users' }
  return { method: 'POST', path: `${base}/users/search`, body: { email }, answers: 'users' }
}

/** A service may repeat a cursor for ever. */
const maxPages = 100

/** Every record on every page of a list. Throws `CouldNotTell` when a page is missing. */
export async function* recordsOf(send: Send, request: Request): AsyncGenerator<unknown, void> {
  let path = request.path
  for (let page = 0; page < maxPages; page++) {
    const exchange = await send({ ...request, path })
    const { items, moreItemsAfter } = fieldsOf(exchange)
    if (!isOk(exchange) || !Array.isArray(items)) throw new CouldNotTell(exchangeText(exchange))
    yield* items
    if (typeof moreItemsAfter !== 'string' || moreItemsAfter === '') return
    const after = new URLSearchParams({ after: moreItemsAfter }).toString()
    path = `${request.path}${request.path.includes('?') ? '&' : '?'}${after}`
  }
  throw new CouldNotTell(`${request.method} ${request.path} has more than ${maxPages} pages`)
}

/** The id of a record; undefined if it has none that a path can hold as one segment. */
export const idOf = (record: unknown): string | undefined => {
  const { id } = fieldsOf({ body: record })
  return typeof id === 'string' && !/^\.{0,2}$|\p{Surrogate}/u.test(id) ? id : undefined
}
