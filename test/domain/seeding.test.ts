import { describe, expect, it } from 'vitest'
import { deriveId } from '../../src/core/domain/ids.ts'
import { createStore } from '../support/store.ts'
import { createMock } from '../../src/index.ts'
import { type ErrorObject, MockError } from '../../src/core/schema/error.ts'
import { parse } from '../../src/core/schema/problem.ts'
import { ProjectDocument, Seed } from '../../src/core/schema/seed.ts'
import { countDistinct, toMockError } from '../support/read.ts'

const secondsBefore = (time: string, seconds: number) => new Date(Date.parse(time) - seconds * 1000).toISOString()
const fixedDay = '2025-01-01T00:00:00.000Z'

describe('a seeded project', () => {
  it('applies defaults to every field of a payment link except the invoice', () => {
    expect(seeded({ paymentLinks: [{ invoice: 'inv_1' }] }).paymentLinks).toEqual([
      {
        object: 'paymentLink',
        id: deriveId('paylink-mock', 'acme', 'pml', 0),
        canceledAt: null,
        completedAt: null,
        createdAt: '2024-12-31T23:59:59.000Z',
        partner: { redirectUrl: null },
        invoice: 'inv_1',
        status: 'active',
        type: 'partner',
        payer: {},
      },
    ])
  })

  it('keeps the given fields, also read-only ones', () => {
    const user = {
      object: 'user' as const,
      id: 'usr_ada',
      metadata: { plan: 'family', seats: 4, nested: { deep: [null] } },
      birthday: '1990-12-10',
      createdAt: '2020-02-29T00:00:00.000Z',
      email: 'ada@example.com',
      emailVerified: false,
      fullName: 'Ada Lovelace',
      preferredLocale: 'pt-BR',
    }
    const link = {
      object: 'paymentLink' as const,
      id: 'pml_paid',
      canceledAt: null,
      completedAt: '2020-03-01T00:00:00.000Z',
      createdAt: '2020-02-29T00:00:00.000Z',
      partner: { redirectUrl: 'https://shop.example/done' },
      invoice: 'inv_1',
      status: 'completed' as const,
      type: 'partner' as const,
      payer: { fullName: 'Ada', email: 'ada@example.com', taxNumber: '1' },
    }
    expect(seeded({ users: [user], paymentLinks: [link] })).toMatchObject({ users: [user], paymentLinks: [link] })
  })

  it.each([
    ['completed', {}, { completedAt: '2024-12-31T23:59:59.000Z', canceledAt: null }],
    ['canceled', {}, { canceledAt: '2024-12-31T23:59:59.000Z', completedAt: null }],
    ['completed', { completedAt: null }, { completedAt: '2024-12-31T23:59:59.000Z' }],
    ['canceled', { canceledAt: '2026-01-01T00:00:00Z' }, { canceledAt: '2026-01-01T00:00:00.000Z' }],
    ['completed', { createdAt: fixedDay }, { completedAt: fixedDay, createdAt: fixedDay }],
    ['completed', { completedAt: '2020-02-29T00:00:00.000Z' }, { createdAt: '2020-02-29T00:00:00.000Z' }],
    ['canceled', { canceledAt: fixedDay }, { canceledAt: fixedDay, createdAt: '2024-12-31T23:59:59.000Z' }],
    ['active', { canceledAt: null, completedAt: null }, { canceledAt: null, completedAt: null }],
    ['active', { partner: null }, { partner: { redirectUrl: null } }],
    ['active', { partner: {} }, { partner: { redirectUrl: null } }],
  ] as const)('gives a link that is %s its times and its partner: %j', (status, fields, expected) => {
    expect(seeded({ paymentLinks: [{ invoice: 'inv_1', status, ...fields }] }).paymentLinks).toMatchObject([expected])
  })

  it.each([
    ['no clock', undefined, fixedDay],
    ['a real clock', { mode: 'real', offset: 5 }, fixedDay],
    ['a frozen clock', { mode: 'frozen', now: '2030-06-01T12:00:00.000Z' }, '2030-06-01T12:00:00.000Z'],
    ['a frozen clock without a time', { mode: 'frozen' }, fixedDay],
    ['a stepping clock', { mode: 'stepping', now: '2030-06-01T12:00:00.000Z' }, '2030-06-01T12:00:00.000Z'],
  ] as const)('spreads records one second apart, ending one second before its start, with %s', (_, clock, start) => {
    const users = ['a@b', 'c@d', 'e@f'].map((email) => ({ email }))
    const paymentLinks = [{ invoice: 'inv_1' }, { invoice: 'inv_2' }]
    const state = seeded({ users, paymentLinks, clock })
    expect(state.users?.map(({ email, createdAt }) => [email, createdAt])).toEqual([
      ['a@b', secondsBefore(start, 3)],
      ['c@d', secondsBefore(start, 2)],
      ['e@f', secondsBefore(start, 1)],
    ])
    const times = [secondsBefore(start, 2), secondsBefore(start, 1)]
    expect(state.paymentLinks?.map(({ createdAt }) => createdAt)).toEqual(times)
  })

  it('lists records by time, and those of one time in the order of the seed', () => {
    const users = [
      { email: 'new@b', createdAt: '2025-06-01T00:00:00Z' },
      { email: 'tie-1@b', createdAt: '2020-01-01T00:00:00Z' },
      { email: 'spread@b' },
      { email: 'tie-2@b', createdAt: '2020-01-01T00:00:00.000Z' },
      { email: 'older@b', createdAt: '2019-01-01T00:00:00Z' },
    ]
    const emails = seeded({ users }).users?.map(({ email }) => email)
    expect(emails).toEqual(['older@b', 'tie-1@b', 'tie-2@b', 'spread@b', 'new@b'])
  })

  it('never generates an explicit id of another record, wherever that record is', () => {
    const [first, second, third] = [0, 1, 2].map((counter) => deriveId('paylink-mock', 'acme', 'usr', counter))
    const users = [{ email: 'a@b' }, { email: 'c@d' }, { email: 'e@f', id: first }]
    expect(seeded({ users }).users?.map(({ id }) => id)).toEqual([second, third, first])
  })

  it('generates the same ids whatever other projects, kinds and the template contain', () => {
    const acme = { users: [{ email: 'a@b' }, { email: 'c@d' }], paymentLinks: [{ invoice: 'inv_1' }] }
    const alone = exported({ projects: { acme } })
    const crowded = exported({
      template: { users: [{ email: 'x@y' }], generate: { users: 3 } },
      projects: {
        aardvark: { ...acme, generate: { users: 5 } },
        acme: { ...acme, paymentLinks: [...acme.paymentLinks, { invoice: 'inv_2' }] },
        zebra: acme,
      },
    })
    expect(crowded.users).toEqual(alone.users)
    expect(crowded.paymentLinks?.[0]?.id).toBe(alone.paymentLinks?.[0]?.id)
  })

  it('has the same ids and times in every run, and different ids for each id seed and project', () => {
    const acme = { users: [{ email: 'a@b' }], generate: { users: 3, paymentLinks: { active: 3 } } }
    expect(exported({ projects: { acme } })).toEqual(exported({ projects: { acme } }))
    const ids = [
      exported({ projects: { acme } }),
      exported({ idSeed: 'other', projects: { acme } }),
      exported({ projects: { other: acme } }, 'other'),
    ].flatMap(({ users, paymentLinks }) => [...users!, ...paymentLinks!].map(({ id }) => id))
    expect(countDistinct(ids)).toBe(21)
  })
})

