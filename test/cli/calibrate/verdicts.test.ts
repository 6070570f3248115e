import { expect, it, onTestFinished } from 'vitest'
import type { Finding, ProbeKey } from '../../../src/extensions/calibrate/calibrate.ts'
import { createMock } from '../../../src/index.ts'
import type { BehaviorChoices } from '../../../src/schema/behavior.ts'
import { calibrateMock } from './support/calibrate-mock.ts'
import { countDistinct } from '../../support/count-distinct.ts'
import { readResponse } from '../../support/read.ts'

// The service is a mock with some changed responses: these are the conclusions of the probes.

type Json = Record<string, any>

interface Asked {
  readonly method: string
  readonly url: string
  /** Below the project. */
  readonly path: string
  readonly sent: Json
  readonly headers: Headers
  /** The ids of the records created so far. */
  readonly created: readonly string[]
  /** Whether a user has been changed before. */
  readonly patched: boolean
}

interface Received {
  readonly status: number
  readonly body: Json
}

interface Change {
  readonly when: (asked: Asked) => boolean
  /** Only the n-th matching request, from one. @default all */
  readonly n: number | undefined
  /** The response, without calling the mock. */
  readonly instead?: Received
  /** Changes the response of the mock. */
  readonly alter?: (received: Received, asked: Asked) => Partial<Received>
}

const responds = (when: Change['when'], status: number, n?: number, body: Json = {}): Change => ({
  when,
  n,
  instead: { status, body },
})
const alters = (when: Change['when'], alter: NonNullable<Change['alter']>, n?: number): Change => ({ when, n, alter })
/** Gives the record, or the error, other fields. */
const sets = (when: Change['when'], fields: Json, n?: number): Change =>
  alters(when, ({ body }) => ({ body: { ...body, ...fields } }), n)
/** Gives the user other metadata. */
const keeps = (change: (sent: Json, kept: Json) => Json, n?: number): Change =>
  alters(isPatch, ({ body }, { sent }) => ({ body: { ...body, metadata: change(sent.metadata, body.metadata) } }), n)
/** Lists these ids. */
const lists = (when: Change['when'], idsOf: (asked: Asked) => readonly unknown[], n?: number): Change =>
  alters(when, ({ body }, asked) => ({ body: { ...body, items: idsOf(asked).map((id) => ({ id })) } }), n)

const hasInvoice = ({ sent }: Asked, pattern: RegExp) => pattern.test(sent.invoice ?? '')
const isPrefixed = (asked: Asked) => isLinks(asked) && hasInvoice(asked, /^inv_(?!given)/)
const isPlain = (asked: Asked) => isLinks(asked) && hasInvoice(asked, /^calibrate/)
const isUsers = ({ method, path }: Asked) => method === 'POST' && path === '/users'
const isLinks = ({ method, path }: Asked) => method === 'POST' && path === '/paymentLinks'
const isSearch = ({ path }: Asked) => path === '/users/search'
const isPatch = ({ method }: Asked) => method === 'PATCH'
const isDelete = ({ method }: Asked) => method === 'DELETE'
const isCancel = ({ path }: Asked) => path.endsWith('/cancel')
const isLinkPage = ({ method, path }: Asked) => method === 'GET' && path === '/paymentLinks'
const isLinkPageOf = (word: string) => (asked: Asked) => isLinkPage(asked) && asked.url.includes(`?${word}=`)
const isSearchFor = (pattern: RegExp) => (asked: Asked) => isSearch(asked) && pattern.test(String(asked.sent.email))
const isCapitals = isSearchFor(/^PAYLINK/)
const isPart = isSearchFor(/^(?!paylink)[a-z]/)
const isWithoutType = (asked: Asked) => isSearch(asked) && !asked.headers.has('content-type')
const isUnknownField = ({ sent }: Asked) => 'paylinkMockCalibrate' in sent
/** A page after the second user, which is deleted. */
const isDeletedPage = ({ url, created }: Asked) => url.includes(`/users?after=${created[1]}`)
const isUserPage = ({ url }: Asked) => url.includes('/users?after=')
const isOrderPage = (asked: Asked) => isLinkPageOf('after')(asked) || isLinkPageOf('before')(asked)
const isUser = ({ method, path }: Asked) => method === 'GET' && path.startsWith('/users/')
const isStray = ({ url }: Asked) => url.includes('paylinkMockCalibrate=')
const isElsewhere = ({ url }: Asked) => url.includes('/projects/paylink-mock-calibrate-')

