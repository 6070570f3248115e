// A service like the mock, one with each behavior, broken ones, and random ones. `npm run quality -- compare` tries many more.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import type { BehaviorChoices, BehaviorKey } from '../../../src/core/schema/behavior.ts'
import { behaviorKeys, behaviorRegistry } from '../../../src/core/schema/behavior.ts'
import { broken, changeReply, withOtherErrors } from './broken.ts'
import { compareProgram, type Random, type Send } from './service.ts'

const users = '/projects/sandbox/users'
const links = '/projects/sandbox/paymentLinks'
const user = { fullName: 'P', email: 'p@example.com', taxNumber: '1' }
const payLink = (invoice: string, payer: object = user) => ({ invoice, type: 'partner', partner: { user: payer } })

/** The calls of a careful integration suite. */
const carefulProgram = async (send: Send) => {
  const ada = await send('POST', users, { email: 'Ada@Suite.example' })
  const bea = await send('POST', users, {
    email: 'bea@suite.example',
    preferredLocale: 'de-DE',
    metadata: { plan: 'x' },
  })
  const eve = await send('POST', users, { email: 'eve@suite.example' })
  await send('GET', users)
  const page = await send('GET', `${users}?limit=3`)
  const second = await send('GET', `${users}?limit=3&after=${page.moreItemsAfter}`)
  await send('GET', `${users}?limit=2&before=${second.items?.[1]?.id}`)
  await send('GET', `${users}?limit=200`)
  for (const email of ['Ada@Suite.example', 'ADA@SUITE.EXAMPLE', 'suite.ex', null, undefined])
    await send('POST', `${users}/search`, { email })
  await send('PATCH', `${users}/${bea.id}`, { fullName: 'Beatrice', metadata: { extra: '2' } })
  await send('GET', `${users}/${bea.id}`)
  await send('PATCH', `${users}/${bea.id}`, { preferredLocale: null, metadata: { plan: null } })
  await send('PATCH', `${users}/${bea.id}`, { email: 'bea2@suite.example' })
  await send('POST', users, { email: 'Ada@Suite.example' })
  await send('POST', users, {})
  await send('POST', users, '{"email": ')
  await send('POST', users, { email: 'uma@suite.example', nickname: 'Uh' })
  await send('POST', users, { email: 'max@suite.example', metadata: { number: 1 } })
  await send('GET', `${users}?limit=201`)
  await send('GET', `${users}/${ada.id}`, undefined, { accept: 'text/html' })
  await send('GET', users, undefined, { authorization: undefined })
  await send('GET', `${users}/usr_unknown`)
  await send('GET', `${users}?after=usr_unknown`)
  await send('GET', '/projects/other/users', undefined, { authorization: 'Bearer secret-b' })
  await send('GET', '/projects/other/users')
  await send('GET', '/projects/none/users')
  await send('DELETE', `${users}/${eve.id}`)
  await send('GET', `${users}/${eve.id}`)
  await send('GET', `${users}?after=${eve.id}&limit=2`)
  const link = await send('POST', links, payLink('inv_1'))
  await send('POST', links, payLink('inv_1', { email: 'p@example.com' }))
  await send('POST', links, payLink('inv_unknown'))
  await send('POST', links, payLink('bill-7'))
  await send('GET', `${links}/${link.id}`)
  await send('GET', links)
  const first = await send('GET', `${links}?limit=2`)
  await send('GET', `${links}?limit=2&after=${first.moreItemsAfter}`)
  await send('GET', `${links}?invoice=inv_1`)
  await send('POST', `${links}/${link.id}/cancel`)
  await send('POST', `${links}/${link.id}/cancel`)
  await send('GET', `${links}/${link.id}`)
  const completed = await send('GET', `${links}?status=completed&limit=1`)
  await send('POST', `${links}/${completed.items?.[0]?.id}/cancel`)
  const key = { 'idempotency-key': 'key-1' }
  await send('POST', links, payLink('inv_1'), key)
  await send('POST', links, payLink('inv_1'), key)
  await send('DELETE', `${users}/${ada.id}`)
}

