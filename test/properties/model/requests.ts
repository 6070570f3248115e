/** Arbitrary requests to the mocked API: mostly valid ones over few records, and every kind of invalid one. */
import * as fc from 'fast-check'
import {
  hardlyEver,
  maybe,
  named,
  nearlyAlways,
  often,
  one,
  oneOf,
  oneOfAll,
  seldom,
  sometimes,
  weighted,
} from './arbitraries.ts'
import type { RecordKind } from './model.ts'
import { nullableFields } from './nullable-fields.ts'

/** A request without ids: it refers to records by their index when it is sent. */
export interface RequestStep {
  readonly do: 'request'
  readonly method: string
  /** Segments before encoding. The project is the second one. */
  readonly path: readonly (string | Reference)[]
  /** The segment whose first character is percent-encoded without need. */
  readonly spelledOut: number | null
  readonly query: readonly Parameter[]
  readonly authorization: string | null
  readonly accept: string | null
  readonly contentType: string | null
  readonly body: Body | null
}

/** A value of null also omits the equals sign. */
type Parameter = readonly [name: string, value: string | Reference | null]

/** The nth record of a kind, modulo their number; without records, an id that never existed. */
export interface Reference {
  readonly kind: RecordKind
  readonly nth: number
  readonly project: 'same' | 'other'
}

/** Members of an object are [name, JSON text], so that a key can be `__proto__` or duplicate. */
export type Body =
  | { readonly members: readonly Member[] }
  | { readonly text: string }
  | { readonly bytes: readonly number[] }
  /** A valid user of exactly this many bytes. */
  | { readonly size: number }

export type Member = readonly [name: string, json: string]

export const text = (value: string) => JSON.stringify(value)
const objectText = (members: readonly Member[]) =>
  `{${members.map(([name, value]) => `${text(name)}:${value}`).join(',')}}`
/** Arrays inside one another, to this depth. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

// --- Small pools, so that values repeat

/** The second one needs encoding in a path, and the third one is a property of every object. */
export const projects = ['acme', 'zoë & co', '__proto__'] as const
const project = weighted<string>([20, one(projects[0])], [2, one(projects[1])], [1, one(projects[2])])

export const emails = oneOfAll(
  ['ada@example.com', 'Ada@Example.COM', 'bob@example.com', 'te~st@example.com', 'josé@example.com'],
  ['JOSÉ@example.com', 'me@localhost', 'root@[127.0.0.1]', `${'a'.repeat(308)}@example.com`],
  ['"a@b"@example.com', '"a b"@example.com', '"a\\"@b"@example.com'],
)
const badEmails = oneOfAll(
  ['', 'ada', '@example.com', 'ada@', '@', 'ada@@example.com', 'a@b@c', '"a@b.example', '"a\\"@b.example'],
  [
    'a da@example.com',
    ' ada@example.com',
    'ada@example.com\n',
    'a\u0000@b',
    'a\u007f@b',
    `${'a'.repeat(309)}@b.example`,
  ],
)
export const invoices = oneOf('inv_1', 'inv_2', 'INV_1', 'no prefix', '')
export const locales = oneOfAll(
  ['de-DE', 'pt-br', 'EN', 'zh-Hant-TW', 'es-419', 'sl-rozaj-biske-1994', 'zh-cmn-Hans-CN', 'en-u-ca-gregory'],
  ['x-mock', 'i-klingon', 'en-GB-oed', 'qaa-Qaaa-QM-x-southern', 'en-a-bb-b-cc-x-1'],
)
const badLocales = oneOfAll(
  ['', 'e', 'en_US', 'en-', '-en', 'en--US', 'en US', 'toolonglang', 'en-a', 'x', 'i-unknown', '1234', 'en-US-'],
  ['en-x', 'ｅｎ', 'en\n'],
)
export const redirects = oneOfAll(
  ['https://shop.example/thanks', 'http://localhost:3000', 'http://my-app:8080/a?b=c#d', 'HTTP://EXAMPLE.com'],
  ['http://[::1]:3000/', 'https://example.com/a%20b', `https://example.com/${'a'.repeat(2028)}`],
)
const badRedirects = oneOfAll(
  ['', '/thanks', '//example.com', 'shop.example/thanks', 'javascript:alert(1)', 'data:text/html,x'],
  ['ftp://example.com', 'http://user@example.com', 'http://user:secret@example.com', ' https://example.com'],
  ['https://example.com ', 'https://example.com/\r\nx', 'java\tscript:alert(1)', 'ht\ntp://example.com'],
  ['http:example.com', 'http:/example.com', 'https:///example.com', 'https:\\\\example.com', 'http:\\/example.com'],
  ['http://exa mple.com', 'https://example.com/a b', 'http://', `https://example.com/${'a'.repeat(2029)}`],
)
const wrongTypes = oneOf('1', 'true', '[]', '{}', '["ada@example.com"]')