/** Probes the service. Returns the report, the last conclusion, and the remaining records. */
const conclude = async (keys: readonly ProbeKey[], changes: readonly Change[], behaviors: BehaviorChoices = {}) => {
  const mock = createMock({ behaviors })
  onTestFinished(() => mock.close())
  const counts = new Map<Change, number>()
  const created: string[] = []
  const asked: string[] = []
  const report = await calibrateMock(
    {
      fetch: async (url, init = {}) => {
        const sent = init.body ? JSON.parse(new TextDecoder().decode(init.body as Uint8Array)) : {}
        const path = new URL(url as string).pathname.replace('/projects/acme', '')
        const one: Asked = {
          method: init.method!,
          url: url as string,
          path,
          sent,
          headers: new Headers(init.headers),
          created,
          patched: asked.some((line) => line.startsWith('PATCH')),
        }
        asked.push(`${one.method} ${path}`)
        const change = changes.find((change) => {
          if (!change.when(one)) return false
          counts.set(change, (counts.get(change) ?? 0) + 1)
          return change.n === undefined || counts.get(change) === change.n
        })
        if (change?.instead) return Response.json(change.instead.body, { status: change.instead.status })
        const response = await mock.fetch(url, init)
        const plain: { status: number; body: Json } = await readResponse(response)
        if ((isUsers(one) || isLinks(one)) && response.ok) created.push(plain.body.id)
        const { status, body } = { ...plain, ...change?.alter?.(plain, one) }
        return Response.json(body, { status })
      },
    },
    { keys },
  )
  const { users, paymentLinks = [] } = await mock.project('acme').state.get()
  const activeLinks = paymentLinks.filter(({ status }) => status === 'active')
  return {
    report,
    asked,
    conclusion: report.findings.map(conclusionOf).at(-1),
    left: { users, activeLinks, leftBehind: report.leftBehind.filter((sentence) => !neverFound.test(sentence)) },
  }
}

const conclusionOf = (one: Finding) =>
  one.outcome === 'observed' ? one.value : one.outcome === 'unknown' ? { unknown: one.what } : { inconclusive: one.why }

/** About a create whose response does not exclude that it creates a record later. */
const neverFound = /may still exist: POST \S+ returned (?:303|408|500), and no record with '\w{10}' was found\.$/
const nothing = { users: [], activeLinks: [], leftBehind: [] }
const inconclusive = (why: RegExp) => ({ inconclusive: expect.stringMatching(why) })
const unknown = (what: RegExp) => ({ unknown: expect.stringMatching(what) })

type Case = [key: ProbeKey, service: string, change: Change, conclusion: unknown, behaviors?: BehaviorChoices]

const neither = (status: number) => inconclusive(new RegExp(`^neither created nor rejected: .* ${status}$`))
const notRejected = inconclusive(/^an invalid body is not rejected: /)
const inTheWay = inconclusive(/^the records of others are in the way/)
const idempotent = { cancelInactive: 'idempotent' } as const
const changesTheLink = unknown(/^the second cancel is accepted and changes the link$/)
const removesNone = unknown(/^keys are merged, and null does not remove one$/)