const jobs = process.env.SLOW_TESTS ? 10 : 4

/** Jobs at the same time. Each creates users and searches for them, so that each call overlaps the create of another job. */
const searchingJobs = (send: Send) =>
  Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      for (let index = 0; index < 3; index++) {
        await send('POST', users, { email: `Job${job}-${index}@suite.example` })
        for (const name of ['job', 'Job', 'ob'])
          await send('POST', `${users}/search`, { email: `${name}${job}-${index}@suite.example` })
      }
    }),
  )

const { COMPARE_PROGRAMS } = process.env

const printFigure = (text: string): void => {
  if (COMPARE_PROGRAMS !== undefined) console.log(text)
}

/** All of a list, or every fortieth: the rules have tests of their own, and `probe.test.ts` shows most values at once. */
const sample = <T>(list: readonly T[]) => (process.env.SLOW_TESTS ? list : list.filter((_, index) => index % 40 === 0))

let intact: ReturnType<typeof compareProgram> | undefined
const compareIntact = () => (intact ??= compareProgram(carefulProgram))

it('a service like the mock has no differences', async () => {
  const { observed, ...report } = await compareIntact()
  expect(report).toMatchObject({ learned: [], different: [], notCompared: [] })
  expect(Object.keys(observed).length).toBeGreaterThan(17)
})

const ambiguous = new Map([
  // Both reject the same invoice.
  ['invoiceIds=prefix', ['invoiceIds=prefix', 'invoiceIds=seeded']],
  // The service may also hide the project from the token.
  ['unknownProject=notFound', ['unknownProject=notFound', 'wrongProjectToken=404']],
])

describe('a behavior of the service', () => {
  const cases = sample(
    behaviorKeys.flatMap((key) =>
      behaviorRegistry[key].values.slice(1).map((value) => [`${key}=${value}`, { [key]: value }] as const),
    ),
  )
  const counts = { learned: 0, ambiguous: 0, wrong: 0 }
  afterAll(() => {
    const { learned, ambiguous: unclear, wrong } = counts
    printFigure(`One behavior: ${cases.length} values, ${learned} learned, ${unclear} ambiguous, ${wrong} wrong.`)
  })
  it.each(cases)('%s is learned', async (name, behaviors) => {
    const token = 'wrongProjectToken' in behaviors ? { token: 'secret-a', projects: ['sandbox'] } : undefined
    const options = { behaviors, change: withOtherErrors, ...(token && { token }) }
    const { names, different } = await compareProgram(carefulProgram, options)
    if (names.includes(name)) counts.learned++
    if (different.some(({ candidates }) => candidates.includes(name))) counts.ambiguous++
    counts.wrong += names.filter((one) => one !== name).length
    if (ambiguous.has(name)) return expect(different[0]?.candidates).toEqual(ambiguous.get(name))
    expect([names, different]).toEqual([[name], []])
  })

  const searchBehaviors = [{ searchMatch: 'exact' }, { searchWithoutEmail: 'none' }] as const
  it.each(searchBehaviors)('%j is learned before a list shows that lists do not lag behind', async (behaviors) => {
    const program = async (send: Send) => {
      await send('POST', '/projects/new/users', { email: 'ada@suite.example' })
      const body = 'searchMatch' in behaviors ? { email: 'ADA@suite.example' } : {}
      await send('POST', '/projects/new/users/search', body)
      await send('GET', '/projects/new/users')
    }
    const { learned, different } = await compareProgram(program, { behaviors })
    const [[behavior, value]] = Object.entries(behaviors) as [[string, string]]
    expect([learned, different]).toMatchObject([[{ behavior, value, isProvisional: false }], []])
  })

  it.each(sample(['exact', 'contains'] as const))('searchMatch=%s is learned from jobs side by side', async (value) => {
    const behaviors = { searchMatch: value }
    for (let seed = 4; seed < 4 + programs; seed++) {
      const { names, different } = await compareProgram(searchingJobs, { behaviors, random: createRandom(seed) })
      expect([names, different], `program ${seed}`).toEqual([[`searchMatch=${value}`], []])
    }
  })

  it('that is not the expected one is marked', async () => {
    const create = (send: Send) => send('POST', users, { email: 'ada@suite.example' })
    const { learned } = await compareProgram(create, { expected: { createStatus: 200 } })
    expect(learned).toMatchObject([{ behavior: 'createStatus', value: 201, was: 200, isExpected: true }])
  })
})

