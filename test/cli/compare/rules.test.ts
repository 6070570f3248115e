// Each rule of the comparison: a difference of the service that is reported, and one that is harmless.
import { describe, expect, it } from 'vitest'
import { formatComparison } from '../../../src/compare/format-comparison.ts'
import type { BehaviorChoices } from '../../../src/core/schema/behavior.ts'
import type { Change } from './broken.ts'
import { changePath, changeRecords, changeReply, editReply, isError, isList, withOtherErrors } from './broken.ts'
import { compareProgram, type Reply, type Send } from './service.ts'

const users = '/projects/sandbox/users'
const links = '/projects/sandbox/paymentLinks'
const invoice = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }

const createUser = (send: Send, email = 'ada@suite.example') => send('POST', users, { email })
const listThree = async (send: Send) => {
  for (const email of ['a@suite.example', 'b@suite.example', 'c@suite.example']) await createUser(send, email)
  await send('GET', `${users}?limit=200`)
}
const listAll = async (send: Send) => {
  await createUser(send)
  await send('GET', `${users}?limit=200`)
}
const createLinks = async (send: Send) => {
  const first = await send('POST', links, invoice)
  const second = await send('POST', links, invoice)
  for (const { id } of [first, second, first]) await send('GET', `${links}/${id}`)
}
const listPages = async (send: Send) => {
  let after = ''
  do {
    const page = await send('GET', `${users}?limit=15${after}`)
    after = page.moreItemsAfter === null ? '' : `&after=${page.moreItemsAfter}`
  } while (after !== '')
}
const failTwice = async (send: Send) => {
  await send('GET', `${users}/usr_unknown`)
  await send('POST', users, {})
}

const shiftTimes = (milliseconds: number) =>
  changeRecords((record) => {
    for (const name of ['createdAt', 'canceledAt', 'completedAt'])
      if (record[name]) record[name] = new Date(Date.parse(record[name]) + milliseconds).toISOString()
  })

const changeAll = (change: object) =>
  changeReply(
    () => true,
    () => change,
  )
const changeList = (change: (body: any) => object) =>
  changeReply(isList, ({ body }) => ({ body: { ...body, ...change(body) } }))

/** All cases of a rule, or its first: a step of CI tries all. */
const sample = <T>(cases: Readonly<Record<string, T>>): [name: string, value: T][] =>
  Object.entries(cases).slice(0, process.env.SLOW_TESTS ? Infinity : 1)

let urls = 0

