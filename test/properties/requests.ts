/** Arbitrary requests to the mocked API: small pools, so that values match, and every kind of bad input. */
import * as fc from 'fast-check'

/** A request on the wire. The path is encoded and includes the query. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  readonly accept: string | null
  readonly contentType: string | null
  readonly body: Uint8Array | null
}

/** Bytes, because `fetch` invents a content type for a string. */
export function initOf({ method, authorization, accept, contentType, body }: WireRequest): RequestInit {
  const headers = new Headers()
  if (accept !== null) headers.set('accept', accept)
  if (authorization !== null) headers.set('authorization', authorization)
  if (contentType !== null) headers.set('content-type', contentType)
  return { method, headers, ...(body !== null && { body: body as Uint8Array<ArrayBuffer> }) }
}

export const one = fc.constant
export const oneOf = fc.constantFrom
export const weighted = <T>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const maybe = <T>(odds: number, arbitrary: fc.Arbitrary<T>) =>
  weighted<T | undefined>([odds, arbitrary], [1, one(undefined)])
/** An object with some of these members. */
export const fields = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>, requiredKeys: string[] = []) =>
  fc.record(members, { requiredKeys })

export const emails = oneOf('ada@example.com', 'Ada@Example.com', 'grace@example.com', 'ada@example.com.au')
const long = 'x'.repeat(256)
const manyKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`key${nth}`, 'v']))
const metadata = oneOf<unknown[]>(
  {},
  { plan: 'gold' },
  { plan: 'gold', tier: 'one' },
  { plan: null, tier: 'one' },
  { seats: 4 },
  { seats: null },
  { note: long },
  { '': 'x' },
  { ['k'.repeat(41)]: null, ['l'.repeat(41)]: 'x' },
  manyKeys(9),
  manyKeys(10),
  manyKeys(11),
  { ...manyKeys(11), key0: null },
)
export const storedMetadata = metadata.map((value) =>
  Object.fromEntries(Object.entries(value as object).filter(([, item]) => item !== null)),
)
const invoices = oneOf('inv_1', 'inv_2', '42', '')
export const storedInvoices = oneOf('inv_1', 'inv_2', '42')
export const userIds = ['usr_0', 'usr_1', 'usr_2', 'usr_3', 'usr_4']
export const linkIds = ['pml_0', 'pml_1', 'pml_2', 'pml_3', 'pml_4', 'pml_5']

const segment = (ids: readonly string[], strange: string) => weighted([12, oneOf(...ids)], [1, oneOf('never', strange)])
const user = segment(userIds, 'pml_0')
const link = segment(linkIds, 'usr_b0')
const named = weighted([28, one('acme')], [1, one('beta')], [1, one('nova')])

const unknownField = oneOf<object[]>({}, {}, {}, {}, {}, {}, {}, {}, { colour: 'blue' }, { emailVerified: false })
const stray = weighted<readonly string[]>([18, one([])], [1, one(['colour=blue'])], [1, one(['status=x', 'colour=a'])])
const pageQuery = (cursor: fc.Arbitrary<string>, filters: fc.Arbitrary<readonly string[]> = one([])) =>
  fc
    .tuple(
      weighted<readonly string[]>(
        [4, one([])],
        [6, cursor.map((id) => [`after=${id}`])],
        [6, cursor.map((id) => [`before=${id}`])],
        [1, fc.tuple(cursor, cursor).map(([after, before]) => [`after=${after}`, `before=${before}`])],
      ),
      maybe(2, weighted([12, oneOf('limit=0', 'limit=1', 'limit=2', 'limit=10')], [1, one('limit=ten')])),
      filters,
      stray,
    )
    .map(([cursors, limit, chosen, rest]) => [...cursors, ...(limit === undefined ? [] : [limit]), ...chosen, ...rest])