describe('a service that', () => {
  const cases = sample(Object.entries(broken))
  let reported = 0
  afterAll(() => printFigure(`Broken services: ${reported} of ${cases.length} reported on the right call.`))
  it.each(cases)('%s is reported first on a call that shows it', async (_, change) => {
    const { different, exchanges } = await compareProgram(carefulProgram, { change })
    const { exchanges: expected } = await compareIntact()
    const changed = exchanges.flatMap(({ response }, index) =>
      isDeepStrictEqual(response, expected[index]?.response) ? [] : [index + 1],
    )
    expect(changed).toContain(different[0]?.number)
    reported++
  })
})

/** The same seed always gives the same numbers. */
const createRandom = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!

/** Chooses the value of each behavior. */
const randomBehaviors = (random: Random): BehaviorChoices =>
  Object.fromEntries(behaviorKeys.map((key) => [key, pick<unknown>(random, behaviorRegistry[key].values)]))

/** A program with several workers, whose calls overlap and who work on the same records. */
const randomProgram =
  (random: Random, { workers = 4, steps = COMPARE_PROGRAMS === undefined ? 12 : 30 } = {}) =>
  async (send: Send): Promise<void> => {
    const base = '/projects/sandbox'
    const users: string[] = ['usr_unknown']
    const links: string[] = ['pml_unknown']
    const email = () => `${pick(random, ['Ada', 'ada', 'bea', 'Eve'])}${Math.floor(random() * 6)}@suite.example`
    const noteAll = (ids: string[], json: any) => {
      for (const record of Array.isArray(json?.items) ? json.items : [json])
        if (typeof record?.id === 'string' && ids.length < 60 && !ids.includes(record.id)) ids.push(record.id)
    }
    const query = (ids: readonly string[], filters: readonly string[]) => {
      const cursor = pick(random, ['', '', 'after', 'before'])
      const parts = [
        pick(random, ['', 'limit=0', 'limit=2', 'limit=5', 'limit=200']),
        cursor && `${cursor}=${pick(random, ids)}`,
        pick(random, filters),
      ].filter((part) => part !== '')
      return parts.length === 0 ? '' : `?${parts.join('&')}`
    }
    const createUser = async () => {
      const metadata = pick(random, [{}, { metadata: { a: '1' } }, { metadata: { n: 1 } }])
      noteAll(users, await send('POST', `${base}/users`, { email: email(), ...metadata }))
    }
    const createLink = async () => {
      const invoice = pick(random, ['inv_1', 'inv_s0', 'inv_new', 'bill-7'])
      const user = pick(random, [{ fullName: 'P', email: 'p@suite.example', taxNumber: '1' }, {}])
      const key = pick(random, [undefined, undefined, 'key-1', 'key-2'])
      const body = { invoice, type: 'partner', partner: { user } }
      noteAll(links, await send('POST', `${base}/paymentLinks`, body, { 'idempotency-key': key }))
    }
    const listUsers = async () => noteAll(users, await send('GET', `${base}/users${query(users, [''])}`))
    const searchUsers = () =>
      send('POST', `${base}/users/search${query(users, [''])}`, { email: pick(random, [email(), null, 'suite']) })
    const listLinks = async () => {
      const filters = ['', '', 'invoice=inv_1', 'status=active', 'status=canceled,completed']
      noteAll(links, await send('GET', `${base}/paymentLinks${query(links, filters)}`))
    }
    const updateUser = () => {
      const change = pick(random, [
        { fullName: 'F' },
        { email: email() },
        { metadata: { a: null, b: '2' } },
        { preferredLocale: null },
        { birthday: '2000-02-30' },
      ])
      return send('PATCH', `${base}/users/${pick(random, users)}`, change)
    }
    const createOddUser = () => {
      const body = pick<unknown>(random, [{}, '{', { email: 'no' }, { email: email(), nickname: 'N' }])
      return send('POST', `${base}/users`, body)
    }
    const operations: readonly (() => Promise<unknown>)[] = [
      ...[createUser, createLink, listUsers, listLinks].flatMap((twice) => [twice, twice]),
      searchUsers,
      updateUser,
      createOddUser,
      () => send('GET', `${base}/users/${pick(random, users)}`),
      () => send('GET', `${base}/paymentLinks/${pick(random, links)}`),
      () => send('POST', `${base}/paymentLinks/${pick(random, links)}/cancel`),
      () => send('DELETE', `${base}/users/${pick(random, users)}`),
    ]
    const work = async () => {
      for (let step = 0; step < steps; step++) await pick(random, operations)()
    }
    await Promise.all(Array.from({ length: workers }, work))
  }