describe.each<{
  rule: string
  program: (send: Send) => Promise<unknown>
  reported: Readonly<Record<string, [change: Change, path: string]>>
  harmless: Readonly<Record<string, Change>>
}>([
  {
    rule: 'a paymentUrl',
    program: createLinks,
    reported: {
      'of another link': [changeRecords((link) => (link.paymentUrl = 'https://pay.example/1')), 'paymentUrl'],
      'that is always new': [
        changeRecords((link) => (link.paymentUrl = `https://pay.example/${++urls}`)),
        'paymentUrl',
      ],
      'that is no URL': [changeRecords((link) => (link.paymentUrl = `/pay/${link.id}`)), 'paymentUrl'],
    },
    harmless: {
      'of another host with a path of its own': changeRecords(
        (link) => (link.paymentUrl = `https://pay.example/${link.id.toUpperCase()}`),
      ),
    },
  },
  {
    rule: 'a creation time',
    program: listAll,
    reported: {
      'without a zone': [changeRecords((user) => (user.createdAt = user.createdAt.replace('Z', ''))), 'createdAt'],
      'that is no time': [changeRecords((user) => (user.createdAt = 'yesterday')), 'createdAt'],
    },
    harmless: {
      'by a clock that is two years slow': shiftTimes(-730 * 86_400_000),
      'by a clock that is an hour fast': shiftTimes(3_600_000),
      'with microseconds': changeRecords((user) => (user.createdAt = user.createdAt.replace('Z', '000Z'))),
      'with an offset': changeRecords((user) => (user.createdAt = user.createdAt.replace('Z', '+00:00'))),
    },
  },
  {
    rule: 'a cancellation of a link that the run has not seen',
    program: async (send) => {
      await send('POST', users, { email: 'ada@suite.example' }, { 'idempotency-key': 'key-1' })
      await send('POST', `${links}/pml_stranger/cancel`)
      await send('POST', links, invoice)
    },
    reported: { 'without its time': [changeRecords((link) => (link.canceledAt = null)), 'status'] },
    harmless: {
      'by a clock that is two years slow': shiftTimes(-730 * 86_400_000),
      'beside a create whose response is that of an earlier run': changeRecords((record) => {
        if (record.object === 'user') record.createdAt = '2024-12-30T00:00:00.000Z'
      }),
    },
  },
  {
    rule: 'a page',
    program: listThree,
    reported: {
      'with 20 items for limit=200': [changePath(/limit=200/, 'limit=20'), 'moreItemsAfter'],
      'that ends too early': [changeList(({ items }) => ({ moreItemsAfter: items.at(-1).id })), 'moreItemsAfter'],
      'without an item': [changeList(({ items }) => ({ items: items.toSpliced(1, 1) })), 'items'],
      'in another order': [changeList(({ items }) => ({ items: items.toReversed() })), 'items'],
    },
    harmless: {
      'with records of the same creation time in any order': changeList(({ items: [first, second, third, ...old] }) => {
        const equal = old.map((user: object) => ({ ...user, createdAt: '2024-12-31T00:00:00.000Z' }))
        return { items: [first, second, third, ...equal.toReversed()] }
      }),
    },
  },
  {
    rule: 'the end of a list',
    program: listPages,
    reported: {
      'with more items, but without a page of them': [
        changeList(({ items, moreItemsAfter }) => ({ moreItemsAfter: moreItemsAfter ?? items.at(-1)?.id ?? null })),
        'moreItemsAfter',
      ],
      'that a page claims in the middle': [changeList(() => ({ moreItemsBefore: null })), 'moreItemsBefore'],
    },
    harmless: { 'after records that the run sees for the first time': (sent, deliver) => deliver(sent) },
  },
  {
    rule: 'a page with limit=0',
    program: async (send) => {
      await send('GET', `${users}?limit=0`)
      await send('GET', `${users}?limit=15`)
    },
    reported: { 'that has items': [changePath(/limit=0/, 'limit=1'), 'items'] },
    harmless: { 'before the first page': (sent, deliver) => deliver(sent) },
  },
  {
    rule: 'an error',
    program: failTwice,
    reported: {
      'as HTML': [changeReply(isError, () => ({ type: 'text/html', body: '<h1>Sorry</h1>' })), 'errorFormat'],
      'with another status': [changeReply(isError, () => ({ status: 410 })), 'status'],
      'without a body': [changeReply(isError, () => ({ type: '', body: undefined })), 'errorFormat'],
      'without a message': [changeReply(isError, () => ({ body: { type: 'a', code: 'b' } })), 'errorFormat'],
      'with a code that is a number': [
        changeReply(isError, ({ body }) => ({ body: { ...body, code: 17 } })),
        'errorFormat',
      ],
    },
    harmless: {
      'with other texts, and without a hint': withOtherErrors,
      'with further fields': changeReply(isError, ({ body }) => ({ body: { ...body, traceId: 'x1' } })),
      'with another media type': changeReply(isError, () => ({ type: 'text/plain' })),
      'without a media type': changeReply(isError, () => ({ type: '' })),
      'with a charset': changeReply(isError, ({ type }) => ({ type: `${type}; charset=utf-8` })),
    },
  },
  {
    rule: 'a successful response',
    program: listAll,
    reported: {
      'that is no JSON': [changeAll({ body: '{' }), 'body'],
      'that is a list without items': [changeReply(isList, () => ({ body: {} })), 'items'],
      'without a field': [changeRecords((user) => delete user.birthday), 'birthday'],
      'with another value of a field': [changeRecords((user) => (user.fullName = '')), 'fullName'],
    },
    harmless: {
      'with a charset': changeAll({ type: 'application/json; charset=utf-8' }),
      'with a wrong media type': changeAll({ type: 'text/plain' }),
      'without a media type': changeAll({ type: '' }),
      'with a JSON type of its own': changeAll({ type: 'application/vnd.service+json' }),
      'with further fields': changeRecords((user) => (user.nickname = 'Ada')),
      'with fields in another order': changeRecords((user) => {
        const { object, ...others } = user
        delete user.object
        Object.assign(user, others, { object })
      }),
    },
  },
  {
    rule: 'a record',
    program: async (send) => {
      const { id } = await send('POST', '/projects/other/users', { email: 'olga@suite.example' })
      await send('GET', `${users}/${id}`)
      await send('GET', `${users}?limit=200`)
    },
    reported: {
      'of another project in a list': [changePath(/sandbox\/users\?/, 'other/users?'), 'items'],
      'of another project by its id': [changePath(/sandbox\/users\//, 'other/users/'), 'outcome'],
    },
    harmless: {
      'of somebody else in a list': (sent, deliver) =>
        deliver({ ...sent, path: sent.path.replace('limit=200', 'limit=30') }).then((reply) =>
          sent.path.includes('limit') ? { ...reply, body: { ...reply.body, moreItemsAfter: null } } : reply,
        ),
    },
  },
])('$rule', ({ program, reported, harmless }) => {
  it.each(sample(reported))('%s is reported', async (_, [change, path]) => {
    const { different, learned } = await compareProgram(program, { change })
    const paths = different.flatMap(({ differences }) => differences.map((one) => one.path.replace(/.*\./, '')))
    expect(paths).toContain(path)
    expect(learned).toEqual([])
  })

  it.each(sample(harmless))('%s is harmless', async (_, change) => {
    const { different, learned, notCompared } = await compareProgram(program, { change })
    expect([different, learned, notCompared]).toEqual([[], [], []])
  })
})

it.each<[what: string, change: Change, service: string, mock: unknown]>([
  ['a needless moreItemsAfter', changeList(() => ({ moreItemsAfter: 'usr_more' })), 'usr_more', null],
  [
    'an error that is no JSON',
    changeReply(isError, () => ({ body: '{' })),
    'no JSON (application/json)',
    ['object', 'type', 'code', 'message', 'details'],
  ],
])('the report says what is wrong with %s', async (_, change, service, mock) => {
  const program = async (send: Send) => {
    await send('GET', `${users}?limit=200`)
    await send('POST', users, {})
  }
  const { different } = await compareProgram(program, { change })
  expect(different[0]!.differences[0]).toMatchObject({ service, mock })
})

const hideHashes = (value: unknown) => JSON.stringify(value).replaceAll(/#[\da-f]{8}/g, '#HASH')

it.each<[token: string, body: object, shown: object]>([
  ['secret-a', { fullName: 'by secret-a', 'secret-a': 1 }, { fullName: 'by #HASH', 'secret-a': 1 }],
  ['s', { fullName: 'Jones', email: 's' }, { fullName: 'Jones', email: '#HASH' }],
])('the report hides the token %s, but no keys and no parts of words', async (token, body, shown) => {
  const authorization = `Bearer ${token}`
  const program = (send: Send) => send('POST', users, { email: 'ada@suite.example' }, { authorization })
  const { different } = await compareProgram(program, { token: { token }, change: changeAll({ body }) })
  expect(hideHashes(different[0]!.service.body)).toBe(JSON.stringify(shown))
})

const secret = 'sk_live/4 2'
const headers = {
  'X-Api-Key': secret,
  'api-key': secret,
  'x-auth-token': secret,
  'proxy-authorization': secret,
  cookie: `theme=dark; session=${secret}; lang=en`,
}
const parameters = ['api_key', 'apikey', 'Key', 'token', 'access_token', 'secret', 'password']
it.each([
  ...Object.entries(headers).map(([name, value]) => [`in the header ${name}`, { [name]: value }, ''] as const),
  ...parameters.map((name) => [`in the parameter ${name}`, {}, `?${name}=${encodeURIComponent(secret)}`] as const),
])(
  'the report hides a secret that the program sends, also where the service sends it back, %s',
  async (_, sentHeaders, query) => {
    const change = changeRecords((user) => (user.fullName = `of ${secret}`))
    const program = (send: Send) => send('POST', users + query, { email: 'ada@suite.example' }, sentHeaders)
    const { comparison } = await compareProgram(program, { change })
    const { report } = comparison
    expect(hideHashes(report.different[0]!.differences)).toContain('of #HASH')
    for (const text of [JSON.stringify(report), formatComparison(comparison)])
      for (const form of [secret, encodeURIComponent(secret)]) expect(text).not.toContain(form)
    if (query !== '') expect(hideHashes(report.different[0]!.path)).toMatch(/=#HASH"$/)
  },
)

it('the report shows two long values where they differ', async () => {
  const loseThird = changeReply(isList, ({ body }) => ({ body: { ...body, items: body.items.toSpliced(2, 1) } }))
  const { comparison } = await compareProgram(listThree, { change: loseThird })
  const [, service, mock] = /^ {2}items +(\.\.\.\S+) +(\.\.\.\S+)$/m.exec(formatComparison(comparison)) ?? []
  expect(service).toBeDefined()
  expect(service).not.toBe(mock)
})

describe('further fields and other formats', () => {
  it('are listed once', async () => {
    const change = changeRecords((user) => {
      user.nickname = 'Ada'
      user.createdAt = user.createdAt.replace('Z', '000Z')
    })
    const { unknownFields } = await compareProgram(listAll, { change })
    expect(unknownFields).toEqual(['users.createdAt (with microseconds)', 'users.nickname'])
  })

  it.each([
    ['.060123Z', 'with microseconds', undefined],
    ['.060123456Z', 'with nanoseconds', undefined],
    ['.06Z', 'with 2 digits of a second', undefined],
    ['.060+00:00', 'with an offset', 'milliseconds'],
    ['.060123+00:00', 'with microseconds and an offset', undefined],
  ])('of times such as %s are %s', async (end, format, timestampPrecision) => {
    const change = changeRecords((user) => (user.createdAt = user.createdAt.replace(/\.\d+Z$/, end)))
    const { comparison, observed, different } = await compareProgram((send) => createUser(send), { change })
    expect([different, observed.timestampPrecision]).toEqual([[], timestampPrecision])
    expect(formatComparison(comparison)).toContain(`\nBeyond the specification:\n  users.createdAt (${format})\n`)
  })
})

const searchInCapitals = (send: Send, name: string) =>
  send('POST', `${users}/search`, { email: `${name.toUpperCase()}@suite.example` })

it.each<[what: string, calls: (send: Send, id: string) => readonly Promise<unknown>[], values: string[]]>([
  [
    'cannot find the user of an overlapping write teaches a value',
    (send, id) => [searchInCapitals(send, 'ada'), send('DELETE', `${users}/${id}`)],
    ['searchMatch=exact'],
  ],
  [
    'can find the user of a write that begins later teaches nothing',
    (send, id) => [searchInCapitals(send, 'bea'), send('DELETE', `${users}/${id}`)],
    [],
  ],
  [
    'can find the user of a write that changes the email teaches nothing',
    (send, id) => [searchInCapitals(send, 'bea'), send('PATCH', `${users}/${id}`, { email: 'new@suite.example' })],
    [],
  ],
  [
    'can find the user of a write that began earlier teaches nothing',
    (send) => [createUser(send, 'cea@suite.example'), searchInCapitals(send, 'cea')],
    [],
  ],
])('a search that %s', async (_, calls, values) => {
  const program = async (send: Send) => {
    await createUser(send)
    const { id } = await createUser(send, 'bea@suite.example')
    await Promise.all(calls(send, id))
    await send('GET', users)
  }
  const { names, different } = await compareProgram(program, { behaviors: { searchMatch: 'exact' } })
  expect([names, different]).toEqual([values, []])
})

it('a list corrects a record that somebody else has changed, so a later call is the same', async () => {
  let lists = 0
  const change = editReply((reply, sent) => {
    if (isList(sent, reply)) lists++
    for (const user of reply.body?.items ?? [reply.body]) if (lists > 1) user.fullName = 'Changed'
  })
  const program = async (send: Send) => {
    const { items } = await send('GET', `${users}?limit=1`)
    await send('GET', `${users}?limit=1`)
    await send('GET', `${users}/${items[0].id}`)
  }
  expect((await compareProgram(program, { change })).numbers).toEqual([2])
})

it('an error that has no body, because the method is HEAD, is compared by its status', async () => {
  const program = (send: Send) => send('HEAD', `${users}/usr_unknown`)
  const change = changeReply(isError, () => ({ body: undefined }))
  const { same, different } = await compareProgram(program, { change })
  expect([same, different]).toEqual([1, []])
})

describe('errors in another format', () => {
  const behaviors: BehaviorChoices = { invalidBodyStatus: 400 }
  const change = changeReply(isError, () => ({ body: { errors: ['It failed.'] } }))

  it('are one block of the report, and their statuses are compared', async () => {
    const { same, numbers, learned, observed, comparison } = await compareProgram(failTwice, { behaviors, change })
    expect([same, numbers]).toEqual([0, [1, 2]])
    expect(learned).toMatchObject([{ behavior: 'invalidBodyStatus', value: 400, calls: [{ number: 2 }] }])
    expect(observed).not.toHaveProperty('errorFormat')
    expect(formatComparison(comparison)).toMatchInlineSnapshot(`
      "2 calls: 0 the same, 2 different.

      Different: 1. GET /projects/sandbox/users/usr_unknown, and 1 call alike
                     service     mock
        errorFormat  ["errors"]  ["object","type","code","message"]
        The mock cannot send this format: --allow-other-errors compares such errors by their status alone.

      Learned, but provisional while a call is different:
        invalidBodyStatus=400, not the default 422, first in 2. POST /projects/sandbox/users

      Observed: invalidBodyStatus=400

      Use it: npx paylink-mock --behavior invalidBodyStatus=400
      "
    `)
  })

  it('are compared with an error of the mock where the mock sends none', async () => {
    const all = changeAll({ status: 400, body: { errors: [] } })
    const { different } = await compareProgram((send) => send('GET', users), { change: all })
    const mock = ['object', 'type', 'code', 'message']
    expect(different[0]!.differences.at(-1)).toEqual({ path: 'errorFormat', service: ['errors'], mock })
  })

  it('are accepted with --allow-other-errors', async () => {
    const options = { behaviors, change, allowOtherErrors: true }
    const { learned, different, observed, unknownFields } = await compareProgram(failTwice, options)
    expect([different, learned]).toMatchObject([[], [{ behavior: 'invalidBodyStatus', isProvisional: false }]])
    expect(observed).not.toHaveProperty('errorFormat')
    expect(unknownFields).toEqual(['errors (in another format: compared by their status alone)'])
    const wrongStatus = changeReply(isError, () => ({ status: 410, body: { errors: [] } }))
    const { different: wrong } = await compareProgram(failTwice, { change: wrongStatus, allowOtherErrors: true })
    expect(wrong.map(({ differences }) => differences.map(({ path }) => path))).toEqual([['status'], ['status']])
  })

  it('are not accepted as problems of RFC 9457, which the mock can send', async () => {
    const options = { behaviors: { errorFormat: 'problem' }, allowOtherErrors: true } as const
    const { names, unknownFields } = await compareProgram(failTwice, options)
    expect([names, unknownFields]).toEqual([['errorFormat=problem'], []])
  })
})

const withoutPrefix: Change = async (sent, deliver) => {
  const text = JSON.stringify([sent.path, sent.body ?? null])
  const [path, body] = JSON.parse(
    text.replaceAll(/(?<=[/=])U(?=\w{20})/g, 'usr_').replaceAll(/(?<=[/=])P(?=\w{20})/g, 'pml_'),
  )
  const reply = await deliver({ ...sent, path, ...(body !== null && { body }) })
  const received = JSON.stringify(reply.body ?? null)
  return { ...reply, body: JSON.parse(received.replaceAll('"usr_', '"U').replaceAll('"pml_', '"P')) }
}

it('ids without the prefix of the specification are a difference of each record, and nothing else', async () => {
  const { different, learned } = await compareProgram(
    async (send) => {
      const { id } = await createUser(send)
      await send('PATCH', `${users}/${id}`, { fullName: 'Ada' })
      await send('GET', `${users}/${id}`)
      await send('GET', `${users}?limit=2&after=${id}`)
      await send('GET', `${users}?limit=2&before=${id}`)
      await createUser(send)
      await send('GET', `${users}?limit=2&before=${id}`)
      const link = await send('POST', links, invoice)
      await send('POST', `${links}/${link.id}/cancel`)
      await send('DELETE', `${users}/${id}`)
      await send('GET', `${users}/${id}`)
    },
    { change: withoutPrefix },
  )
  const paths = different.flatMap(({ differences }) => differences.map(({ path }) => path))
  expect(new Set(paths)).toEqual(new Set(['id', 'items']))
  expect([different.length, learned]).toEqual([9, []])
})

it('ids that differ in a special character alone are different records', async () => {
  const ids: string[] = []
  const change: Change = async (sent, deliver) => {
    const shown = ids.findIndex((_, index) => sent.path.endsWith(`/x${':;'[index]}1`))
    const reply = await deliver(shown < 0 ? sent : { ...sent, path: `${users}/${ids[shown]}` })
    if (!ids.includes(reply.body.id)) ids.push(reply.body.id)
    return { ...reply, body: { ...reply.body, id: `x${':;'[ids.indexOf(reply.body.id)]}1` } }
  }
  const program = async (send: Send) => {
    for (const name of 'ab') await createUser(send, `${name}@suite.example`)
    for (const id of ['x:1', 'x;1']) await send('GET', `${users}/${id}`)
  }
  const { different } = await compareProgram(program, { change })
  expect(different.map(({ differences }) => differences.map(({ path }) => path))).toEqual(
    ids.flatMap(() => [['id'], ['id']]),
  )
})

it('a value that an earlier call contradicts explains no difference, and the report names this call once', async () => {
  let creates = 0
  const change = changeReply(
    ({ method }) => method === 'POST' && ++creates === 2,
    () => ({ status: 200 }),
  )
  const { different, comparison } = await compareProgram(listThree, { change })
  expect(different).toMatchObject([{ number: 2, candidates: [], contradictedBy: [1] }])
  expect(formatComparison(comparison)).toContain('Call 1 contradicts the values that would explain it')
})

it('an error in place of a success is named as such', async () => {
  const { different } = await compareProgram(createUser, { change: changeAll({ status: 400 }) })
  expect(different[0]?.differences[0]).toEqual({ path: 'outcome', service: 'error', mock: 'success' })
})

it('a full page that leads beyond the last record is different once the run has seen all records', async () => {
  const program = async (send: Send) => {
    const { items } = await send('GET', `${users}?limit=200`)
    await send('GET', `${users}?limit=${items.length}`)
  }
  const change = changeReply(
    ({ path }) => !path.endsWith('=200'),
    ({ body }) => ({ body: { ...body, moreItemsAfter: body.items.at(-1).id } }),
  )
  const { different } = await compareProgram(program, { change })
  expect(different).toMatchObject([{ number: 2, differences: [{ path: 'moreItemsAfter' }] }])
})

it('a cancel may fail because somebody has paid the link, which no response has shown', async () => {
  const program = async (send: Send) => {
    const { id } = await send('POST', links, invoice)
    await send('POST', `${links}/${id}/cancel`)
  }
  const change = changeReply(
    ({ path }) => path.endsWith('/cancel'),
    () => ({ status: 409, body: { object: 'error', type: 'conflict', code: 'paid', message: 'Paid.' } }),
  )
  expect((await compareProgram(program, { change })).different).toEqual([])
})

describe('listFreshness', () => {
  const createAndSearch = async (send: Send) => {
    await createUser(send, 'Ada@Suite.example')
    await send('POST', `${users}/search`, { email: 'ADA@suite.example' })
  }

  it('is learned if lists lag behind', async () => {
    const { names, different, learned } = await compareProgram(listAll, { behaviors: { listFreshness: 'delayed' } })
    expect([names, different]).toEqual([['listFreshness=delayed'], []])
    expect(learned[0]!.calls).toMatchObject([{ number: 2 }])
  })

  it('is not learned where a fresh list contradicts it: the search is different', async () => {
    const program = async (send: Send) => {
      await listAll(send)
      await createAndSearch(send)
    }
    const { names, different } = await compareProgram(program, { behaviors: { searchMatch: 'exact' } })
    expect([names, different]).toEqual([['searchMatch=exact'], []])
  })

  it('is not learned from one search that another value explains too', async () => {
    const { names, different } = await compareProgram(createAndSearch, { behaviors: { searchMatch: 'exact' } })
    expect(names).not.toContain('listFreshness=delayed')
    expect(different).toMatchObject([{ candidates: expect.arrayContaining(['searchMatch=exact']) }])
  })

  it('is not a candidate for a search long after the change', async () => {
    let pace = 0.5
    const program = async (send: Send) => {
      await createUser(send, 'Ada@Suite.example')
      // This call takes 15 seconds of the simulated time.
      pace = 500
      await send('GET', `${users}/usr_unknown`)
      pace = 0.5
      await send('POST', `${users}/search`, { email: 'ADA@suite.example' })
    }
    const options = { behaviors: { searchMatch: 'exact' }, random: () => pace } as const
    const { names, different } = await compareProgram(program, options)
    expect([names, different]).toEqual([['searchMatch=exact'], []])
  })

  it.each<[what: string, program: (send: Send, id: string) => Promise<unknown>]>([
    ['without a deleted user', async (send, id) => [await send('DELETE', `${users}/${id}`), await send('GET', users)]],
    ['after a user that it does not have yet', (send, id) => send('GET', `${users}?limit=3&after=${id}`)],
  ])('is not ruled out by a list %s', async (_, then) => {
    const program = async (send: Send) => then(send, (await createUser(send)).id)
    const { observed } = await compareProgram(program, { behaviors: { listFreshness: 'delayed' } })
    expect(observed.listFreshness).not.toBe('immediate')
  })

  it('is not learned from a stale retrieve', async () => {
    const stale = new Map<string, Reply>()
    const { learned, different } = await compareProgram(
      async (send) => {
        const { id } = await createUser(send)
        await send('GET', `${users}/${id}`)
        await send('PATCH', `${users}/${id}`, { fullName: 'Ada' })
        await send('GET', `${users}/${id}`)
        await send('GET', `${users}?limit=3`)
      },
      {
        change: async (sent, deliver) => {
          const reply = await deliver(sent)
          if (sent.method !== 'GET' || sent.path.includes('?')) return reply
          if (!stale.has(sent.path)) stale.set(sent.path, reply)
          return stale.get(sent.path)!
        },
      },
    )
    expect(learned).toEqual([])
    expect(different.map(({ number, candidates }) => [number, candidates])).toEqual([[4, []]])
  })

  it('is not learned from creates that overlap within one second of the service', async () => {
    const program = async (send: Send) => {
      await Promise.all(Array.from({ length: 6 }, (_, index) => createUser(send, `u${index}@suite.example`)))
      await send('GET', `${users}?limit=4`)
      await send('GET', `${users}?limit=50`)
    }
    let random = 0
    const { names, different } = await compareProgram(program, {
      behaviors: { timestampPrecision: 'seconds' },
      random: () => (random = (random + 0.37) % 1),
    })
    expect([names, different]).toEqual([['timestampPrecision=seconds'], []])
  })
})

it('links of the same second do not show the order of the list', async () => {
  const program = async (send: Send) => {
    await send('POST', '/projects/other/paymentLinks', invoice)
    await send('POST', '/projects/other/paymentLinks', invoice)
    await send('GET', '/projects/other/paymentLinks')
  }
  const behaviors: BehaviorChoices = { timestampPrecision: 'seconds', paymentLinkOrder: 'oldestFirst' }
  const { observed, different } = await compareProgram(program, { behaviors })
  expect(observed).not.toHaveProperty('paymentLinkOrder')
  expect(different).toEqual([])
})

it('users of the same second are listed newest first, whatever the order of links is', async () => {
  const program = async (send: Send) => {
    const ids: string[] = []
    for (const name of 'abcde') ids.push((await createUser(send, `${name}@suite.example`)).id)
    for (const query of ['after', 'before']) for (const id of ids) await send('GET', `${users}?limit=2&${query}=${id}`)
  }
  const behaviors: BehaviorChoices = { timestampPrecision: 'seconds', paymentLinkOrder: 'oldestFirst' }
  const { different, learned } = await compareProgram(program, { behaviors, expected: behaviors })
  expect([different, learned]).toEqual([[], []])
})

describe.each(['newestFirst', 'oldestFirst'] as const)('among links of the same second, %s,', (paymentLinkOrder) => {
  const other = '/projects/other/paymentLinks'
  const queries = ['after=ID&status=active&limit=1', 'before=ID&limit=1']
  const empty = ['after=ID&limit=0', 'before=ID&status=completed']
  const others = [...empty, 'after=ID', 'before=ID', 'after=ID&limit=1', 'before=ID&status=active&limit=1']
  const triedQueries = process.env.SLOW_TESTS ? [...queries, ...others] : queries
  it.each(triedQueries)('a page with %s shows neither an order nor a lag', async (query) => {
    const program = async (send: Send) => {
      const ids: string[] = []
      for (let created = 0; created < 5; created++) ids.push((await send('POST', other, invoice)).id)
      await send('POST', `${other}/${ids[2]}/cancel`)
      await send('GET', `${other}?limit=3`)
      for (const id of ids) await send('GET', `${other}?${query.replace('ID', id)}`)
      await send('GET', other)
      for (const id of ids) await send('GET', `${other}?${query.replace('ID', id)}`)
    }
    const behaviors: BehaviorChoices = { timestampPrecision: 'seconds', paymentLinkOrder }
    const { names, different, observed } = await compareProgram(program, { behaviors })
    expect([names, different]).toEqual([['timestampPrecision=seconds'], []])
    expect(observed).not.toHaveProperty('paymentLinkOrder')
    expect(observed.listFreshness).not.toBe('delayed')
  })
})

describe('an error with two explanations', () => {
  const payer = { user: { email: 'p@suite.example' } }
  const program = (send: Send) => send('POST', links, { invoice: 'inv_new', type: 'partner', partner: payer })
  const behaviors: BehaviorChoices = { payerFields: 'required' }

  it('is explained by its code, if the service has ours', async () => {
    const { names, different } = await compareProgram(program, { behaviors })
    expect([names, different]).toEqual([['payerFields=required'], []])
  })

  it('stays different with both, if it has not', async () => {
    const { learned, different, comparison } = await compareProgram(program, { behaviors, change: withOtherErrors })
    expect(learned).toEqual([])
    expect(different[0]!.candidates).toEqual(['payerFields=required', 'invoiceIds=seeded'])
    const message = '\n  Each of these would explain it: payerFields=required; invoiceIds=seeded\n'
    expect(formatComparison(comparison)).toContain(message)
  })

  it.each([
    ['before', ['accept', 'reject']],
    ['after', ['reject', 'accept']],
  ])('is not explained by an invoice that the service accepts %s it', async (_, steps) => {
    const user = { fullName: 'P', email: 'p@suite.example', taxNumber: '1' }
    const accept = (send: Send) => send('POST', links, { ...invoice, invoice: 'inv_new', partner: { user } })
    const both = async (send: Send) => {
      for (const step of steps) await (step === 'reject' ? program : accept)(send)
    }
    const { names, different } = await compareProgram(both, { behaviors, change: withOtherErrors })
    expect([names, different]).toEqual([['payerFields=required'], []])
  })
})

describe('a 404 for a project that the token may not see', () => {
  const token = { token: 'secret-a', projects: ['sandbox'] }
  const program = async (send: Send) => {
    await send('GET', users)
    await send('GET', '/projects/other/users')
  }
  const candidates = ['unknownProject=notFound', 'wrongProjectToken=404']

  it.each<[what: string, expected: BehaviorChoices]>([
    ['is different', {}],
    ['shows neither value, also if one is expected', { unknownProject: 'notFound' }],
    ['shows neither value, also if the other one is expected', { wrongProjectToken: 404 }],
  ])('%s', async (_, expected) => {
    const behaviors: BehaviorChoices = { wrongProjectToken: 404 }
    const { learned, different, observed } = await compareProgram(program, { behaviors, token, expected })
    expect([learned, different.map((one) => one.candidates)]).toEqual([
      [],
      Object.keys(expected)[0] ? [] : [candidates],
    ])
    expect(observed).not.toHaveProperty('unknownProject')
    expect(observed).not.toHaveProperty('wrongProjectToken')
  })

  it('is explained if another call shows the response to such a token', async () => {
    const change = changeReply(
      ({ path }) => path.includes('none'),
      () => ({ status: 404 }),
    )
    const { names, different } = await compareProgram(
      async (send) => {
        await program(send)
        await send('GET', '/projects/other/users', undefined, { authorization: 'Bearer secret-b' })
        await send('GET', '/projects/none/users')
      },
      { token, change },
    )
    expect([names, different]).toEqual([['unknownProject=notFound'], []])
  })
})

const key = { 'idempotency-key': 'key-1' }
const program = async (send: Send) => {
  await send('POST', users, { email: 'ada@suite.example' }, key)
  await send('POST', users, {}, key)
  await send('POST', users, {})
}
const behaviors: BehaviorChoices = { invalidBodyStatus: 400, idempotencyKey: 'replay' }
const checkBodyFirst = changeReply(isError, () => ({ status: 400 }))
it.each<[what: string, change: Change]>([
  ['the key', (sent, deliver) => deliver(sent)],
  ['the body', checkBodyFirst],
])(
  'an invalid body with a key that was sent with another one shows nothing of a service that checks %s first',
  async (_, change) => {
    const { names, different, observed } = await compareProgram(program, { behaviors, change })
    expect([names, different]).toEqual([['invalidBodyStatus=400'], []])
    expect(observed).not.toHaveProperty('idempotencyKey')
  },
)

describe('a change in the past', () => {
  it('is a cancel that the service repeats without an effect', async () => {
    const program = async (send: Send) => {
      const { items } = await send('GET', `${links}?status=canceled`)
      await send('POST', `${links}/${items[0].id}/cancel`)
      await send('POST', `${links}/${items[1].id}/cancel`)
    }
    const { names, different } = await compareProgram(program, { behaviors: { cancelInactive: 'idempotent' } })
    expect([names, different]).toEqual([['cancelInactive=idempotent'], []])
  })

  it('is a create that the service replays: its link stays canceled', async () => {
    const program = async (send: Send) => {
      const key = { 'idempotency-key': 'key-1' }
      const { id } = await send('POST', links, invoice, key)
      await send('POST', `${links}/${id}/cancel`)
      await send('POST', links, invoice, key)
      await send('GET', `${links}/${id}`)
      await send('GET', `${links}?limit=1`)
    }
    const { names, different } = await compareProgram(program, { behaviors: { idempotencyKey: 'replay' } })
    expect([names, different]).toEqual([['idempotencyKey=replay'], []])
  })
})

it('a key is reused if its first response was a conflict', async () => {
  const key = { 'idempotency-key': 'key-1' }
  const program = async (send: Send) => {
    await createUser(send)
    for (const name of ['ada', 'bea']) await send('POST', users, { email: `${name}@suite.example` }, key)
    await send('GET', `${users}?limit=5`)
  }
  const behaviors: BehaviorChoices = { duplicateEmail: 'conflict', idempotencyKey: 'replay' }
  const { names, different } = await compareProgram(program, { behaviors, change: withOtherErrors })
  expect([names, different]).toEqual([['duplicateEmail=conflict', 'idempotencyKey=replay'], []])
})

it('a learned value is provisional only while a call is different', async () => {
  const behaviors: BehaviorChoices = { createStatus: 200 }
  const change = changeRecords((user, { method }) => {
    if (method === 'GET') user.fullName = '?'
  })
  const { learned, different } = await compareProgram(listAll, { behaviors, change })
  expect(learned).toMatchObject([{ behavior: 'createStatus', value: 200, isProvisional: true }])
  expect(different.length).toBe(1)
  const same = await compareProgram(listAll, { behaviors })
  expect(same.learned).toMatchObject([{ behavior: 'createStatus', value: 200, isProvisional: false }])
})

describe('a payment in the meantime', () => {
  const paid = { status: 'completed', completedAt: '2025-01-01T12:00:00.060Z' }

  it.each<[what: string, isPaid: (read: number) => boolean, reported: number[]]>([
    ['is harmless', (read) => read > 1, []],
    ['is reported if the link is active again later', (read) => read === 1, [3]],
  ])('%s', async (_, isPaid, reported) => {
    const program = async (send: Send) => {
      const { id } = await send('POST', links, invoice)
      for (let read = 0; read < 2; read++) await send('GET', `${links}/${id}`)
    }
    let reads = 0
    const change = editReply(({ body }, { method }) => {
      if (method === 'GET' && isPaid(++reads)) Object.assign(body, paid)
    })
    const { same, numbers } = await compareProgram(program, { change })
    expect([same, numbers]).toEqual([3 - reported.length, reported])
  })

  it.each([
    ['may be why a list of active links lacks one', 'completed', [], ['a payment link may have been paid meanwhile']],
    ['is no reason if the link is active later', 'active', ['listFreshness=delayed'], []],
  ])('%s', async (_, status, learned, reasons) => {
    const change = editReply((reply, sent) => {
      if (isList(sent, reply)) Object.assign(reply.body, { items: [], moreItemsAfter: null })
      else if (sent.method === 'GET' && status === 'completed') Object.assign(reply.body, paid)
    })
    const program = async (send: Send) => {
      const { id } = await send('POST', links, invoice)
      await send('GET', `${links}?status=active`)
      await send('GET', `${links}/${id}`)
    }
    const { different, names, notCompared } = await compareProgram(program, { change })
    expect([different, names, notCompared.map(({ why }) => why)]).toEqual([[], learned, reasons])
  })
})

describe('a call that is not compared', () => {
  it.each([408, 429, 500, 302])('has %i', async (status) => {
    const change = changeAll({ status, ...(status === 302 && { body: undefined }) })
    const { same, different, notCompared } = await compareProgram((send) => send('GET', users), { change })
    expect([same, different]).toEqual([0, []])
    expect(notCompared).toEqual([{ number: 1, method: 'GET', path: users, why: `the service sent ${status}` }])
  })

  it.each([
    ['was done', true],
    ['was not done', false],
  ])('leaves open whether its change %s', async (_, isDone) => {
    const change: Change = async (sent, deliver) => {
      if (sent.method !== 'PATCH') return deliver(sent)
      if (isDone) await deliver(sent)
      return { status: 503, type: 'application/json', body: {} }
    }
    const program = async (send: Send) => {
      const { id } = await createUser(send)
      await send('PATCH', `${users}/${id}`, { fullName: 'Ada' })
      await send('GET', `${users}/${id}`)
    }
    const { different, notCompared } = await compareProgram(program, { change })
    expect([different, notCompared.map(({ number }) => number)]).toEqual([[], [2]])
  })

  it('may have the email of a user that the run has not seen', async () => {
    const behaviors: BehaviorChoices = { duplicateEmail: 'conflict' }
    const program = async (send: Send) => {
      await createUser(send)
      await createUser(send)
      await createUser(send, 'stranger1@corp.example')
    }
    const { names, different, notCompared } = await compareProgram(program, { behaviors })
    expect([names, different]).toEqual([['duplicateEmail=conflict'], []])
    expect(notCompared.map(({ number }) => number)).toEqual([3])
  })
})