const cases: readonly Case[] = [
  ['payerFields', 'rejects only an empty payer', responds(isLinks, 422, 1), unknown(/ one without fullName is not$/)],
  ['payerFields', 'fails for an empty payer', responds(isLinks, 500, 1), neither(500)],
  ['payerFields', 'forbids an empty payer', responds(isLinks, 403, 1), neither(403)],

  ['invoiceIds', 'fails for a made-up invoice', responds(isPrefixed, 500), neither(500)],
  ['invoiceIds', 'times out for an invoice without inv_', responds(isPlain, 408), neither(408)],
  [
    'invoiceIds',
    'rejects inv_',
    responds(isPrefixed, 422),
    unknown(/ is rejected with 'inv_' in front, and accepted without$/),
  ],

  ['cancelInactive', 'fails to cancel', responds(isCancel, 500, 1), inconclusive(/^an active link could not .* 500$/)],
  ['cancelInactive', 'fails to cancel again', responds(isCancel, 500, 2), unknown(/^the second cancel returns 500$/)],
  ['cancelInactive', 'cancels later', sets(isCancel, { canceledAt: '2030-01-01' }, 2), changesTheLink, idempotent],
  ['cancelInactive', 'activates a link', sets(isCancel, { status: 'active' }, 2), changesTheLink, idempotent],

  [
    'paymentLinkOrder',
    'fails for a page',
    responds(isLinkPageOf('after'), 500),
    inconclusive(/^the list has no page: .* 500$/),
  ],
  [
    'paymentLinkOrder',
    'lists nothing',
    responds(isLinkPageOf('before'), 200),
    inconclusive(/^the list has no page: .* 200$/),
  ],
  ['paymentLinkOrder', 'lists only links of others', lists(isOrderPage, () => ['pml_other']), inTheWay],
  [
    'paymentLinkOrder',
    'lists a later link before and after the first',
    lists(isOrderPage, ({ created }) => created.slice(1)),
    unknown(/^the links are in neither order of creation$/),
  ],
  ['paymentLinkOrder', 'makes one link', responds(isLinks, 409, 2), inconclusive(/^needs a second link, .* 409$/)],

  [
    'searchMatch',
    'does not find a new user',
    lists(isSearch, () => []),
    inconclusive(/^the search does not find a user/),
  ],
  [
    'searchMatch',
    'finds a part and not capitals',
    lists(isCapitals, () => []),
    unknown(/^a part is found, and capitals are not$/),
    { searchMatch: 'contains' },
  ],
  ['searchMatch', 'rejects a part', responds(isPart, 422), 'ignoreCase'],
  ['searchMatch', 'fails for a part', responds(isPart, 500), inconclusive(/^the search has no result: .* 500$/)],
  ['searchMatch', 'forbids a part', responds(isPart, 403), inconclusive(/^the search has no result: .* 403$/)],
  ['searchMatch', 'has no list', responds(isPart, 200), inconclusive(/^the search has no result: .* 200$/)],

  [
    'searchWithoutEmail',
    'finds nobody by null',
    lists(isSearchFor(/^null$/), () => []),
    unknown(/^a null email returns 200 with 0 users, and a missing one 200 with 1 users$/),
  ],
  [
    'searchWithoutEmail',
    'finds nobody without an email',
    lists(isSearchFor(/^undefined$/), () => []),
    unknown(/^a null email returns 200 with 1 users, and a missing one 200 with 0 users$/),
  ],
  [
    'searchWithoutEmail',
    'rejects both',
    responds(isSearchFor(/^(?:null|undefined)$/), 422),
    unknown(/ 422 with no users, .* 422 with no users$/),
  ],

  [
    'searchWithoutEmail',
    'finds somebody only the second time',
    lists(isSearchFor(/^null$/), () => [], 1),
    inconclusive(/^the same request has different results: /),
  ],

  [
    'duplicateEmail',
    'finds the second invalid',
    responds(isUsers, 422, 2),
    unknown(/^a second user with the same email returns 422$/),
  ],

  [
    'deletedCursor',
    'deletes no user',
    responds(isDelete, 500, 1),
    inconclusive(/^the user could not be deleted: .* 500$/),
  ],
  ['deletedCursor', 'makes one user', responds(isUsers, 422, 2), inconclusive(/^needs another user: .* 422$/)],
  ['deletedCursor', 'knows no page', responds(isDeletedPage, 404), unknown(/^a deleted cursor returns 404$/)],
  ['deletedCursor', 'lists nothing', responds(isDeletedPage, 200), unknown(/^a deleted cursor returns 200$/)],
  [
    'deletedCursor',
    'starts again',
    lists(isDeletedPage, ({ created }) => created.toReversed()),
    unknown(/^a deleted cursor restarts the list$/),
    { deletedCursor: 'resume' },
  ],
  ['deletedCursor', 'lists only others', lists(isUserPage, () => ['usr_other']), inTheWay, { deletedCursor: 'resume' }],

  [
    'emailVerifiedOnCreate',
    'says yes',
    sets((asked) => isUsers(asked) || isUser(asked), { emailVerified: 'yes' }),
    unknown(/^a new user has no email/),
  ],
  [
    'emailVerifiedOnCreate',
    'shows another value later',
    sets(isUser, { emailVerified: false }),
    inconclusive(/^the user has another emailVerified when it is read again/),
  ],
  [
    'emailVerifiedOnChange',
    'fails with the new email',
    alters(isPatch, () => ({ status: 500 })),
    inconclusive(/^the email was not changed: .* 500$/),
  ],
  [
    'emailVerifiedOnChange',
    'changes no email',
    sets(isPatch, { email: 'ada@example.com' }),
    inconclusive(/^the email was not changed: .* 200$/),
  ],
  ['emailVerifiedOnChange', 'rejects it', responds(isPatch, 422), inconclusive(/^the email was not changed: .* 422$/)],
  [
    'emailVerifiedOnChange',
    'says yes',
    sets((asked) => isPatch(asked) || (isUser(asked) && asked.patched), { emailVerified: 'yes' }),
    unknown(/^the changed user has no /),
  ],

  [
    'metadataUpdate',
    'changes nothing',
    keeps((_, kept) => ({ ...kept, changed: 'before' })),
    inconclusive(/^the metadata was not updated: .* 200$/),
  ],
  ['metadataUpdate', 'fails', responds(isPatch, 500), inconclusive(/^the metadata was not updated: .* 500$/)],
  ['metadataUpdate', 'keeps null', keeps((_, kept) => ({ ...kept, calibrate: null }), 2), removesNone],
  ['metadataUpdate', 'removes every key for null', keeps(() => ({}), 2), removesNone],
  ['metadataUpdate', 'rejects null', responds(isPatch, 422, 2), removesNone],

  [
    'metadataLimits',
    'keeps a number as text',
    keeps((_, kept) => ({ ...kept, changed: '7' }), 1),
    unknown(/^a number in metadata is kept as something else$/),
  ],
  [
    'metadataLimits',
    'empties an object',
    keeps((_, kept) => ({ ...kept, changed: {} }), 2),
    unknown(/^an object in metadata is kept as something else$/),
  ],
  [
    'metadataLimits',
    'fails for a long value',
    responds(isPatch, 500, 3),
    inconclusive(/^neither kept nor rejected: .* 500$/),
  ],
  [
    'metadataLimits',
    'forbids a long key',
    responds(isPatch, 403, 4),
    inconclusive(/^neither kept nor rejected: .* 403$/),
  ],
  [
    'metadataLimits',
    'rejects only 11 keys',
    responds(isPatch, 422, 5),
    unknown(/^metadata accepts a number, an object, a value of 256 .*, a key of 41 characters, but not the rest$/),
  ],
  [
    'metadataLimits',
    'rejects what is at the limits',
    responds(isPatch, 422, 6),
    unknown(/^10 keys, a key of 40 and a value of 255 characters are rejected$/),
    { metadataLimits: 'strings' },
  ],

  ['invalidBodyStatus', 'sends 409', responds(isUsers, 409), unknown(/^an invalid body returns 409$/)],
  ...[401, 403, 407, 408, 500].map((status): Case => [
    'errorFormat',
    `sends ${status}`,
    responds(isUsers, status),
    notRejected,
  ]),
  ...['object', 'type', 'code', 'message'].map((name): Case => [
    'errorFormat',
    `sends 7 as ${name}`,
    sets(isUsers, { [name]: 7 }),
    unknown(/^an error has the type 'application\/json' with '/),
  ]),
  [
    'errorFormat',
    'sends no fields',
    responds(isUsers, 422),
    unknown(/^an error has the type 'application\/json' with no fields$/),
  ],

  [
    'requestHeaders',
    'requires a Content-type only',
    responds(isWithoutType, 415),
    unknown(/^'Accept: text\/html' returns 200, a body without a Content-type 415$/),
  ],
  [
    'requestHeaders',
    'requires an Accept only',
    responds(isWithoutType, 200),
    unknown(/^'Accept: text\/html' returns 406, a body without a Content-type 200$/),
    { requestHeaders: 'required' },
  ],
  [
    'requestHeaders',
    'finds the body bad',
    responds(isWithoutType, 400),
    unknown(/^'Accept: text\/html' returns 406, a body without a Content-type 400$/),
    { requestHeaders: 'required' },
  ],

  ['unknownFields', 'keeps one', sets(isPatch, { paylinkMockCalibrate: 'x' }), unknown(/^an unknown field is kept$/)],
  [
    'unknownFields',
    'rejects a field only',
    responds(isUnknownField, 422),
    unknown(/^an unknown body field returns 422, an unknown query parameter 200$/),
  ],
  [
    'unknownFields',
    'rejects a parameter only',
    responds(isStray, 400),
    unknown(/^an unknown body field returns 200, an unknown query parameter 400$/),
  ],
  [
    'unknownFields',
    'fails for both',
    responds((asked) => isUnknownField(asked) || isStray(asked), 500),
    unknown(/^an unknown body field returns 500, an unknown query parameter 500$/),
  ],

  ...[401, 403].map((status): Case => [
    'unknownProject',
    `sends ${status}`,
    responds(isElsewhere, status),
    inconclusive(/^needs a token for all projects: /),
  ]),
  ['unknownProject', 'fails', responds(isElsewhere, 500), unknown(/^an unknown project returns 500$/)],

  ['createStatus', 'sends 202', alters(isUsers, () => ({ status: 202 })), unknown(/^a create returns 202$/)],
  ...['2025-01-01T00:00:00+00:00', '2025-01-01T00:00:00.000000Z', '2025-01-01'].map((createdAt): Case => [
    'timestampPrecision',
    `writes ${createdAt}`,
    sets(isUsers, { createdAt }),
    { unknown: `a time is written as '${createdAt}'` },
  ]),
]

it.each(cases)(
  'concludes %s from a service that %s, and leaves nothing',
  async (key, _, change, expected, behaviors) => {
    const { conclusion, left } = await conclude([key], [change], behaviors)
    expect(conclusion).toEqual(expected)
    expect(left).toEqual(nothing)
  },
)

it('does not take a listed user for deleted because it cannot be retrieved', async () => {
  let reads = 0
  // It can be retrieved after it was created, and never again.
  const { left } = await conclude(['createStatus'], [responds((asked) => isUser(asked) && ++reads > 1, 404)])
  expect(left.users).toHaveLength(1)
  expect(left.leftBehind).toEqual([expect.stringMatching(/^User '\S+' was not deleted: it is still listed: /)])
})

it('finds the error format inconclusive for a service that accepts a bad body', async () => {
  const { conclusion, left } = await conclude(['errorFormat'], [responds(isUsers, 200)])
  expect(conclusion).toEqual(notRejected)
  expect(left.leftBehind).toHaveLength(1)
})

it('detects milliseconds if one time has them', async () => {
  const whole = sets(isUsers, { createdAt: '2025-01-01T00:00:00Z' }, 1)
  expect(await conclude(['duplicateEmail', 'timestampPrecision'], [whole])).toMatchObject({
    conclusion: 'milliseconds',
    left: nothing,
  })
})

it('finds no create status if creates differ', async () => {
  const other = alters(isUsers, () => ({ status: 200 }), 2)
  const { report, left } = await conclude(['duplicateEmail', 'createStatus'], [other])
  expect(report.findings.map(conclusionOf)).toContainEqual({ unknown: 'creates return 201 and 200' })
  expect(left).toEqual(nothing)
})

it('cancels a link at the end that a probe could not cancel', async () => {
  const { asked, report } = await conclude(['cancelInactive'], [responds(isCancel, 500, 1)])
  expect(asked.filter((line) => line.endsWith('/cancel'))).toHaveLength(2)
  expect(report.canceled).toHaveLength(1)
})

it('deletes each user once', async () => {
  const { asked } = await conclude(['deletedCursor'], [])
  const deletions = asked.filter((line) => line.startsWith('DELETE'))
  expect(deletions).toHaveLength(3)
  expect(countDistinct(deletions)).toBe(3)
})

it.each([
  [401, /^The service rejects the token: GET \S+ returned 401; check --token\.$/],
  [403, /^The service rejects the token for project 'acme': GET \S+ returned 403; check --token\.$/],
  [404, /^The service has no project 'acme' at this address: GET \S+ returned 404; check --project and /],
  [500, /^The service does not list users: GET \S+ returned 500 \{"why":"no"\}\.$/],
  [200, /^This is not the service: GET \S+ returned 200 without a list of users; check --base-url\.$/],
])('ends in one sentence, and sends nothing else, when the first response is %s', async (status, sentence) => {
  const first = responds(() => true, status, 1, { why: 'no' })
  const { asked, report } = await conclude(['payerFields', 'createStatus'], [first])
  expect(report).toMatchObject({ findings: [], ended: { failure: expect.stringMatching(sentence) } })
  expect(asked).toHaveLength(1)
})

it.each([
  ['a user', 'createStatus', isUsers, 'a user'],
  ['a link', 'cancelInactive', isLinks, "a payment link for invoice 'inv_given'"],
] as const)('ends in one sentence when %s that others need is rejected', async (_, key, when, what) => {
  for (const status of [400, 401, 403, 404, 422]) {
    const { report, left } = await conclude([key], [responds(when, status)])
    expect(report.ended).toEqual({
      failure: expect.stringMatching(
        new RegExp(`^The service does not create ${what}: POST \\S+ returned ${status} \\{\\}\\.$`),
      ),
    })
    expect(left).toEqual(nothing)
  }
})

it('ends in one sentence when a new email is a conflict', async () => {
  const { report } = await conclude(['createStatus'], [responds(isUsers, 409)])
  expect(report.ended).toEqual({
    failure: expect.stringMatching(/^The service does not create a user: .* returned 409 /),
  })
})

it.each([
  ['createStatus', isUsers],
  ['cancelInactive', isLinks],
] as const)('is not sure of %s where the record that it needs is not created', async (key, when) => {
  for (const status of [303, 408, 500]) {
    const { conclusion, left } = await conclude([key], [responds(when, status)])
    expect(conclusion).toEqual(
      inconclusive(new RegExp(`^the service does not create the record: POST \\S+ returned ${status}$`)),
    )
    expect(left).toEqual(nothing)
  }
})

it('shows a response that is not a list only if it has no existing records', async () => {
  const secret = { email: 'zoe@customer.example' }
  const { report } = await conclude(['searchMatch'], [responds(isSearch, 200, 1, secret)])
  expect(JSON.stringify(report)).not.toContain('zoe')
  expect(report.findings[0]!.exchanges[0]!.response).toBe(
    '(not a list, and not shown: it may contain records of others)',
  )
})

it('shows no control characters of a response', async () => {
  const { report } = await conclude(['invalidBodyStatus'], [sets(isUsers, { message: 'a\u009B2J\u0085b' })])
  expect(report.findings[0]!.exchanges[0]!.response).toContain('"message":"a 2J b"')
})

it('shows each unexpected field once, with its first exchange', async () => {
  const { report } = await conclude(['duplicateEmail', 'emailVerifiedOnChange'], [sets(isUsers, { tenant: 'eu' })])
  const [oddity, ...others] = report.unexpectedFields
  expect(oddity).toMatchObject({
    what: "a user has the field 'tenant', which the specification does not show",
    seen: { body: { metadata: expect.anything() } },
  })
  expect(others).toEqual([])
})

it('shows each field with an invalid value once, without the value', async () => {
  const { report } = await conclude(['duplicateEmail'], [sets(isUsers, { fullName: 5 })])
  expect(report.unexpectedFields.map(({ what }) => what)).toEqual(['in a user, fullName must be a string'])
})
