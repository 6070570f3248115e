import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveId } from '../../src/domain/ids.ts'
import {
  cancelPaymentLink,
  completePaymentLink,
  createPaymentLink,
  deletePaymentLink,
  listPaymentLinks,
} from '../../src/domain/payment-links.ts'
import { insertUser, patchPaymentLink, patchUser } from '../../src/domain/rows.ts'
import { createSnapshots } from '../../src/domain/snapshots.ts'
import { createUser, deleteUser, listUsers, updateUser, userOf } from '../../src/domain/users.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import type { StoreOptions } from '../../src/domain/store.ts'
import { toMockError } from '../support/to-mock-error.ts'
import { createWorld, type DocumentedWorld as World } from '../support/world.ts'
import { createMock } from '../../src/mock.ts'
import { type Behave, defaultBehaviors } from '../../src/schema/behavior.ts'
import type { ClockDocument } from '../../src/schema/clock.ts'
import { MockError } from '../../src/schema/error.ts'
import { parse } from '../../src/schema/problem.ts'
import { Seed, type SeedInput } from '../../src/schema/seed.ts'
import { unknownFields } from '../../src/schema/unknown-fields.ts'

const now = Date.parse('2026-11-21T08:00:00.000Z')
const time = new Date(now).toISOString()
const behave: Behave = (key) => defaultBehaviors[key]

describe('a piece of work', () => {
  it('becomes current when it returns', () => {
    const world = worldOf()
    const { id } = addUser(world)

    expect(world.look('acme', (work) => userOf(work, id))).toMatchObject({ id, email: 'a@b' })
    expect(world.summary('acme')).toMatchObject({ users: 1, revision: 1 })
  })

  it('changes nothing when it throws, whatever it did before', () => {
    const world = worldOf({ seed: { clock: { mode: 'stepping' }, projects: { acme: { users: [{ email: 'a@b' }] } } } })
    const before = everythingOf(world)
    const refused = () =>
      world.run('acme', behave, (work) => {
        const user = createUser(work, { email: 'c@d' })
        createPaymentLink(work, { invoice: 'inv_1', redirectUrl: null, payer: {} }, 'partner.user')
        updateUser(work, user.id, { fullName: 'Ada' })
        deleteUser(work, user.id)
        throw new Error('late')
      })

    expect(refused).toThrow('late')
    expect(everythingOf(world)).toEqual(before)
  })

  it('does not bring a project into being when it throws or only looks', () => {
    const world = worldOf()

    expect(() => world.run('acme', behave, (work) => userOf(work, 'usr_x'))).toThrow("No user 'usr_x'")
    world.look('acme', (work) => listUsers(work, { limit: 10 }))
    expect(world.summary('acme')).toMatchObject({ users: 0, revision: 0 })
    expect(world.has('acme')).toBe(false)
    expect(world.summaries()).toEqual([])
  })

  it('cannot change what is current by way of a look', () => {
    const world = worldOf()
    addUser(world)
    const before = everythingOf(world)
    world.look('acme', (work) => createUser(work, { email: 'c@d' }))

    expect(everythingOf(world)).toEqual(before)
  })

  it('sees nothing of other projects but who has a row, for hints', () => {
    const world = worldOf()
    const { id } = addUser(world, 'other')

    expect(toMockError(() => world.look('acme', (work) => userOf(work, id)))).toMatchObject({
      code: 'userNotFound',
      hint: "It lives in project 'other'.",
    })
  })
})

describe('a project', () => {
  it('is summed up by what it counts, its locale and its clock', () => {
    const seed: SeedInput = {
      clock: { mode: 'frozen', now: time },
      projects: { acme: { users: [{ email: 'a@b' }] } },
    }

    expect(worldOf({ seed }).summary('acme')).toEqual({
      object: 'project',
      id: 'acme',
      revision: 0,
      users: 1,
      paymentLinks: 0,
      preferredLocale: 'en-US',
      clock: { mode: 'frozen', now: time },
    })
  })

  it('has request ids that are derived like all others, from 0 on', () => {
    const world = worldOf()

    expect([world.nextRequestId('acme'), world.nextRequestId('acme')]).toEqual(
      [0, 1].map((counter) => deriveId('paylink-mock', 'acme', 'req', counter)),
    )
  })

  it('is deleted only when it is there', () => {
    const world = worldOf({ seed: { projects: { acme: {} } } })
    world.remove('acme')

    expect(world.names()).toEqual([])
    expect(toMockError(() => world.remove('acme'))).toMatchObject({
      code: 'projectNotFound',
      message: "No project 'acme'.",
    })
  })

  it('counts what took the place of its state, be it of all projects or of its own', () => {
    const world = worldOf()
    const seen = [world.generationOf('acme')]
    for (const replace of [() => world.reset(), () => world.reset('acme'), () => world.remove('acme')]) {
      replace()
      seen.push(world.generationOf('acme'))
    }

    expect(new Set(seen).size).toBe(4)
  })
})