/** JSON texts of a field: valid ones, null, and invalid ones. */
const field = (good: fc.Arbitrary<string>, bad: fc.Arbitrary<string> = good) =>
  weighted([60, good.map(text)], [7, one('null')], [7, bad.map(text)], [1, wrongTypes])

const metadata = weighted(
  [
    40,
    fc
      .uniqueArray(
        fc.tuple(
          oneOf('plan', 'tier', '', '__proto__', 'constructor', 'toString', 'with space'),
          oneOfAll(
            ['"gold"', '""', '1', '-0.5', 'true', 'null', '[1,null]', '{"a":{"b":null}}', '{"__proto__":{"x":1}}'],
            // With the body and the metadata around it: as deep as a body may be.
            [nested(62)],
          ),
        ),
        { maxLength: 3, selector: ([key]) => key },
      )
      .map(objectText),
  ],
  [2, oneOf('null', '[]', '"gold"', '1', 'false')],
  [1, oneOf(`{"deep":${nested(63)}}`, '{"plan":1,"plan":2}', '{"a":{"b":1,"\\u0062":2}}', '{"a":[{"b":1,"b":1}]}')],
)

/** Ignored members: unknown fields, read-only ones, and names that every object inherits. */
const strayMember = oneOf<Member[]>(
  ['unknown', '1'],
  ['id', '"usr_mine"'],
  ['object', '"paymentLink"'],
  ['createdAt', '"2020-01-01T00:00:00.000Z"'],
  ['emailVerified', 'false'],
  ['status', '"completed"'],
  ['canceledAt', '7'],
  ['paymentUrl', '"https://example.com"'],
  ['__proto__', '{"email":"mallory@example.com","invoice":"inv_1","type":"partner","metadata":{"plan":"gold"}}'],
  ['constructor', '{"prototype":{"email":"mallory@example.com"}}'],
  ['toString', 'null'],
  ['deep', nested(63)],
  ['deep', nested(64)],
)

// --- Bodies

/** An object of the given members; rarely with an ignored or a duplicate one. */
const objectOf = (...members: readonly fc.Arbitrary<Member | undefined>[]): fc.Arbitrary<Body> =>
  fc
    .tuple(fc.tuple(...members), maybe(seldom, strayMember), maybe(hardlyEver, one('twice')))
    .map(([chosen, stray, twice]) => {
      const present = [...chosen, stray].filter((member) => member !== undefined)
      return { members: twice ? [...present, ...present.slice(0, 1)] : present }
    })

const userFields = [
  ...Object.entries(nullableFields).map(([name, { good, bad }]) => named(name, often, field(good, bad))),
  named('preferredLocale', often, field(locales, badLocales)),
  named('metadata', often, metadata),
]
const newUser = objectOf(named('email', nearlyAlways, field(emails, badEmails)), ...userFields)
const userUpdate = objectOf(named('email', often, field(emails, badEmails)), ...userFields)
const userSearch = objectOf(
  named('email', nearlyAlways, field(emails, oneOf('ADA@EXAMPLE.COM', 'example.com', '', 'nobody@example.com', 'ada'))),
)