describe('generate', () => {
  const written = { users: [{ email: 'a@b' }, { email: 'c@d' }], paymentLinks: [{ invoice: 'inv_1' }] }
  const generate = { users: 40, paymentLinks: { active: 12, completed: 6, canceled: 3 } }

  it('creates the given number of valid records of each status', () => {
    const { users = [], paymentLinks = [] } = seeded({ generate })
    expect(users).toHaveLength(40)
    const statuses = paymentLinks.map(({ status }) => status)
    const count = (of: string) => statuses.filter((status) => status === of).length
    expect([count('active'), count('completed'), count('canceled')]).toEqual([12, 6, 3])
    expect(countDistinct([...users, ...paymentLinks].map(({ id }) => id))).toBe(61)
    expect(countDistinct(users.map(({ email }) => email))).toBe(40)
    expect(parse(ProjectDocument, { users, paymentLinks })).toMatchObject({ ok: true })
  })

  // Snapshots of users contain these names: a version that changes them breaks their tests.
  it('creates the same people in every version', () => {
    const { users = [], paymentLinks = [] } = seeded({ generate })
    expect(users.slice(0, 3)).toMatchObject([
      { email: 'bruno.eriksen.1@example.com', fullName: 'Bruno Eriksen' },
      { email: 'ada.ivanov.2@example.com', fullName: 'Ada Ivanov' },
      { email: 'farid.kaya.3@example.com', fullName: 'Farid Kaya' },
    ])
    expect(paymentLinks.slice(0, 2)).toMatchObject([
      { invoice: 'inv_generated_1', payer: { fullName: 'Lena Costa', email: 'lena.costa@example.com' } },
      { invoice: 'inv_generated_2', payer: { fullName: 'Olga Jensen', email: 'olga.jensen@example.com' } },
    ])
  })

  it('leaves about a quarter of the emails unverified', () => {
    const { users = [] } = seeded({ generate: { users: 1000 } })
    const unverified = users.filter(({ emailVerified }) => !emailVerified).length
    expect(unverified).toBeGreaterThan(200)
    expect(unverified).toBeLessThan(300)
  })

  it('mixes the statuses', () => {
    const statuses = seeded({ generate }).paymentLinks?.map(({ status }) => status)
    expect(statuses).not.toEqual(statuses?.toSorted())
    expect(statuses?.slice(0, 12)).not.toEqual(Array.from({ length: 12 }, () => 'active'))
  })

  it('creates records that are older than the explicit ones, one second apart', () => {
    const { users = [] } = seeded({ ...written, generate })
    expect(users.slice(-2).map(({ email }) => email)).toEqual(['a@b', 'c@d'])
    const times = users.map((_, index) => secondsBefore(fixedDay, 42 - index))
    expect(users.map(({ createdAt }) => createdAt)).toEqual(times)
  })

  const amounts = [{}, { users: 1 }, { users: 40 }, { paymentLinks: { completed: 2 } }, generate]
  it.each(amounts)('leaves the written records as they are, whatever it says: %j', (some) => {
    const alone = seeded(written)
    const { users, paymentLinks } = seeded({ ...written, generate: some })
    expect(users?.slice(-2)).toEqual(alone.users)
    expect(paymentLinks?.slice(-1)).toEqual(alone.paymentLinks)
  })

  it('creates the same users with any number of links, and the other way round', () => {
    const { users, paymentLinks } = seeded({ generate })
    expect(seeded({ generate: { users: 40 } }).users).toEqual(users)
    expect(seeded({ generate: { paymentLinks: generate.paymentLinks } }).paymentLinks).toEqual(paymentLinks)
  })
})