describe('a draw of chance', () => {
  it('goes on when its project comes into being, and from the beginning when that was deleted', () => {
    const draws = (world: World, count: number) => Array.from({ length: count }, () => world.draw('acme'))
    const four = draws(worldOf({ seed: { projects: { acme: {} } } }), 4)
    const world = worldOf()
    const unborn = draws(world, 2)
    world.enter('acme')

    expect(new Set(four).size).toBe(4)
    expect([...unborn, ...draws(world, 2)]).toEqual(four)
    world.remove('acme')
    expect(draws(world, 4)).toEqual(four)
  })

  it('goes on where an export stood', () => {
    const world = worldOf({ seed: { projects: { acme: {} } } })
    world.draw('acme')
    const text = JSON.stringify(world.exportAll())
    const next = world.draw('acme')

    expect(worldOf({ seed: parsed(text) }).draw('acme')).toBe(next)
  })
})

describe('a plan', () => {
  it('for a link that no document has comes to nothing when it is due', () => {
    const scheduledPayments = [
      { paymentLink: 'pml_x', outcome: 'succeeded' as const, when: { at: '2020-01-01T00:00:00Z' } },
    ]
    const world = worldOf({ seed: { projects: { acme: { scheduledPayments } } } })

    expect(world.summary('acme')).toMatchObject({ paymentLinks: 0 })
    expect(world.exportProject('acme').scheduledPayments).toBeUndefined()
  })
})

describe('what is told of work', () => {
  it('is each row that was changed, as it was and as it is, and nothing of what stays', () => {
    const told: Transaction['changes'][] = []
    const world = worldOf({ onCommit: (_, { changes }) => told.push([...changes]) })
    const user = addUser(world)
    const link = run(world, (work) =>
      createPaymentLink(work, { invoice: 'inv_1', redirectUrl: null, payer: {} }, 'partner.user'),
    )
    run(world, (work) => [patchUser(work, user.id, {}), patchPaymentLink(work, link.id, {})])
    const canceled = run(world, (work) => cancelPaymentLink(work, link.id))
    run(world, (work) => [deletePaymentLink(work, link.id), deleteUser(work, user.id)])

    const ofLink = { resource: 'paymentLink' as const }
    expect(told).toEqual([
      [{ resource: 'user', from: undefined, to: user }],
      [{ ...ofLink, from: undefined, to: link }],
      [],
      [{ ...ofLink, from: link, to: canceled }],
      [
        { ...ofLink, from: canceled, to: undefined },
        { resource: 'user', from: user, to: undefined },
      ],
    ])
  })
})

describe('a snapshot', () => {
  it('tells that the state was restored, of all projects or of one', () => {
    const told: unknown[] = []
    const world = worldOf({ onReplaced: (...what) => told.push(what) })
    const snapshots = createSnapshots(world)
    for (const project of [undefined, 'acme']) {
      snapshots.save('here', project)
      snapshots.restore('here', project)
    }

    expect(told).toEqual([['restored'], ['restored', 'acme']])
  })
})

describe('the revision', () => {
  it('grows by one with each piece of work that changes data, and with nothing else', () => {
    const world = worldOf()
    const { id } = addUser(world)
    const link = run(world, (work) =>
      createPaymentLink(work, { invoice: 'inv_1', redirectUrl: null, payer: {} }, 'partner.user'),
    )
    expect(revision(world)).toBe(2)

    run(world, (work) => updateUser(work, id, { fullName: 'Ada', metadata: { a: 1 } }))
    expect(revision(world)).toBe(3)
    run(world, (work) => updateUser(work, id, { fullName: 'Ada', metadata: { a: 1 } }))
    run(world, (work) => updateUser(work, id, { email: null, metadata: { b: null } }))
    run(world, (work) => patchUser(work, id, { emailVerified: true }))
    run(world, (work) => listUsers(work, { limit: 10 }))
    run(world, (work) => work.newId('usr'))
    expect(() => run(world, (work) => completePaymentLink(work, 'pml_x'))).toThrow(MockError)
    expect(revision(world)).toBe(3)

    run(world, (work) => cancelPaymentLink(work, link.id))
    expect(revision(world)).toBe(4)
    world.run(
      'acme',
      (key) => (key === 'cancelInactive' ? ('idempotent' as never) : behave(key)),
      (work) => cancelPaymentLink(work, link.id),
    )
    expect(revision(world)).toBe(4)
    run(world, (work) => deleteUser(work, id))
    expect(revision(world)).toBe(5)
  })

  it('does not grow when a project comes into being, or with work on another', () => {
    const world = worldOf({ seed: { template: { users: [{ email: 'a@b' }] } } })
    world.enter('acme')
    addUser(world, 'other')

    expect(revision(world)).toBe(0)
    expect(revision(world, 'other')).toBe(1)
  })

  it('grows by one with a reset and a load, also for a project that goes or comes with it', () => {
    const world = worldOf({ seed: { projects: { acme: {} } } })
    addUser(world)
    world.reset('acme')
    expect(revision(world)).toBe(2)
    world.enter('other')
    world.reset()
    expect([revision(world), revision(world, 'other'), world.has('other')]).toEqual([3, 1, false])
    world.loadAll({ projects: { third: {} } })
    expect([revision(world), world.has('acme')]).toEqual([4, false])
    expect([revision(world, 'third'), world.has('third')]).toEqual([1, true])
    world.loadProject('third', {})
    expect(revision(world, 'third')).toBe(2)
  })
})

