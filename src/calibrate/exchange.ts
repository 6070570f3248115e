import { type Fields, isFields } from '../schema/fields.ts'

/** What a 2xx answer holds, by the specification: what decides how it is shown and checked. */
export type Answers = 'user' | 'paymentLink' | 'users' | 'paymentLinks'

/** A request to the service, below its base address. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** In place of those of spec §5; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly answers?: Answers
}

/** An exchange as a report shows it: without the token, and without the rows of others. */
export interface Shown {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status: number
  /** The beginning of the answer. */
  readonly answer: string
}

/** A request and its answer. */
export interface Exchange {
  readonly request: Request
  readonly status: number
  readonly contentType: string
  /** The answer as JSON; undefined where it is none. */
  readonly body: unknown
  readonly shown: Shown
  /** Whether an earlier attempt of the same request failed, and may have had its effect nevertheless. */
  readonly unsure: boolean
}

/** The fields of an answer; none where it is no object. */
export const fieldsOf = ({ body }: Pick<Exchange, 'body'>): Fields => (isFields(body) ? body : {})

/** The ids of a list, in its order; undefined where the answer is no list. Spec §2.4. */
export const idsOf = (exchange: Pick<Exchange, 'body'>): string[] | undefined => {
  const { items } = fieldsOf(exchange)
  return Array.isArray(items) ? items.map((item) => (isFields(item) ? String(item.id) : '')) : undefined
}

export const isOk = ({ status }: Pick<Exchange, 'status'>): boolean => status >= 200 && status < 300

/** Whether the request itself was refused: not the caller, not the pace, and by no failure. */
export const isRefusal = ({ status }: Pick<Exchange, 'status'>): boolean =>
  status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status)

/** `POST /projects/acme/users answered 422` */
export const exchangeText = ({ shown: { method, path, status } }: Exchange): string =>
  `${method} ${path} answered ${status}`

const longest = 300

/** The beginning of an answer. Of a list only what is ours: the rows of others are nobody's business here. */
export const excerptOf = (
  answers: Answers | undefined,
  status: number,
  text: string,
  body: unknown,
  isOwn: (id: string) => boolean,
): string => {
  const listed = isOk({ status }) && (answers === 'users' || answers === 'paymentLinks')
  if (!listed) return shortened(body === undefined ? text : JSON.stringify(body))
  if (!isFields(body) || !Array.isArray(body.items)) return '(no list, and not shown: it may hold the rows of others)'
  const own = body.items.filter((item) => isFields(item) && isOwn(String(item.id)))
  const others = body.items.length - own.length
  const rest = others === 0 ? '' : ` and ${others} of others`
  return `${shortened(own.length === 0 ? '' : JSON.stringify(own))}${rest}`.trim() || 'no items'
}

// Text of others may hold what a terminal would obey.
const shortened = (text: string): string => {
  const plain = text.replace(/[\p{Cc}\s]+/gu, ' ')
  return plain.length > longest ? `${plain.slice(0, longest)}...` : plain
}