const payer = weighted(
  [30, oneOf('{}', '{"fullName":"Ada Lovelace","email":"ada@example.com","taxNumber":"DE123456789"}')],
  [
    4,
    fc
      .tuple(
        named('fullName', often, field(nullableFields.fullName.good)),
        named('email', often, field(emails, badEmails)),
        named('taxNumber', often, field(oneOf('DE123456789', ''))),
        named('unknown', seldom, one('1')),
      )
      .map((members) => objectText(members.filter((member) => member !== undefined))),
  ],
  [1, oneOf('null', '[]', '"Ada"', '{"__proto__":{"email":1}}')],
)
const partner = weighted(
  [
    30,
    fc
      .tuple(named('user', nearlyAlways, payer), named('redirectUrl', often, field(redirects, badRedirects)))
      .map((members) => objectText(members.filter((member) => member !== undefined))),
  ],
  [1, oneOf('null', '{}', '[]', '"partner"', '{"__proto__":{"user":{}}}')],
)
const providers = weighted(
  [40, one('"partner"')],
  [1, oneOf('"Partner"', '"card"', '""', '"__proto__"', 'null', '1', '["partner"]')],
)
const newPaymentLink = objectOf(
  named('invoice', nearlyAlways, field(invoices)),
  named('type', nearlyAlways, providers),
  named('partner', nearlyAlways, partner),
)

/** Bodies that fail before any field is checked. */
const brokenBody = weighted<Body | null>(
  [2, one(null)],
  [
    6,
    oneOfAll(
      ['', ' ', '{', '{"email":"ada@example.com"', "{'email':1}", '{"email":"ada@example.com",}', 'email=ada'],
      ['undefined', 'NaN', '{}{}', '"\n"', '"\\x"', '01', '{"a":1,"a":1}', '{"a":1,"\\u0061":1}'],
      [nested(65), nested(100_000), '['.repeat(500)],
    ).map((json) => ({ text: json })),
  ],
  [
    4,
    oneOf('null', '[]', '"text"', '1', 'true', '[{"email":"ada@example.com"}]', nested(64)).map((json) => ({
      text: json,
    })),
  ],
  // Not UTF-8: a stray byte, half a character, a surrogate, an overlong quote.
  [
    2,
    oneOf([0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xc0, 0xa2, 0x22]).map(
      (bytes) => ({ bytes }),
    ),
  ],
  [1, oneOf({ size: 1024 * 1024 }, { size: 1024 * 1024 + 1 })],
)
const bodyOr = (good: fc.Arbitrary<Body>) => weighted<Body | null>([24, good], [1, brokenBody])

// --- References, queries and headers

export const record = (kind: RecordKind): fc.Arbitrary<Reference> =>
  fc.record({ kind: one(kind), nth: fc.nat({ max: 9 }), project: one('same') })

export const strangeRecord: fc.Arbitrary<Reference> = fc.record({
  kind: oneOf('user', 'goneUser', 'paymentLink', 'gonePaymentLink'),
  nth: fc.nat({ max: 9 }),
  project: oneOf('same', 'other'),
})
const pickDeleted = (kind: RecordKind): RecordKind => (kind === 'user' ? 'goneUser' : 'gonePaymentLink')
const neverAnId = oneOf('usr_never', 'pml_never', 'usr_', 'search', 'a/b', '%zz', 'x'.repeat(300), '__proto__')

const idOf = (kind: RecordKind) =>
  weighted<string | Reference>([30, record(kind)], [2, record(pickDeleted(kind))], [2, strangeRecord], [1, neverAnId])
const cursorOf = (kind: RecordKind) =>
  weighted<string | Reference>(
    [30, record(kind)],
    [6, record(pickDeleted(kind))],
    [2, strangeRecord],
    [1, neverAnId],
    [1, one('')],
  )