describe('the template', () => {
  const seed: Seed = {
    template: { preferredLocale: 'fr', users: [{ email: 'template@b' }], generate: { users: 1 } },
    projects: { acme: {} },
  }

  it('is the initial content of an unlisted project, with different ids', () => {
    const [one, other] = ['one', 'other'].map((project) => exported(seed, project))
    expect(one).toMatchObject({ preferredLocale: 'fr', users: [{}, { email: 'template@b', preferredLocale: 'fr' }] })
    expect(one!.users!.at(-1)!.id).toBe(deriveId('paylink-mock', 'one', 'usr', 0))
    expect(other!.users!.at(-1)!.id).toBe(deriveId('paylink-mock', 'other', 'usr', 0))
  })

  it('does not apply to a listed project', () => {
    expect(exported(seed, 'acme')).toMatchObject({ preferredLocale: 'en-US', users: [] })
  })
})

describe('an invalid seed', () => {
  const link = { invoice: 'inv_1' }
  const time = '2025-01-01T00:00:00Z'

  it.each([
    [{ completedAt: time }, ['completedAt']],
    [{ canceledAt: time }, ['canceledAt']],
    [{ status: 'active', canceledAt: time, completedAt: time }, ['canceledAt', 'completedAt']],
    [{ status: 'completed', canceledAt: time }, ['canceledAt']],
    [{ status: 'canceled', completedAt: time, canceledAt: time }, ['completedAt']],
    [{ status: 'completed', completedAt: time, canceledAt: time }, ['canceledAt']],
    [{ status: 'paid' }, ['status']],
    [{ type: 'other' }, ['type']],
    [{ object: 'user' }, ['object']],
    [{ id: 'usr_1' }, ['id']],
    [{ id: 'pml_' }, ['id']],
    [{ createdAt: '2025-01-01' }, ['createdAt']],
    [{ createdAt: null }, ['createdAt']],
    [{ partner: { redirectUrl: 'javascript:alert(1)' } }, ['partner.redirectUrl']],
    [{ partner: { redirectUrl: '//shop.example/' } }, ['partner.redirectUrl']],
    [{ partner: { redirectUrl: '/\\shop.example/' } }, ['partner.redirectUrl']],
    [{ partner: { redirectUrl: 'done' } }, ['partner.redirectUrl']],
    [{ payer: { fullName: null } }, ['payer.fullName']],
    [{ invoice: 7 }, ['invoice']],
    [{ invoice: undefined }, ['invoice']],
    [{ invoice: '' }, ['invoice']],
    [{ status: 'completed', createdAt: time, completedAt: '2024-12-31T23:59:59.999Z' }, ['completedAt']],
    [{ status: 'canceled', createdAt: time, canceledAt: '2024-12-31T23:59:59.999Z' }, ['canceledAt']],
    // Both times are invalid, so their order is not checked.
    [{ status: 'canceled', createdAt: 'tomorrow', canceledAt: 7 }, ['canceledAt', 'createdAt']],
  ])('is rejected with a payment link of %j', async (fields, paths) => {
    const found = await problems({ template: { paymentLinks: [{ ...link, ...fields }] } })
    expect(found.map(({ path }) => path)).toEqual(paths.map((path) => `template.paymentLinks[0].${path}`))
  })

  it.each([
    ['users', [{ email: 'a@b', id: 'usr_1' }, { email: 'c@d' }, { email: 'e@f', id: 'usr_1' }]],
    ['paymentLinks', [{ ...link, id: 'pml_1' }, link, { ...link, id: 'pml_1' }]],
  ])('is rejected when two %s have the same id', async (kind, records) => {
    const path = `projects.acme.${kind}[2].id`
    expect(await problems({ projects: { acme: { [kind]: records } } })).toEqual([
      { path, message: `${path} must be unique: item 0 has it too.` },
    ])
  })

  it('is rejected with a scheduled payment of any link but an active one of its project', async () => {
    const scheduled = (paymentLink: unknown) => ({ paymentLink, outcome: 'succeeded', when: { reads: 1 } })
    const paymentLinks = [
      { ...link, id: 'pml_1' },
      { ...link, id: 'pml_2', status: 'active' },
      { ...link, id: 'pml_3', status: 'canceled' },
    ]
    const scheduledPayments = ['pml_1', 'pml_1', 'pml_2', 'pml_3', 'pml_4', 7].map(scheduled)
    const invalid = { paymentLinks: [null, 7], scheduledPayments: [scheduled('pml_1'), null] }
    const found = await problems({ projects: { a: { paymentLinks, scheduledPayments }, b: invalid } as never })
    const paths = found.map(({ path }) => path).filter((path) => path.includes('scheduled'))
    expect(paths.toSorted()).toEqual([
      'projects.a.scheduledPayments[3].paymentLink',
      'projects.a.scheduledPayments[4].paymentLink',
      'projects.a.scheduledPayments[5].paymentLink',
      'projects.b.scheduledPayments[0].paymentLink',
      'projects.b.scheduledPayments[1]',
    ])
  })

  it('may have the same id in two projects', async () => {
    const users = [{ email: 'a@b', id: 'usr_1' }]
    expect(await problems({ template: { users }, projects: { acme: { users }, other: { users } } })).toEqual([])
  })

  it.each([
    [{ project: {} }, 'project', 'projects'],
    [{ template: { users: [{ email: 'a@b', fullname: 'A' }] } }, 'template.users[0].fullname', 'fullName'],
    [{ template: { generate: { user: 1 } } }, 'template.generate.user', 'users'],
    [{ clock: { mode: 'stepping', setp: 5 } }, 'clock.setp', 'step'],
    [{ behaviors: { cancelInactve: 'conflict' } }, 'behaviors.cancelInactve', 'cancelInactive'],
    [{ tokens: [{ token: 'x', project: ['acme'] }] }, 'tokens[0].project', 'projects'],
    [{ projects: { acme: { progress: { counter: {} } } } }, 'projects.acme.progress.counter', 'counters'],
  ])('is rejected with an unknown field and the nearest name: %j', async (document, path, meant) => {
    const message = `${path} is not a field here; did you mean '${meant}'?`
    expect(await problems(document)).toEqual([{ path, message }])
  })

  const tooMany = 'must generate at most 400000 records in total.'
  const one = { generate: { users: 1 } }
  const manyLinks = { generate: { paymentLinks: { active: 200_001 } } }
  it.each([
    [{ clock: { mode: 'frosen' } }, 'clock.mode', "must be 'real', 'frozen' or 'stepping' (got 'frosen')."],
    [{ clock: { now: time } }, 'clock.mode', 'is required.'],
    [
      { clock: 'frozen' },
      'clock',
      'must be an object such as { "mode": "frozen", "now": "2025-01-01T00:00:00.000Z" } (got \'frozen\').',
    ],
    [{ clock: { mode: 'stepping', step: -1 } }, 'clock.step', 'must be at least 0 (got -1).'],
    [{ clock: { mode: 'stepping', step: 1.5 } }, 'clock.step', 'must be an integer (got 1.5).'],
    [{ template: { generate: { users: 3e6 } } }, 'template.generate', tooMany],
    [{ projects: { a: { generate: { users: 400_001 } }, b: one } }, 'projects.a.generate', tooMany],
    [{ projects: { a: { generate: { users: 2e5 } }, b: manyLinks } }, 'projects', tooMany],
    [{ template: { generate: { users: 2e5 } }, projects: { b: manyLinks } }, 'projects', tooMany],
  ])('is rejected in one sentence: %j', async (document, path, message) => {
    expect(await problems(document)).toEqual([{ path, message: `${path} ${message}` }])
  })

  it.each([
    ['', 'must not be empty'],
    ['lone \ud800', 'must be text that a URL can contain as one path segment'],
    ['..', 'must be text that a URL can contain as one path segment'],
  ])('is rejected with a project name that cannot appear in a URL: %j', async (name, message) => {
    const shown = name.replace('\ud800', '\ufffd')
    expect(await problems({ projects: { [name]: {} } })).toEqual([
      { path: `projects.${shown}`, message: `projects has the invalid name '${shown}': it ${message}.` },
    ])
  })

  const largest = Number.MAX_SAFE_INTEGER
  it.each([
    ['counters.usr', { counters: { usr: largest } }],
    ['counters.pml', { counters: { pml: largest } }],
    ['deleted.users[0].index', { deleted: { users: [{ id: 'usr_1', createdAt: time, index: largest }] } }],
  ])('is rejected with an invalid progress: %s', async (path, progress) => {
    // Beyond 2^53 a number plus one is the same number, so counters could not advance.
    const found = await problems({ projects: { acme: { progress } } })
    expect(found.map((problem) => problem.path)).toEqual([`projects.acme.progress.${path}`])
  })
})