describe('a project that no document lists', () => {
  it('shows what it would be before it is entered, and is that afterwards', () => {
    const world = worldOf({ seed: { template: { preferredLocale: 'fr', users: [{ email: 'a@b' }] } } })
    const would = world.exportProject('acme')

    expect(world.has('acme')).toBe(false)
    expect(world.enter('acme')).toBe(true)
    expect(world.enter('acme')).toBe(false)
    expect(world.has('acme')).toBe(true)
    expect(world.exportProject('acme')).toEqual(would)
    expect(world.summary('acme')).toMatchObject({ preferredLocale: 'fr', users: 1 })
  })

  it('comes into being with the first work that changes it', () => {
    const world = worldOf({ seed: { template: { users: [{ email: 'a@b' }] } } })
    addUser(world)

    expect(world.summaries()).toMatchObject([{ id: 'acme', users: 2 }])
  })

  it('starts from the template of the document that was loaded last', () => {
    const world = worldOf({ seed: { template: { preferredLocale: 'fr' } } })
    expect(world.summary('acme').preferredLocale).toBe('fr')
    world.loadAll({ template: { preferredLocale: 'de' }, clock: { mode: 'frozen' } })

    expect(world.summary('acme')).toMatchObject({ preferredLocale: 'de', clock: { mode: 'frozen' } })
  })
})

describe('a reset', () => {
  const seed: SeedInput = {
    clock: { mode: 'stepping' },
    behaviors: { createStatus: 200 },
    template: { users: [{ email: 'template@b' }] },
    projects: { acme: { users: [{ email: 'a@b' }], paymentLinks: [{ invoice: 'inv_1' }] }, other: {} },
  }

  it('of one project leaves the others as they are', () => {
    const world = worldOf({ seed })
    const fresh = world.exportProject('acme')
    addUser(world)
    addUser(world, 'other')
    const other = world.exportProject('other')
    world.reset('acme')

    expect(world.exportProject('acme')).toEqual(fresh)
    expect(world.exportProject('other')).toEqual(other)
    expect(revision(world, 'other')).toBe(1)
  })

  it('of a project that no seed declares takes it back to the template', () => {
    const world = worldOf({ seed })
    addUser(world, 'third')
    world.reset('third')

    expect(world.exportProject('third').users).toMatchObject([{ email: 'template@b' }])
    expect(world.has('third')).toBe(true)
  })

  it('of all projects takes away those that the seed does not declare', () => {
    const world = worldOf({ seed })
    addUser(world, 'third')
    world.reset()

    expect(world.summaries().map(({ id }) => id)).toEqual(['acme', 'other'])
    expect(world.summary('third').users).toBe(1)
  })

  it('takes back what was loaded: rows, clock, behaviors and template', () => {
    const world = worldOf({ seed })
    const fresh = world.exportAll()
    world.loadAll({ idSeed: 'loaded', clock: { mode: 'frozen' }, behaviors: { errorFormat: 'problem' }, projects: {} })
    expect(world.exportAll()).not.toEqual(fresh)
    world.reset()

    expect(world.exportAll()).toEqual(fresh)
    expect(world.behaviorsOf('acme').createStatus).toBe(200)
  })

  it('counts requests from the beginning again, of the project alone or of all', () => {
    const world = worldOf({ seed })
    const first = ['acme', 'other'].map((project) => world.nextRequestId(project))
    const second = ['acme', 'other'].map((project) => world.nextRequestId(project))
    world.reset('acme')

    expect(new Set([...first, ...second]).size).toBe(4)
    expect(world.nextRequestId('acme')).toBe(first[0])
    expect([...first, ...second]).not.toContain(world.nextRequestId('other'))
    world.reset()
    expect(['acme', 'other'].map((project) => world.nextRequestId(project))).toEqual(first)
  })

  it('is a new start: what follows is what follows a fresh one', () => {
    fc.assert(
      fc.property(histories, histories, clocks, (before, after, clock) => {
        const options = { seed: { ...seed, clock } }
        const world = worldOf(options)
        play(world, before)
        world.reset()
        const fresh = worldOf(options)

        expect(play(world, after)).toEqual(play(fresh, after))
        expect(JSON.stringify(world.exportAll())).toBe(JSON.stringify(fresh.exportAll()))
      }),
      { numRuns: 100 },
    )
  })

  it('of one project is a new start for it, whatever was loaded before', () => {
    const world = worldOf({ seed })
    const expected = addUser(worldOf({ seed })).id
    world.loadAll({ idSeed: 'loaded', projects: { acme: {} } })
    world.reset('acme')

    expect(addUser(world).id).toBe(expected)
  })
})