const userFields = {
  email: weighted<unknown>([12, emails], [1, oneOf<unknown[]>(null, 'ada', 7)]),
  metadata: weighted<unknown>([16, metadata], [1, oneOf<unknown[]>(null, 'gold')]),
  fullName: oneOf<unknown[]>('Ada', 'Grace', 'Alan', 'Edsger', null, null, 7),
}
const userChange = fc.tuple(fields(userFields), unknownField).map(([known, unknown]) => ({ ...known, ...unknown }))
const newUser = fc.tuple(emails, userChange).map(([email, rest]) => ({ email, ...rest }))
const userSearch = fields({ email: userFields.email })
const payer = fields({ fullName: one('Ada'), email: emails, taxNumber: oneOf<unknown[]>('1', 7) })
const wholePayer = one({ fullName: 'Ada', email: 'ada@example.com', taxNumber: '1' })
const newLink = fc
  .record({ invoice: invoices, user: weighted<unknown>([2, payer], [1, wholePayer]), rest: unknownField })
  .map(({ invoice, user: pays, rest }) => ({ invoice, type: 'partner', partner: { user: pays }, ...rest }))
const textOf = (good: fc.Arbitrary<unknown>) =>
  weighted([20, good.map((value) => JSON.stringify(value))], [1, oneOf('', '{', '[]', 'null', '{"email":1}')])

interface Shape {
  readonly method: string
  readonly path: fc.Arbitrary<string>
  readonly query?: fc.Arbitrary<readonly string[]>
  readonly body?: fc.Arbitrary<string>
}

const headers = fc.record({
  authorization: weighted<string | null>([20, one('Bearer good')], [1, oneOf(null, 'Bearer old', 'Bearer other', 'x')]),
  accept: weighted<string | null>([12, one('application/json')], [1, oneOf(null, '*/*', 'text/html')]),
  contentType: weighted<string | null>([20, one('application/json')], [2, one(null)], [1, one('text/plain')]),
})
const encoder = new TextEncoder()

const request = ({ method, path, query = stray, body = one('') }: Shape): fc.Arbitrary<WireRequest> =>
  fc.tuple(named, path, query, body, headers).map(([owner, at, parameters, text, sent]) => ({
    method,
    path: `/projects/${owner}/${at}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`,
    ...sent,
    body: text === '' && method !== 'POST' ? null : encoder.encode(text),
  }))

const linkFilters = weighted<readonly string[]>(
  [6, one([])],
  [2, oneOf('invoice=inv_1', 'invoice=none').map((filter) => [filter])],
  [4, oneOf('status=active', 'status=canceled,completed', 'invoice=42&status=active').map((filter) => [filter])],
  [1, oneOf(['status=paid'], ['invoice=inv_1', 'invoice=42'])],
)

/** Any request, most of them to the records `userIds` and `linkIds` of `acme`. */
export const anyRequest = weighted<WireRequest>(
  [4, request({ method: 'POST', path: one('users'), body: textOf(newUser) })],
  [4, request({ method: 'GET', path: one('users'), query: pageQuery(user) })],
  [3, request({ method: 'POST', path: one('users/search'), query: pageQuery(user), body: textOf(userSearch) })],
  [4, request({ method: 'POST', path: one('users/search'), body: textOf(userSearch) })],
  [1, request({ method: 'GET', path: user.map((id) => `users/${id}`) })],
  [6, request({ method: 'PATCH', path: user.map((id) => `users/${id}`), body: textOf(userChange) })],
  [1, request({ method: 'DELETE', path: user.map((id) => `users/${id}`) })],
  [4, request({ method: 'POST', path: one('paymentLinks'), body: textOf(newLink) })],
  [5, request({ method: 'GET', path: one('paymentLinks'), query: pageQuery(link, linkFilters) })],
  [1, request({ method: 'GET', path: link.map((id) => `paymentLinks/${id}`) })],
  [4, request({ method: 'POST', path: link.map((id) => `paymentLinks/${id}/cancel`) })],
  [1, request({ method: 'PUT', path: oneOf('users', 'nowhere') })],
)