describe('a hostile seed', () => {
  it.each([
    ['a field of a project of that name', '{"projects":{"__proto__":{"user":[]}}}', 'projects.__proto__.user'],
    ['a field of the document', '{"__proto__":{"polluted":true}}', '__proto__'],
    ['a field of a user', '{"template":{"users":[{"email":"a@b","__proto__":{}}]}}', 'template.users[0].__proto__'],
    ['a behavior', '{"behaviors":{"__proto__":{}}}', 'behaviors.__proto__'],
    ['a behavior by an inherited name', '{"behaviors":{"constructor":1}}', 'behaviors.constructor'],
    ['a clock', '{"clock":{"mode":"real","__proto__":{}}}', 'clock.__proto__'],
  ])('is rejected with `__proto__` or its like as %s', async (_, json, path) => {
    expect((await problems(JSON.parse(json))).map((problem) => problem.path)).toEqual([path])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  // The message quotes the value as text; these values have no text.
  it.each([
    ['canceledAt', '{"toString":null}'],
    ['completedAt', '{"toString":1,"valueOf":1}'],
    ['status', '{"toString":null}'],
  ])('is rejected with an object that has no text as %s: %s', async (field, json) => {
    const record = { invoice: 'inv_1', canceledAt: '2025-01-01T00:00:00Z', [field]: JSON.parse(json) as unknown }
    const found = await problems({ template: { paymentLinks: [record] } })
    expect(found.map(({ path }) => path)).toContain(`template.paymentLinks[0].${field}`)
  })
})

describe('createMock', () => {
  it('throws an error that lists every problem of its options and seed', () => {
    const options = {
      sede: {},
      clock: 'noon',
      seed: { projects: { acme: { users: [{ email: 'ada' }], paymentLinks: [{ invoice: 1 }, {}] } } },
      bodyLimit: 0,
    }
    const error = toMockError(() => createMock(options as object))
    expect(error).toMatchObject({ code: 'invalidOptions', status: 422 })
    expect(error.details?.map(({ path }) => path).toSorted()).toEqual([
      'bodyLimit',
      'clock',
      'sede',
      'seed.projects.acme.paymentLinks[0].invoice',
      'seed.projects.acme.paymentLinks[1].invoice',
      'seed.projects.acme.users[0].email',
    ])
    expect(error.message).toContain('createMock has 6 problems: ')
  })

  it('is not affected by later changes of the seed object', async () => {
    const metadata: Record<string, unknown> = { plan: 'family', nested: { seats: 4 } }
    const seed = { projects: { acme: { users: [{ id: 'usr_ada', email: 'ada@example.com', metadata }] } } }
    const mock = createMock({ seed })
    metadata.plan = 'changed'
    ;(metadata.nested as { seats: number }).seats = 5
    expect((await mock.project('acme').users.get('usr_ada')).metadata).toEqual({ plan: 'family', nested: { seats: 4 } })
  })
})

/** The initial content of the project `acme` for a seed. */
const seeded = (acme: NonNullable<Seed['projects']>[string]) => exported({ projects: { acme } })

const exported = (seed: Seed, project = 'acme') => storeOf(seed).exportProject(project)

function storeOf(seed: Seed) {
  const parsed = parse(Seed, seed)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return createStore({ seed: parsed.value, systemNow: () => Date.parse('2026-11-21T08:00:00.000Z') })
}

/** The details of the error for an invalid document. */
async function problems(document: unknown): Promise<NonNullable<ErrorObject['details']>> {
  const mock = createMock()
  try {
    await mock.state.put(document as Seed)
    return []
  } catch (error) {
    if (error instanceof MockError) return error.details ?? []
    throw error
  }
}