describe('a restart', () => {
  it('starts from another seed, below the same options, and tells of it as of a reset', () => {
    const told: unknown[] = []
    const seed: SeedInput = { projects: { acme: {} } }
    const world = worldOf({ seed, behaviors: { createStatus: 200 }, onReplaced: (...what) => told.push(what) })
    const first = world.nextRequestId('other')
    world.restart(parsed('{"behaviors":{"createStatus":201},"projects":{"other":{"users":[{"email":"a@b"}]}}}'))

    expect(world.summaries()).toMatchObject([{ id: 'other', users: 1, revision: 1 }])
    expect(world.behaviorsOf('other').createStatus).toBe(200)
    expect(world.nextRequestId('other')).toBe(first)
    expect(told).toEqual([['reset']])
    addUser(world, 'other')
    world.reset()
    expect(world.summaries()).toMatchObject([{ id: 'other', users: 1 }])
  })
})

describe('an export', () => {
  it('is accepted as a seed, and says nothing that a seed does not know', () => {
    fc.assert(
      fc.property(histories, clocks, (history, clock) => {
        const world = worldOf({ seed: { ...populated, clock } })
        play(world, history)
        const document = world.exportAll()

        expect(unknownFields(Seed, document)).toEqual([])
        expect(parse(Seed, JSON.parse(JSON.stringify(document)))).toEqual({ ok: true, value: document })
      }),
      { numRuns: 80 },
    )
  })

  it('keeps what projects that are not there yet have drawn from chance', () => {
    const document = { progress: { draws: { gamma: 3, later: 5 } }, projects: {} }
    expect(worldOf({ seed: document }).exportAll()).toMatchObject(document)
  })

  it('is the same after it was loaded, into the same world and into a new one', () => {
    fc.assert(
      fc.property(histories, clocks, (history, clock) => {
        const world = worldOf({ seed: { ...populated, clock } })
        play(world, history)
        const text = JSON.stringify(world.exportAll())
        world.loadAll(parsed(text))

        expect(JSON.stringify(world.exportAll())).toBe(text)
        expect(JSON.stringify(worldOf({ seed: parsed(text) }).exportAll())).toBe(text)
        const other = worldOf({ seed: { template: { users: [{ email: 'x@y' }] }, projects: { acme: {}, extra: {} } } })
        other.loadAll(parsed(text))
        expect(JSON.stringify(other.exportAll())).toBe(text)
      }),
      { numRuns: 100 },
    )
  })

  it('goes on after a load as if it had never been interrupted', () => {
    fc.assert(
      fc.property(histories, histories, clocks, (before, after, clock) => {
        const options = { seed: { ...populated, clock } }
        const uninterrupted = worldOf(options)
        const interrupted = worldOf(options)
        play(uninterrupted, before)
        play(interrupted, before)
        const text = JSON.stringify(interrupted.exportAll())
        interrupted.loadAll(parsed(text))
        const moved = worldOf({ seed: parsed(text) })

        const expected = play(uninterrupted, after)
        for (const world of [interrupted, moved]) {
          expect(play(world, after)).toEqual(expected)
          expect(JSON.stringify(world.exportAll())).toBe(JSON.stringify(uninterrupted.exportAll()))
          for (const project of projects)
            expect(everyPageOf(world, project)).toEqual(everyPageOf(uninterrupted, project))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('of one project goes on after it was loaded into another world, whatever ids are derived from there', () => {
    fc.assert(
      fc.property(histories, histories, clocks, (before, after, clock) => {
        const options = { seed: { ...populated, clock } }
        const world = worldOf(options)
        play(world, before)
        const copy = worldOf({ idSeed: 'another' })
        for (const project of projects) {
          copy.loadProject(project, world.exportProject(project))
          expect(copy.exportProject(project)).toEqual(world.exportProject(project))
        }

        expect(play(copy, after)).toEqual(play(world, after))
        for (const project of projects) expect(copy.exportProject(project)).toEqual(world.exportProject(project))
      }),
      { numRuns: 80 },
    )
  })

  it('says how many ids have been drawn, and goes on behind them', () => {
    const world = worldOf({
      seed: { projects: { acme: { users: [{ email: 'a@b' }, { email: 'c@d', id: 'usr_1' }] } } },
    })
    addUser(world)
    run(world, (work) => work.newId('usr'))
    const text = JSON.stringify(world.exportAll())
    world.loadAll(parsed(text))

    expect(world.exportProject('acme').progress?.counters).toEqual({ usr: 3, pml: 0 })
    expect(addUser(world).id).toBe(deriveId('paylink-mock', 'acme', 'usr', 3))
  })

  it('keeps the places of deleted rows, so that a list goes on from them', () => {
    const world = worldOf({ seed: { clock: { mode: 'frozen' } } })
    const ids = ['a', 'b', 'c', 'd'].map(() => addUser(world).id)
    run(world, (work) => deleteUser(work, ids[1]!))
    run(world, (work) => deleteUser(work, ids[3]!))
    const next = worldOf({ seed: parsed(JSON.stringify(world.exportAll())) })

    for (const one of [world, next]) {
      expect(pageFrom(one, { after: ids[3]! })).toEqual([ids[2], ids[0]])
      expect(pageFrom(one, { after: ids[1]! })).toEqual([ids[0]])
      expect(pageFrom(one, { before: ids[1]! })).toEqual([ids[2]])
      expect(toMockError(() => run(one, (work) => userOf(work, ids[1]!))).hint).toBe('The user was deleted.')
    }
  })

  it.each([
    ['the seed over a default', { seed: { behaviors: { createStatus: 200 } } }],
    ['an option over a default', { behaviors: { createStatus: 200 } }],
    ['a project over the seed', { seed: { projects: { acme: { behaviors: { createStatus: 200 } } } } }],
    [
      'a project that goes back to the default',
      { seed: { behaviors: { createStatus: 200 }, projects: { acme: { behaviors: { createStatus: 201 } } } } },
    ],
  ] satisfies [string, Options][])('keeps the behaviors: %s', (_, options) => {
    const world = worldOf(options)
    world.enter('acme')
    world.enter('other')
    const before = behaviorsOf(world)
    const text = JSON.stringify(world.exportAll())
    world.loadAll(parsed(text))

    expect(behaviorsOf(world)).toEqual(before)
    expect(behaviorsOf(worldOf({ seed: parsed(text) }))).toEqual(before)
    expect(JSON.stringify(world.exportAll())).toBe(text)
    expect(JSON.stringify(worldOf({ seed: parsed(text) }).exportAll())).toBe(text)
  })

  it('keeps the behaviors that were loaded back to their defaults', () => {
    const world = worldOf({ behaviors: { createStatus: 200 } })
    world.loadAll({ behaviors: { createStatus: 201 }, projects: { acme: {} } })
    const text = JSON.stringify(world.exportAll())
    world.loadAll(parsed(text))

    expect(behaviorsOf(world)).toEqual({ acme: 201, other: 201 })
    expect(JSON.stringify(worldOf({ seed: parsed(text) }).exportAll())).toBe(text)
  })

  it('keeps invoices, the template and the clocks of projects', () => {
    const seed: SeedInput = {
      template: { preferredLocale: 'fr', invoices: ['inv_9'], generate: { users: 1 } },
      projects: {
        acme: { invoices: ['inv_2', 'inv_1'], clock: { mode: 'stepping', now: time, step: 5 } },
        other: { clock: { mode: 'real', offset: 7 } },
      },
    }
    const world = worldOf({ seed })
    addUser(world)

    expect(world.exportAll()).toMatchObject({
      template: seed.template,
      projects: {
        acme: { invoices: ['inv_2', 'inv_1'], clock: { mode: 'stepping', now: '2026-11-21T08:00:00.005Z', step: 5 } },
        other: { clock: { mode: 'real', offset: 7 } },
      },
    })
  })

  it.each([
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['a name of 200 characters', 'x'.repeat(200)],
    ['a name of 201 characters', 'x'.repeat(201)],
    ['a name with a space', 'ü b'],
    ['a name with a control character', '__proto__\0'],
  ])('is accepted again, whatever a client has called its project: %s', async (_, name) => {
    const mock = createMock()
    const { status } = await mock.fetch(`/projects/${encodeURIComponent(name)}/users`, {
      headers: { authorization: 'Bearer t' },
    })
    const document = await mock.state.get()

    // Either there is no such project, or what the mock exports it takes.
    if (status < 400) expect(Object.keys(document.projects ?? {})).toEqual([name])
    await expect(mock.state.put(document)).resolves.toHaveLength(status < 400 ? 1 : 0)
    expect(JSON.stringify(await mock.state.get())).toBe(JSON.stringify(document))
  })

  it('is accepted again over HTTP, however deep the metadata that a client may send', async () => {
    const mock = createMock()
    const send = (path: string, init: RequestInit) =>
      mock.fetch(path, { headers: { authorization: 'Bearer t', 'content-type': 'application/json' }, ...init })
    // The body and its metadata are two levels of the 64.
    const body = `{"email":"a@b","metadata":{"deep":${'['.repeat(62)}${']'.repeat(62)}}}`
    expect((await send('/projects/acme/users', { method: 'POST', body })).status).toBe(201)
    const text = await (await send('/__admin/state', {})).text()

    expect((await send('/__admin/state', { method: 'PUT', body: text })).status).toBe(200)
  })

  it('is accepted again over HTTP, however deep the metadata that a test may write', async () => {
    const mock = createMock()
    const headers = { 'content-type': 'application/json' }
    const statuses: number[] = []
    for (const depth of [50, 62, 100, 120, 126, 200]) {
      const body = `{"email":"a@b","metadata":{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}}`
      const { status } = await mock.fetch('/__admin/projects/acme/users', { method: 'POST', headers, body })
      const text = await (await mock.fetch('/__admin/state')).text()
      const loaded = await mock.fetch('/__admin/state', { method: 'PUT', headers, body: text })
      statuses.push(status)
      expect([depth, loaded.status]).toEqual([depth, 200])
    }
    expect(statuses[0]).toBe(201)
    expect(statuses.at(-1)).toBeGreaterThanOrEqual(400)
  })
})

describe('a load', () => {
  it('takes what the document leaves out as at start', () => {
    const world = worldOf({
      seed: { clock: { mode: 'frozen', now: time }, projects: { acme: { behaviors: { createStatus: 200 } } } },
      behaviors: { errorFormat: 'problem' },
    })
    const clock = world.summary('acme').clock
    world.loadAll({ projects: { acme: {}, other: {} } })

    expect(world.behaviorsOf('acme')).toMatchObject({ createStatus: 200, errorFormat: 'problem' })
    for (const name of ['other', 'not listed'])
      expect(world.behaviorsOf(name)).toMatchObject({ createStatus: 201, errorFormat: 'problem' })
    expect([world.summary('acme').clock, world.summary('other').clock]).toEqual([clock, clock])
  })

  it('of one project replaces its rows and leaves the others as they are', () => {
    const world = worldOf({ seed: { projects: { acme: { users: [{ email: 'a@b' }] }, other: {} } } })
    addUser(world, 'other')
    const other = world.exportProject('other')
    world.loadProject('acme', { preferredLocale: 'de', paymentLinks: [{ invoice: 'inv_1' }] })

    expect(world.summary('acme')).toMatchObject({ users: 0, paymentLinks: 1, preferredLocale: 'de' })
    expect(world.exportProject('other')).toEqual(other)
  })

  it('of a project that is not there brings it into being', () => {
    const world = worldOf()
    world.loadProject('acme', { users: [{ email: 'a@b' }] })

    expect(world.summaries()).toMatchObject([{ id: 'acme', users: 1, revision: 1 }])
  })

  it.each([
    ['a document', { projects: { acme: { users: [{ email: 'ok@b' }] }, zebra: { users: [{ email: 'bad' }] } } }],
    ['an impossible row', { projects: { acme: { paymentLinks: [{ invoice: 'inv_1', canceledAt: time }] } } }],
    ['an unknown field', { project: {} }],
    ['no object', []],
  ])('that is refused leaves everything as it was: %s', async (_, document) => {
    const mock = createMock({ now: () => now, seed: { projects: { acme: { users: [{ email: 'a@b' }] } } } })
    await mock.project('acme').users.create({ email: 'c@d' })
    const before = [await mock.state.get(), await mock.projects()]

    await expect(mock.state.put(document as SeedInput)).rejects.toBeInstanceOf(MockError)
    expect([await mock.state.get(), await mock.projects()]).toEqual(before)
  })

  it('of one project that is refused leaves everything as it was', async () => {
    const mock = createMock({ now: () => now, seed: { projects: { acme: { users: [{ email: 'a@b' }] } } } })
    const before = [await mock.state.get(), await mock.projects()]

    await expect(mock.project('acme').state.put({ users: [{ email: 'bad' }] })).rejects.toBeInstanceOf(MockError)
    await expect(mock.project('new').state.put({ users: [{ email: 'bad' }] })).rejects.toBeInstanceOf(MockError)
    expect([await mock.state.get(), await mock.projects()]).toEqual(before)
  })
})

describe('a behavior', () => {
  it.each([
    ['by default', {}, 'conflict'],
    ['by the seed', { seed: { behaviors: { cancelInactive: 'idempotent' } } }, 'idempotent'],
    ['by the project', { seed: { projects: { acme: { behaviors: { cancelInactive: 'idempotent' } } } } }, 'idempotent'],
    [
      'by the project over the seed',
      {
        seed: {
          behaviors: { cancelInactive: 'idempotent' },
          projects: { acme: { behaviors: { cancelInactive: 'conflict' } } },
        },
      },
      'conflict',
    ],
    [
      'by the options over all',
      {
        seed: {
          behaviors: { cancelInactive: 'idempotent' },
          projects: { acme: { behaviors: { cancelInactive: 'idempotent' } } },
        },
        behaviors: { cancelInactive: 'conflict' },
      },
      'conflict',
    ],
    [
      'by the seed where the options say nothing of it',
      {
        seed: { behaviors: { cancelInactive: 'idempotent' } },
        behaviors: { cancelInactive: undefined, createStatus: 200 },
      },
      'idempotent',
    ],
  ] satisfies [string, Options, string][])('is decided %s', (_, options, expected) => {
    expect(worldOf(options).behaviorsOf('acme').cancelInactive).toBe(expected)
  })

  it('of the seed holds for projects that are not listed, that of a project for none but it', () => {
    const world = worldOf({
      seed: { behaviors: { createStatus: 200 }, projects: { acme: { behaviors: { errorFormat: 'problem' } } } },
    })

    expect(world.behaviorsOf('acme')).toMatchObject({ createStatus: 200, errorFormat: 'problem' })
    expect(world.behaviorsOf('other')).toMatchObject({ createStatus: 200, errorFormat: 'object' })
  })
})

describe('the clock and the id seed', () => {
  it.each([
    ['default', {}, 'real'],
    ['the seed', { seed: { clock: { mode: 'frozen' } } }, 'frozen'],
    [
      'the project',
      { seed: { clock: { mode: 'frozen' }, projects: { acme: { clock: { mode: 'stepping' } } } } },
      'stepping',
    ],
    [
      'the options',
      { seed: { projects: { acme: { clock: { mode: 'stepping' } } } }, clock: { mode: 'frozen' } },
      'frozen',
    ],
  ] satisfies [string, Options, string][])('come from %s', (_, options, mode) => {
    expect(worldOf(options).summary('acme').clock.mode).toBe(mode)
  })

  it('of the options win over those of the seed', () => {
    const seed = { idSeed: 'seed', projects: { acme: { users: [{ email: 'a@b' }] } } }
    const id = (options: Options) => worldOf(options).exportProject('acme').users?.[0]?.id

    expect(id({ seed, idSeed: 'option' })).toBe(id({ seed: { ...seed, idSeed: 'option' } }))
    expect(id({ seed })).not.toBe(id({ seed, idSeed: 'option' }))
  })

  it.each([
    ['a project that is listed', 'acme'],
    ['a project that is not listed', 'other'],
  ])('lead to the ids of %s', (_, project) => {
    const seed = { idSeed: 'seed', projects: { acme: {} } }

    expect(addUser(worldOf(), project).id).toBe(deriveId('paylink-mock', project, 'usr', 0))
    expect(addUser(worldOf({ seed }), project).id).toBe(deriveId('seed', project, 'usr', 0))
    expect(addUser(worldOf({ seed, idSeed: 'option' }), project).id).toBe(deriveId('option', project, 'usr', 0))
  })
})

// --- Random histories

const projects = ['acme', 'other', 'unlisted'] as const

const populated: SeedInput = {
  template: { preferredLocale: 'fr', users: [{ email: 'template@b' }] },
  projects: {
    acme: {
      invoices: ['inv_1'],
      users: [{ email: 'a@b' }, { email: 'c@d', createdAt: '2020-01-01T00:00:00Z' }],
      paymentLinks: [{ invoice: 'inv_1', status: 'completed' }, { invoice: 'inv_2' }],
      generate: { users: 2, paymentLinks: { canceled: 1 } },
    },
    other: {},
  },
}

const clocks = fc.constantFrom<ClockDocument>(
  { mode: 'frozen', now: time },
  { mode: 'stepping', now: time, step: 1000 },
  { mode: 'stepping', now: time, step: 0 },
  { mode: 'real', offset: 5 },
)

const deeds = {
  createUser: (work, pick) => createUser(work, { email: `${pick % 4}@b`, metadata: { pick, ['__proto__']: pick } }),
  updateUser: (work, pick) =>
    updateUser(work, userIn(work, pick), { fullName: `${pick % 3}`, metadata: { pick: null } }),
  deleteUser: (work, pick) => deleteUser(work, userIn(work, pick)),
  moveUser: (work, pick) =>
    patchUser(work, userIn(work, pick), { createdAt: new Date(now - (pick % 3) * 1000).toISOString() }),
  pinUser: (work, pick) => insertUser(work, { email: 'pin@b', id: `usr_pinned_${pick % 5}` }),
  createLink: (work, pick) =>
    createPaymentLink(
      work,
      { invoice: `inv_${pick % 3}`, redirectUrl: null, payer: { fullName: `${pick}` } },
      'partner.user',
    ),
  cancelLink: (work, pick) => cancelPaymentLink(work, linkIn(work, pick)),
  completeLink: (work, pick) => completePaymentLink(work, linkIn(work, pick)),
  reopenLink: (work, pick) => patchPaymentLink(work, linkIn(work, pick), { status: 'active' }),
  deleteLink: (work, pick) => deletePaymentLink(work, linkIn(work, pick)),
} satisfies Record<string, (work: Transaction, pick: number) => unknown>

interface Step {
  readonly project: (typeof projects)[number]
  readonly deed: keyof typeof deeds
  readonly pick: number
}

const histories = fc.array(
  fc.record<Step>({
    project: fc.constantFrom(...projects),
    deed: fc.constantFrom(...(Object.keys(deeds) as Step['deed'][]), 'createUser', 'createLink', 'createLink'),
    pick: fc.nat(1000),
  }),
  { maxLength: 40 },
)

/** Does the steps, and answers what each of them answered. */
function play(world: World, steps: readonly Step[]): unknown[] {
  return steps.map(({ project, deed, pick }) => {
    try {
      return world.run(project, behave, (work): unknown => deeds[deed](work, pick))
    } catch (error) {
      if (error instanceof MockError) return error.toJSON()
      throw error
    }
  })
}

function userIn(work: Transaction, pick: number): string {
  return idIn([...work.state.users.scan('asc')], pick)
}

function linkIn(work: Transaction, pick: number): string {
  return idIn([...work.state.paymentLinks.scan('asc')], pick)
}

function idIn(rows: readonly { readonly id: string }[], pick: number): string {
  return rows[pick % Math.max(1, rows.length)]?.id ?? 'nobody'
}

/** A page from each row that is or was there, on and back. */
function everyPageOf(world: World, project: string): unknown {
  const resume: Behave = (key) => (key === 'deletedCursor' ? ('resume' as never) : behave(key))
  return world.run(project, resume, (work) => {
    const ids = (kind: 'users' | 'paymentLinks') =>
      [...work.state[kind].scan('asc'), ...work.state[kind].tombstones()].map(({ id }) => id)
    return [
      ids('users').map((id) => [listUsers(work, { after: id, limit: 2 }), listUsers(work, { before: id, limit: 2 })]),
      ids('paymentLinks').map((id) => [
        listPaymentLinks(work, { after: id, limit: 2 }),
        listPaymentLinks(work, { before: id, limit: 2, status: ['active', 'canceled'] }),
      ]),
    ]
  })
}

// --- Words of these tests

/** The options of a world, the seed as one writes it. */
type Options = Partial<Omit<StoreOptions, 'seed'>> & { readonly seed?: SeedInput }

function worldOf({ seed = {}, ...options }: Options = {}): World {
  return createWorld({ systemNow: () => now, ...options, seed: parsed(JSON.stringify(seed)) })
}

function parsed(text: string): Seed {
  const result = parse(Seed, JSON.parse(text))
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

function run<R>(world: World, operation: (work: Transaction) => R): R {
  return world.run('acme', behave, operation)
}

function addUser(world: World, project = 'acme') {
  return world.run(project, behave, (work) => createUser(work, { email: 'a@b' }))
}

function revision(world: World, project = 'acme'): number {
  return world.summary(project).revision
}

function everythingOf(world: World) {
  return [world.exportAll(), world.summaries()]
}

function behaviorsOf(world: World) {
  return { acme: world.behaviorsOf('acme').createStatus, other: world.behaviorsOf('other').createStatus }
}

function pageFrom(world: World, cursors: { after?: string; before?: string }): string[] {
  const resume: Behave = (key) => (key === 'deletedCursor' ? ('resume' as never) : behave(key))
  return world.run('acme', resume, (work) => listUsers(work, { ...cursors, limit: 10 })).items.map(({ id }) => id)
}