/** How many random programs are tried. */
const programs = Number(COMPARE_PROGRAMS ?? 1)

/** Calls a function for each random program, with its seed. */
const forEachSeed = async (run: (random: Random, seed: number) => Promise<void>): Promise<void> => {
  for (let seed = 1; seed <= programs; seed++) await run(createRandom(seed), seed)
}

it('a service with the behaviors of the mock has no difference in random programs whose calls overlap', async () => {
  let [calls, same] = [0, 0]
  const wrong: unknown[] = []
  await forEachSeed(async (random, seed) => {
    const report = await compareProgram(randomProgram(random), { random })
    calls += report.calls
    same += report.same
    for (const { number, path, differences } of report.different) wrong.push({ seed, number, path, differences })
    for (const { behavior, value } of report.learned) wrong.push({ seed, behavior, value })
  })
  printFigure(
    `Same behaviors: ${programs} random programs, ${calls} calls, ${same} the same, ${wrong.length} false differences.`,
  )
  expect(wrong).toEqual([])
})

it('a service with random behaviors teaches no value that it does not have', async () => {
  let [learned, observed, different] = [0, 0, 0]
  const wrong: unknown[] = []
  await forEachSeed(async (random, seed) => {
    const behaviors = randomBehaviors(random)
    const report = await compareProgram(randomProgram(random), { random, behaviors })
    const shown = [
      ...report.learned.map(({ behavior, value }) => [behavior, value] as const),
      ...(Object.entries(report.observed) as [BehaviorKey, unknown][]),
    ]
    for (const [behavior, value] of shown) if (value !== behaviors[behavior]) wrong.push({ seed, behavior, value })
    learned += report.learned.length
    observed += Object.keys(report.observed).length
    different += report.different.length
  })
  printFigure(
    `Random behaviors: ${programs} services, ${learned} values learned, ${observed} observed, ${wrong.length} wrong; ${different} calls different.`,
  )
  expect(wrong).toEqual([])
})

const oddTexts = ['', ' ', 'x', '../?#%', 'x'.repeat(70_000), 'usr_', 'pml_%', '\uD800']
const oddTimes = [
  '9999-99-99T99:99:99Z',
  '2025-01-01T00:00:00+99:00',
  '+275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
]
const oddValues = [...oddTexts, ...oddTimes, null, undefined, 0, -1, 1e300, true, [], [null], {}, { id: 1 }]

/** Replaces some values of a JSON document by odd ones. */
const spoil = (random: Random, value: unknown): unknown => {
  if (random() < 0.04) return pick(random, oddValues)
  if (Array.isArray(value)) return value.map((item) => spoil(random, item))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, spoil(random, field)]))
    : value
}

it('a service that responds with anything makes no comparison fail', async () => {
  await forEachSeed(async (random, seed) => {
    const change = changeReply(
      () => random() < 0.5,
      ({ status, body }) => ({
        status: random() < 0.1 ? pick(random, [200, 204, 400, 404, 422, 101]) : status,
        body: spoil(random, body),
      }),
    )
    const program = randomProgram(random, { workers: 2, steps: 15 })
    const report = await compareProgram(program, { random, change }).catch((error: unknown) => error)
    expect(report, `program ${seed}`).toMatchObject({ calls: 30 })
  })
})