const limits = weighted(
  [20, fc.integer({ min: 0, max: 5 }).map(String)],
  [4, fc.integer({ min: 6, max: 200 }).map(String)],
  [
    2,
    oneOfAll([
      '-1',
      '201',
      '999',
      '1.5',
      'ten',
      '',
      '1e2',
      '0x10',
      ' 5 ',
      '+5',
      '-0',
      '٥',
      '5,5',
      'null',
      '007',
      '1000',
    ]),
  ],
)

const pageQuery = (kind: RecordKind, ...filters: readonly fc.Arbitrary<Parameter | undefined>[]) =>
  fc
    .record({
      cursors: weighted<readonly Parameter[]>(
        [16, one([])],
        [24, fc.tuple(fc.tuple(oneOf('after', 'before'), cursorOf(kind)))],
        [1, fc.tuple(fc.tuple(one('after'), cursorOf(kind)), fc.tuple(one('before'), cursorOf(kind)))],
      ),
      limit: named('limit', [3, 1], limits),
      filters: fc.tuple(...filters),
      stray: maybe(
        seldom,
        oneOf<Parameter[]>(['unknown', '1'], ['Limit', 'ten'], ['limit[]', 'x'], ['limit', null], ['__proto__', 'x']),
      ),
      twice: maybe(hardlyEver, one('twice')),
      turned: fc.boolean(),
    })
    .map(({ cursors, limit, filters: chosen, stray, twice, turned }) => {
      const present: Parameter[] = [...cursors, limit, ...chosen, stray].filter((parameter) => parameter !== undefined)
      const all = twice ? [...present, ...present.slice(0, 1)] : present
      return turned ? all.toReversed() : all
    })

const linkFilters = [
  named('invoice', sometimes, weighted([9, invoices], [1, one('inv_none')])),
  named(
    'status',
    sometimes,
    weighted(
      [20, oneOf('active', 'canceled', 'completed', 'active,completed', 'canceled,completed,active', 'active,active')],
      [1, oneOf('', 'Active', 'active,', ',', 'active, canceled', 'paid', 'paid,open', 'active;canceled')],
    ),
  ),
  // A repeated one is a list.
  named('status', seldom, oneOf('active', 'canceled', 'completed,active', '')),
]

const authorization = weighted<string | null>(
  [100, one('Bearer token')],
  [3, oneOf('Bearer x', 'bearer token', 'BEARER token', 'Bearer  token')],
  [
    2,
    oneOf(null, '', 'Bearer', 'Bearer ', 'Bearer a b', 'token', 'Bearertoken', 'Basic dXNlcjpwYXNz', 'Token Bearer x'),
  ],
)
const contentType = weighted<string | null>(
  [100, one('application/json')],
  [
    8,
    oneOf(
      null,
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/merge-patch+json',
      'application/vnd.api+json;v=1',
    ),
  ],
  [
    2,
    oneOfAll(
      ['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'application/jsonx'],
      ['multipart/form-data; boundary=x', 'text/json', 'json', 'application/xml, application/json'],
    ),
  ],
)

// --- Requests

interface Shape {
  readonly method: fc.Arbitrary<string>
  readonly path: readonly (string | fc.Arbitrary<string | Reference>)[]
  /** @default rarely a value, which must change nothing */
  readonly query?: fc.Arbitrary<readonly Parameter[]>
  /** @default rarely a value, which must change nothing */
  readonly body?: fc.Arbitrary<Body | null>
}

const strayQuery = weighted<readonly Parameter[]>(
  [20, one([])],
  [1, oneOf<Parameter[][]>([['limit', 'ten']], [['after', 'usr_never']], [['x', null]], [['x', '1'], ['x', '2']])], // prettier-ignore
)
const strayBody = weighted<Body | null>(
  [12, one(null)],
  [1, oneOf({ text: '{}' }, { text: '{"unknown":1}' }, { text: 'not JSON' }, { text: '' })],
)

const request = ({ method, path, query = strayQuery, body = strayBody }: Shape): fc.Arbitrary<RequestStep> =>
  fc
    .record({
      do: one('request' as const),
      method,
      path: fc.tuple(...path.map((segment) => (typeof segment === 'string' ? one(segment) : segment))),
      spelledOut: weighted<number | null>([20, one(null)], [1, fc.nat({ max: 3 })]),
      query,
      authorization,
      accept: weighted<string | null>([9, one('application/json')], [1, oneOf(null, '*/*', 'text/html', '')]),
      contentType,
      body,
    })
    // `fetch` refuses to send a body with these.
    .map((step) => (['GET', 'HEAD'].includes(step.method) ? { ...step, body: null } : step))

const getOrHead = weighted([12, one('GET')], [1, one('HEAD')])
const post = one('POST')
const user = idOf('user')
const paymentLink = idOf('paymentLink')
const users = ['projects', project, 'users']
const paymentLinks = ['projects', project, 'paymentLinks']

const createUser = request({ method: post, path: users, body: bodyOr(newUser) })
const listUsers = request({ method: getOrHead, path: users, query: pageQuery('user') })
const searchUsers = request({
  method: post,
  path: [...users, 'search'],
  query: pageQuery('user'),
  body: bodyOr(userSearch),
})
const retrieveUser = request({ method: getOrHead, path: [...users, user] })
const updateUser = request({ method: one('PATCH'), path: [...users, user], body: bodyOr(userUpdate) })
const deleteUser = request({ method: one('DELETE'), path: [...users, user] })
const createPaymentLink = request({ method: post, path: paymentLinks, body: bodyOr(newPaymentLink) })
const listPaymentLinks = request({
  method: getOrHead,
  path: paymentLinks,
  query: pageQuery('paymentLink', ...linkFilters),
})
const retrievePaymentLink = request({ method: getOrHead, path: [...paymentLinks, paymentLink] })
const cancelPaymentLink = request({ method: post, path: [...paymentLinks, paymentLink, 'cancel'] })

const anyMethodOn = (...paths: readonly Shape['path'][]) =>
  fc.oneof(
    ...paths.map((path) =>
      request({
        method: oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
        path,
        body: bodyOr(fc.oneof(newUser, newPaymentLink)),
      }),
    ),
  )
const anyMethodOnAnyRoute = anyMethodOn(
  users,
  [...users, 'search'],
  [...users, user],
  paymentLinks,
  [...paymentLinks, paymentLink],
  [...paymentLinks, paymentLink, 'cancel'],
)
/** An empty segment is a slash at the end, or two in a record. */
const unknownRoute = anyMethodOn(
  ['projects'],
  ['projects', ''],
  ['projects', project],
  ['projects', '', 'users'],
  ['projects', project, '', 'users'],
  [...users, ''],
  [...users, user, ''],
  [...users, user, 'paymentLinks'],
  ['projects', project, 'Users'],
  ['projects', project, 'payment-links'],
  [...paymentLinks, ''],
  [...paymentLinks, paymentLink, 'cancel', ''],
  [...paymentLinks, paymentLink, 'Cancel'],
  [...paymentLinks, paymentLink, 'pay'],
  ['v1', ...users],
  ['users'],
  ['projectsx', project, 'users'],
)

/** Any request, most of them to one of the operations. */
export const anyRequest = weighted<RequestStep>(
  [12, createUser],
  [16, listUsers],
  [10, searchUsers],
  [4, retrieveUser],
  [10, updateUser],
  [7, deleteUser],
  [12, createPaymentLink],
  [22, listPaymentLinks],
  [4, retrievePaymentLink],
  [8, cancelPaymentLink],
  [5, anyMethodOnAnyRoute],
  [4, unknownRoute],
)

// --- From bodies to bytes

const encoder = new TextEncoder()

export function toBytes(body: Body): Uint8Array<ArrayBuffer> {
  if ('bytes' in body) return new Uint8Array(body.bytes)
  if ('text' in body) return encoder.encode(body.text)
  if ('members' in body) return encoder.encode(objectText(body.members))
  const [start, end] = ['{"email":"big@example.com","padding":"', '"}']
  return encoder.encode(start + 'x'.repeat(body.size - start.length - end.length) + end)
}
