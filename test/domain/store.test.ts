// Proves: Round trip, Rejected means unchanged.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deriveId } from '../../src/domain/ids.ts'
import { toRecord, type Resource } from '../../src/domain/collection.ts'
import {
  schedulePayment,
  cancelPaymentLink,
  completePaymentLink,
  createPaymentLink,
} from '../../src/domain/payment-links.ts'
import type { RecordChange } from '../../src/domain/history.ts'
import { type Transaction } from '../../src/domain/transaction.ts'
import { createSnapshots } from '../../src/domain/snapshots.ts'
import { listPage } from '../../src/domain/pagination.ts'
import { createUser, updateUser } from '../../src/domain/users.ts'
import { toMockError } from '../support/to-mock-error.ts'
import { createStore, type DocumentedStore, type StoreOptions } from '../support/store.ts'
import { createMock } from '../../src/mock/mock.ts'
import { type BehaviorLookup, defaultBehaviors } from '../../src/schema/behavior.ts'
import type { ClockDocument } from '../../src/schema/clock-document.ts'
import { errors, MockError } from '../../src/schema/error.ts'
import { parse } from '../../src/schema/problem.ts'
import { Seed } from '../../src/schema/seed.ts'
import { findUnknownFields } from '../../src/schema/unknown-fields.ts'
import { readText } from '../support/read.ts'
import { countDistinct } from '../support/count-distinct.ts'

const now = Date.parse('2026-11-21T08:00:00.000Z')
// HISTORY_RUNS=2000 for a longer run.
const numRuns = Number(process.env.HISTORY_RUNS ?? 25)
const time = new Date(now).toISOString()
const getBehavior: BehaviorLookup = (key) => defaultBehaviors[key]

describe('a transaction', () => {
  it('commits when it returns', () => {
    const store = storeOf()
    const { id } = addUser(store)

    expect(store.read('acme', (tx) => tx.require('users', id))).toMatchObject({ id, email: 'a@b' })
    expect(store.projects.summarize('acme')).toMatchObject({ users: 1, revision: 1 })
  })

  it('changes nothing when it throws', () => {
    const store = storeOf({ seed: { clock: { mode: 'stepping' }, projects: { acme: { users: [{ email: 'a@b' }] } } } })
    const before = everythingOf(store)
    const rejected = () =>
      store.write('acme', getBehavior, (tx) => {
        const user = createUser(tx, { email: 'c@d' })
        createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} })
        updateUser(tx, user.id, { fullName: 'Ada' })
        tx.delete('users', user.id)
        throw new Error('late')
      })

    expect(rejected).toThrow('late')
    expect(everythingOf(store)).toEqual(before)
  })

  it('creates no project when it throws or only reads', () => {
    const store = storeOf()

    expect(() => store.write('acme', getBehavior, (tx) => tx.require('users', 'usr_x'))).toThrow(
      errors.userNotFound({ id: 'usr_x', project: 'acme', text: 'user' }),
    )
    store.read('acme', (tx) => listPage(tx, 'users', { limit: 10 }))
    expect(store.projects.summarize('acme')).toMatchObject({ users: 0, revision: 0 })
    expect(store.projects.has('acme')).toBe(false)
    expect(store.projects.summarizeAll()).toEqual([])
  })

  it('cannot change the state in a read', () => {
    const store = storeOf()
    addUser(store)
    const before = everythingOf(store)

    expect(() => store.read('acme', (tx) => createUser(tx, { email: 'c@d' }))).toThrow(
      'A read cannot change the state.',
    )
    expect(everythingOf(store)).toEqual(before)
  })

  it('sees its own changes', () => {
    run(storeOf(), (tx) => {
      const { id } = createUser(tx, { email: 'a@b' })
      expect(tx.require('users', id)).toMatchObject({ id })
      expect(tx.state.users.size).toBe(1)
    })
  })

  it.each<[string, (store: DocumentedStore) => void]>([
    ['reads its project', (store) => store.read('acme', () => {})],
    ['reads another project', (store) => void store.projects.summarize('other')],
    ['changes a project', (store) => void addUser(store)],
    ['changes another project', (store) => void addUser(store, 'other')],
    ['saves a snapshot', (store) => void createSnapshots(store).save('here')],
    ['saves a snapshot of a project', (store) => void createSnapshots(store).save('here', 'acme')],
  ])('changes nothing when it %s', (_, inner) => {
    const store = storeOf({ seed: { projects: { acme: {} } } })
    const before = everythingOf(store)
    const nested = () =>
      run(store, (tx) => {
        createUser(tx, { email: 'c@d' })
        inner(store)
      })

    expect(nested).toThrow("A transaction of project 'acme' has not returned yet.")
    expect(everythingOf(store)).toEqual(before)
  })

  it('runs no due payments of its project before it returns', () => {
    let systemNow = now
    const store = storeOf({
      systemNow: () => systemNow,
      seed: { projects: { acme: { clock: { mode: 'real', offset: 0 } } } },
    })
    const { id } = run(store, (tx) => createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} }))
    run(store, (tx) => schedulePayment(tx, id, { when: { in: 1000 } }))
    run(store, (tx) => {
      systemNow += 2000
      createUser(tx, { email: 'a@b' })
      expect(tx.require('paymentLinks', id)).toMatchObject({ status: 'active' })
    })

    expect(store.read('acme', (tx) => tx.require('paymentLinks', id))).toMatchObject({ status: 'completed' })
    expect(store.projects.summarize('acme').users).toBe(1)
  })

  it('sees only which other project has a record, for hints', () => {
    const store = storeOf()
    const { id } = addUser(store, 'other')

    expect(toMockError(() => store.read('acme', (tx) => tx.require('users', id)))).toMatchObject({
      code: 'userNotFound',
      hint: expect.stringContaining("'other'"),
    })
  })
})

describe('a project', () => {
  it('has a summary with its counts, locale and clock', () => {
    const seed: Seed = {
      clock: { mode: 'frozen', now: time },
      projects: { acme: { users: [{ email: 'a@b' }] } },
    }

    expect(storeOf({ seed }).projects.summarize('acme')).toEqual({
      object: 'project',
      id: 'acme',
      revision: 0,
      users: 1,
      paymentLinks: 0,
      preferredLocale: 'en-US',
      clock: { mode: 'frozen', now: time },
    })
  })

  it('has derived request ids, counted from 0', () => {
    const store = storeOf()

    expect([store.requests.nextId('acme'), store.requests.nextId('acme')]).toEqual(
      [0, 1].map((counter) => deriveId('paylink-mock', 'acme', 'req', counter)),
    )
  })

  it('is deleted only if it exists', () => {
    const store = storeOf({ seed: { projects: { acme: {} } } })
    store.states.delete('acme')

    expect(store.projects.listNames()).toEqual([])
    expect(toMockError(() => store.states.delete('acme'))).toMatchObject({ code: 'projectNotFound' })
  })

  it('counts replacements of its state, for all projects or for itself', () => {
    const store = storeOf()
    const seen = [store.states.getGeneration('acme')]
    for (const replace of [
      () => store.states.reset(),
      () => store.states.reset('acme'),
      () => store.states.delete('acme'),
    ]) {
      replace()
      seen.push(store.states.getGeneration('acme'))
    }

    expect(countDistinct(seen)).toBe(4)
  })
})

describe('a random draw', () => {
  it('continues when its project is created, and starts again after its deletion', () => {
    const draws = (store: DocumentedStore, count: number) => Array.from({ length: count }, () => store.draw('acme'))
    const four = draws(storeOf({ seed: { projects: { acme: {} } } }), 4)
    const store = storeOf()
    const implicit = draws(store, 2)
    store.projects.ensure('acme')

    expect(countDistinct(four)).toBe(4)
    expect([...implicit, ...draws(store, 2)]).toEqual(four)
    store.states.delete('acme')
    expect(draws(store, 4)).toEqual(four)
  })

  it('continues after the import of an export', () => {
    const store = storeOf({ seed: { projects: { acme: {} } } })
    store.draw('acme')
    const text = JSON.stringify(store.exportAll())
    const next = store.draw('acme')

    expect(storeOf({ seed: parsed(text) }).draw('acme')).toBe(next)
  })
})

describe('onCommit', () => {
  it('receives each changed record before and after, and no unchanged ones', () => {
    const reported: Pick<RecordChange, 'kind' | 'from' | 'to'>[][] = []
    const store = storeOf({
      onCommit: (_, { changes }) => reported.push(changes.map(({ kind, from, to }) => ({ kind, from, to }))),
    })
    const user = addUser(store)
    const link = run(store, (tx) => createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} }))
    run(store, (tx) => [tx.patch('users', user.id, {}), tx.patch('paymentLinks', link.id, {})])
    const canceled = run(store, (tx) => cancelPaymentLink(tx, link.id))
    run(store, (tx) => [tx.delete('paymentLinks', link.id), tx.delete('users', user.id)])

    const ofLink = { kind: 'paymentLinks' as const }
    const tombstone = ({ id, createdAt }: Resource) => ({ id, createdAt, sequence: 0 })
    expect(reported).toEqual([
      [{ kind: 'users', from: undefined, to: toRecord(user, 0) }],
      [{ ...ofLink, from: undefined, to: toRecord(link, 0) }],
      [],
      [{ ...ofLink, from: toRecord(link, 0), to: toRecord(canceled, 0) }],
      [
        { ...ofLink, from: toRecord(canceled, 0), to: tombstone(link) },
        { kind: 'users', from: toRecord(user, 0), to: tombstone(user) },
      ],
    ])
  })
})

describe('a snapshot', () => {
  it('reports that the state was restored, for all projects or for one', () => {
    const reported: unknown[] = []
    const store = storeOf({ onReplaced: (...what) => reported.push(what) })
    const snapshots = createSnapshots(store)
    for (const project of [undefined, 'acme']) {
      snapshots.save('here', project)
      snapshots.restore('here', project)
    }

    expect(reported).toEqual([['restored'], ['restored', 'acme']])
  })
})

describe('the revision', () => {
  it('grows by one with each transaction that changes data, and never otherwise', () => {
    const store = storeOf()
    const { id } = addUser(store)
    const link = run(store, (tx) => createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} }))
    expect(revision(store)).toBe(2)

    run(store, (tx) => updateUser(tx, id, { fullName: 'Ada', metadata: { a: 1 } }))
    expect(revision(store)).toBe(3)
    run(store, (tx) => updateUser(tx, id, { fullName: 'Ada', metadata: { a: 1 } }))
    run(store, (tx) => updateUser(tx, id, { email: null, metadata: { b: null } }))
    run(store, (tx) => tx.patch('users', id, { emailVerified: true }))
    run(store, (tx) => listPage(tx, 'users', { limit: 10 }))
    run(store, (tx) => tx.newId('users'))
    expect(() => run(store, (tx) => completePaymentLink(tx, 'pml_x'))).toThrow(MockError)
    expect(revision(store)).toBe(3)

    run(store, (tx) => cancelPaymentLink(tx, link.id))
    expect(revision(store)).toBe(4)
    store.write(
      'acme',
      (key) => (key === 'cancelInactive' ? ('idempotent' as never) : getBehavior(key)),
      (tx) => cancelPaymentLink(tx, link.id),
    )
    expect(revision(store)).toBe(4)
    run(store, (tx) => tx.delete('users', id))
    expect(revision(store)).toBe(5)
  })

  it('does not grow when a project is created, or by transactions on another', () => {
    const store = storeOf({ seed: { template: { users: [{ email: 'a@b' }] } } })
    store.projects.ensure('acme')
    addUser(store, 'other')

    expect(revision(store)).toBe(0)
    expect(revision(store, 'other')).toBe(1)
  })

  it('grows by one with a reset and a load, also for a project that they delete or create', () => {
    const store = storeOf({ seed: { projects: { acme: {} } } })
    addUser(store)
    store.states.reset('acme')
    expect(revision(store)).toBe(2)
    store.projects.ensure('other')
    store.states.reset()
    expect([revision(store), revision(store, 'other'), store.projects.has('other')]).toEqual([3, 1, false])
    store.loadAll({ projects: { third: {} } })
    expect([revision(store), store.projects.has('acme')]).toEqual([4, false])
    expect([revision(store, 'third'), store.projects.has('third')]).toEqual([1, true])
    store.loadProject('third', {})
    expect(revision(store, 'third')).toBe(2)
  })
})

describe('an unlisted project', () => {
  it('reads the same before and after it is created', () => {
    const store = storeOf({ seed: { template: { preferredLocale: 'fr', users: [{ email: 'a@b' }] } } })
    const would = store.exportProject('acme')

    expect(store.projects.has('acme')).toBe(false)
    expect(store.projects.ensure('acme')).toBe(true)
    expect(store.projects.ensure('acme')).toBe(false)
    expect(store.projects.has('acme')).toBe(true)
    expect(store.exportProject('acme')).toEqual(would)
    expect(store.projects.summarize('acme')).toMatchObject({ preferredLocale: 'fr', users: 1 })
  })

  it('is created by the first transaction that changes it', () => {
    const store = storeOf({ seed: { template: { users: [{ email: 'a@b' }] } } })
    addUser(store)

    expect(store.projects.summarizeAll()).toMatchObject([{ id: 'acme', users: 2 }])
  })

  it('starts from the template of the last loaded document', () => {
    const store = storeOf({ seed: { template: { preferredLocale: 'fr' } } })
    expect(store.projects.summarize('acme').preferredLocale).toBe('fr')
    store.loadAll({ template: { preferredLocale: 'de' }, clock: { mode: 'frozen' } })

    expect(store.projects.summarize('acme')).toMatchObject({ preferredLocale: 'de', clock: { mode: 'frozen' } })
  })
})

describe('a reset', () => {
  const seed: Seed = {
    clock: { mode: 'stepping' },
    behaviors: { createStatus: 200 },
    template: { users: [{ email: 'template@b' }] },
    projects: { acme: { users: [{ email: 'a@b' }], paymentLinks: [{ invoice: 'inv_1' }] }, other: {} },
  }

  it('of one project leaves the others unchanged', () => {
    const store = storeOf({ seed })
    const fresh = store.exportProject('acme')
    addUser(store)
    addUser(store, 'other')
    const other = store.exportProject('other')
    store.states.reset('acme')

    expect(store.exportProject('acme')).toEqual(fresh)
    expect(store.exportProject('other')).toEqual(other)
    expect(revision(store, 'other')).toBe(1)
  })

  it('undoes a load: records, clock, behaviors and template', () => {
    const store = storeOf({ seed })
    const fresh = store.exportAll()
    store.loadAll({ idSeed: 'loaded', clock: { mode: 'frozen' }, behaviors: { errorFormat: 'problem' }, projects: {} })
    expect(store.exportAll()).not.toEqual(fresh)
    store.states.reset()

    expect(store.exportAll()).toEqual(fresh)
    expect(store.behaviors.get('acme').createStatus).toBe(200)
  })

  it('restarts the request ids of one project or of all', () => {
    const store = storeOf({ seed })
    const first = ['acme', 'other'].map((project) => store.requests.nextId(project))
    const second = ['acme', 'other'].map((project) => store.requests.nextId(project))
    store.states.reset('acme')

    expect(countDistinct([...first, ...second])).toBe(4)
    expect(store.requests.nextId('acme')).toBe(first[0])
    expect([...first, ...second]).not.toContain(store.requests.nextId('other'))
    store.states.reset()
    expect(['acme', 'other'].map((project) => store.requests.nextId(project))).toEqual(first)
  })

  it('of one project equals its fresh start, whatever was loaded before', () => {
    const store = storeOf({ seed })
    const expected = addUser(storeOf({ seed })).id
    store.loadAll({ idSeed: 'loaded', projects: { acme: {} } })
    store.states.reset('acme')

    expect(addUser(store).id).toBe(expected)
  })
})

describe('a restart', () => {
  it('starts from another seed with the same options, and is reported as a reset', () => {
    const reported: unknown[] = []
    const seed: Seed = { projects: { acme: {} } }
    const store = storeOf({ seed, behaviors: { createStatus: 200 }, onReplaced: (...what) => reported.push(what) })
    const first = store.requests.nextId('other')
    store.restartFrom(parsed('{"behaviors":{"createStatus":201},"projects":{"other":{"users":[{"email":"a@b"}]}}}'))

    expect(store.projects.summarizeAll()).toMatchObject([{ id: 'other', users: 1, revision: 1 }])
    expect(store.behaviors.get('other').createStatus).toBe(200)
    expect(store.requests.nextId('other')).toBe(first)
    expect(reported).toEqual([['reset']])
    addUser(store, 'other')
    store.states.reset()
    expect(store.projects.summarizeAll()).toMatchObject([{ id: 'other', users: 1 }])
  })
})

describe('an export', () => {
  it('is a valid seed without unknown fields', () => {
    fc.assert(
      fc.property(histories, clocks, (history, clock) => {
        const store = storeOf({ seed: { ...populated, clock } })
        play(store, history)
        const document = store.exportAll()

        expect(findUnknownFields(Seed, document)).toEqual([])
        expect(parse(Seed, JSON.parse(JSON.stringify(document)))).toEqual({ ok: true, value: document })
      }),
      { numRuns },
    )
  })

  it('keeps the random draws of missing projects', () => {
    const document = { progress: { draws: { gamma: 3, later: 5 } }, projects: {} }
    expect(storeOf({ seed: document }).exportAll()).toMatchObject(document)
  })

  it('of one project continues in another store, whatever the id seed there', () => {
    fc.assert(
      fc.property(histories, histories, clocks, (before, after, clock) => {
        const options = { seed: { ...populated, clock } }
        const store = storeOf(options)
        play(store, before)
        const copy = storeOf({ idSeed: 'another' })
        for (const project of projects) {
          copy.loadProject(project, store.exportProject(project))
          expect(copy.exportProject(project)).toEqual(store.exportProject(project))
        }

        expect(play(copy, after)).toEqual(play(store, after))
        for (const project of projects) expect(copy.exportProject(project)).toEqual(store.exportProject(project))
      }),
      { numRuns },
    )
  })

  it('has the number of generated ids, and continues after them', () => {
    const store = storeOf({
      seed: { projects: { acme: { users: [{ email: 'a@b' }, { email: 'c@d', id: 'usr_1' }] } } },
    })
    addUser(store)
    run(store, (tx) => tx.newId('users'))
    const text = JSON.stringify(store.exportAll())
    store.loadAll(parsed(text))

    expect(store.exportProject('acme').progress?.counters).toEqual({ usr: 3, pml: 0 })
    expect(addUser(store).id).toBe(deriveId('paylink-mock', 'acme', 'usr', 3))
  })

  it('keeps the positions of deleted records, so that lists continue from them', () => {
    const store = storeOf({ seed: { clock: { mode: 'frozen' } } })
    const ids = ['a', 'b', 'c', 'd'].map(() => addUser(store).id)
    run(store, (tx) => tx.delete('users', ids[1]!))
    run(store, (tx) => tx.delete('users', ids[3]!))
    const next = storeOf({ seed: parsed(JSON.stringify(store.exportAll())) })

    for (const one of [store, next]) {
      expect(pageFrom(one, { after: ids[3]! })).toEqual([ids[2], ids[0]])
      expect(pageFrom(one, { after: ids[1]! })).toEqual([ids[0]])
      expect(pageFrom(one, { before: ids[1]! })).toEqual([ids[2]])
      expect(toMockError(() => run(one, (tx) => tx.require('users', ids[1]!))).hint).toBe('The user was deleted.')
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
    const store = storeOf(options)
    store.projects.ensure('acme')
    store.projects.ensure('other')
    const before = behaviorsOf(store)
    const text = JSON.stringify(store.exportAll())
    store.loadAll(parsed(text))

    expect(behaviorsOf(store)).toEqual(before)
    expect(behaviorsOf(storeOf({ seed: parsed(text) }))).toEqual(before)
    expect(JSON.stringify(store.exportAll())).toBe(text)
    expect(JSON.stringify(storeOf({ seed: parsed(text) }).exportAll())).toBe(text)
  })

  it('keeps behaviors that a load set to their defaults', () => {
    const store = storeOf({ behaviors: { createStatus: 200 } })
    store.loadAll({ behaviors: { createStatus: 201 }, projects: { acme: {} } })
    const text = JSON.stringify(store.exportAll())
    store.loadAll(parsed(text))

    expect(behaviorsOf(store)).toEqual({ acme: 201, other: 201 })
    expect(JSON.stringify(storeOf({ seed: parsed(text) }).exportAll())).toBe(text)
  })

  it.each([
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['a name of 200 characters', 'x'.repeat(200)],
    ['a name of 201 characters', 'x'.repeat(201)],
    ['a name with a space', 'ü b'],
    ['a name with a control character', '__proto__\0'],
  ])('can be imported, whatever the name of its project: %s', async (_, name) => {
    const mock = createMock()
    const { status } = await mock.fetch(`/projects/${encodeURIComponent(name)}/users`, {
      headers: { authorization: 'Bearer t' },
    })
    const document = await mock.state.get()

    // Either the name is rejected, or the mock accepts its export.
    if (status < 400) expect(Object.keys(document.projects ?? {})).toEqual([name])
    await expect(mock.state.put(document)).resolves.toHaveLength(status < 400 ? 1 : 0)
    expect(JSON.stringify(await mock.state.get())).toBe(JSON.stringify(document))
  })

  it('can be imported over HTTP with the deepest metadata that a client may send', async () => {
    const mock = createMock()
    const send = (path: string, init: RequestInit) =>
      mock.fetch(path, { headers: { authorization: 'Bearer t', 'content-type': 'application/json' }, ...init })
    // The body and its metadata are two levels of the 64.
    const body = `{"email":"a@b","metadata":{"deep":${'['.repeat(62)}${']'.repeat(62)}}}`
    expect((await send('/projects/acme/users', { method: 'POST', body })).status).toBe(201)
    const text = await readText(send('/__admin/state', {}))

    expect((await send('/__admin/state', { method: 'PUT', body: text })).status).toBe(200)
  })
})

describe('a load', () => {
  it('uses the startup values for fields that the document omits', () => {
    const store = storeOf({
      seed: { clock: { mode: 'frozen', now: time }, projects: { acme: { behaviors: { createStatus: 200 } } } },
      behaviors: { errorFormat: 'problem' },
    })
    const clock = store.projects.summarize('acme').clock
    store.loadAll({ projects: { acme: {}, other: {} } })

    expect(store.behaviors.get('acme')).toMatchObject({ createStatus: 200, errorFormat: 'problem' })
    for (const name of ['other', 'not listed'])
      expect(store.behaviors.get(name)).toMatchObject({ createStatus: 201, errorFormat: 'problem' })
    expect([store.projects.summarize('acme').clock, store.projects.summarize('other').clock]).toEqual([clock, clock])
  })

  it('of one project replaces its records and leaves the others unchanged', () => {
    const store = storeOf({ seed: { projects: { acme: { users: [{ email: 'a@b' }] }, other: {} } } })
    addUser(store, 'other')
    const other = store.exportProject('other')
    store.loadProject('acme', { preferredLocale: 'de', paymentLinks: [{ invoice: 'inv_1' }] })

    expect(store.projects.summarize('acme')).toMatchObject({ users: 0, paymentLinks: 1, preferredLocale: 'de' })
    expect(store.exportProject('other')).toEqual(other)
  })

  it('of a missing project creates it', () => {
    const store = storeOf()
    store.loadProject('acme', { users: [{ email: 'a@b' }] })

    expect(store.projects.summarizeAll()).toMatchObject([{ id: 'acme', users: 1, revision: 1 }])
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
    expect(storeOf(options).behaviors.get('acme').cancelInactive).toBe(expected)
  })

  it('of the seed applies to unlisted projects, and that of a project only to it', () => {
    const store = storeOf({
      seed: { behaviors: { createStatus: 200 }, projects: { acme: { behaviors: { errorFormat: 'problem' } } } },
    })

    expect(store.behaviors.get('acme')).toMatchObject({ createStatus: 200, errorFormat: 'problem' })
    expect(store.behaviors.get('other')).toMatchObject({ createStatus: 200, errorFormat: 'object' })
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
    expect(storeOf(options).projects.summarize('acme').clock.mode).toBe(mode)
  })

  it('of the options override those of the seed', () => {
    const seed = { idSeed: 'seed', projects: { acme: { users: [{ email: 'a@b' }] } } }
    const id = (options: Options) => storeOf(options).exportProject('acme').users?.[0]?.id

    expect(id({ seed, idSeed: 'option' })).toBe(id({ seed: { ...seed, idSeed: 'option' } }))
    expect(id({ seed })).not.toBe(id({ seed, idSeed: 'option' }))
  })

  it.each([
    ['a project that is listed', 'acme'],
    ['a project that is not listed', 'other'],
  ])('lead to the ids of %s', (_, project) => {
    const seed = { idSeed: 'seed', projects: { acme: {} } }

    expect(addUser(storeOf(), project).id).toBe(deriveId('paylink-mock', project, 'usr', 0))
    expect(addUser(storeOf({ seed }), project).id).toBe(deriveId('seed', project, 'usr', 0))
    expect(addUser(storeOf({ seed, idSeed: 'option' }), project).id).toBe(deriveId('option', project, 'usr', 0))
  })
})

// --- Random histories

const projects = ['acme', 'other', 'unlisted'] as const

const populated: Seed = {
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

const actions = {
  createUser: (tx, pick) => createUser(tx, { email: `${pick % 4}@b`, metadata: { pick, ['__proto__']: pick } }),
  updateUser: (tx, pick) => updateUser(tx, userIn(tx, pick), { fullName: `${pick % 3}`, metadata: { pick: null } }),
  deleteUser: (tx, pick) => tx.delete('users', userIn(tx, pick)),
  moveUser: (tx, pick) =>
    tx.patch('users', userIn(tx, pick), { createdAt: new Date(now - (pick % 3) * 1000).toISOString() }),
  pinUser: (tx, pick) => tx.insert('users', { email: 'pin@b', id: `usr_pinned_${pick % 5}` }),
  createLink: (tx, pick) =>
    createPaymentLink(tx, { invoice: `inv_${pick % 3}`, redirectUrl: null, payer: { fullName: `${pick}` } }),
  cancelLink: (tx, pick) => cancelPaymentLink(tx, linkIn(tx, pick)),
  completeLink: (tx, pick) => completePaymentLink(tx, linkIn(tx, pick)),
  reopenLink: (tx, pick) => tx.patch('paymentLinks', linkIn(tx, pick), { status: 'active' }),
  deleteLink: (tx, pick) => tx.delete('paymentLinks', linkIn(tx, pick)),
} satisfies Record<string, (tx: Transaction, pick: number) => unknown>

interface Step {
  readonly project: (typeof projects)[number]
  readonly action: keyof typeof actions
  readonly pick: number
}

const histories = fc.array(
  fc.record<Step>({
    project: fc.constantFrom(...projects),
    action: fc.constantFrom(...(Object.keys(actions) as Step['action'][]), 'createUser', 'createLink', 'createLink'),
    pick: fc.nat(1000),
  }),
  { maxLength: 40 },
)

/** Runs the steps, and returns the result of each. */
function play(store: DocumentedStore, steps: readonly Step[]): unknown[] {
  return steps.map(({ project, action, pick }) => {
    try {
      return store.write(project, getBehavior, (tx): unknown => actions[action](tx, pick))
    } catch (error) {
      if (error instanceof MockError) return error.toJSON()
      throw error
    }
  })
}

function userIn(tx: Transaction, pick: number): string {
  return idIn([...tx.state.users.scan('asc')], pick)
}

function linkIn(tx: Transaction, pick: number): string {
  return idIn([...tx.state.paymentLinks.scan('asc')], pick)
}

function idIn(records: readonly { readonly value: Resource }[], pick: number): string {
  return records[pick % Math.max(1, records.length)]?.value.id ?? 'nobody'
}

// --- Helpers

/** The options of a store, with an unparsed seed. */
type Options = Partial<Omit<StoreOptions, 'seed'>> & { readonly seed?: Seed }

function storeOf({ seed = {}, ...options }: Options = {}): DocumentedStore {
  return createStore({ systemNow: () => now, ...options, seed: parsed(JSON.stringify(seed)) })
}

function parsed(text: string): Seed {
  const result = parse(Seed, JSON.parse(text))
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

function run<R>(store: DocumentedStore, operation: (tx: Transaction) => R): R {
  return store.write('acme', getBehavior, operation)
}

function addUser(store: DocumentedStore, project = 'acme') {
  return store.write(project, getBehavior, (tx) => createUser(tx, { email: 'a@b' }))
}

function revision(store: DocumentedStore, project = 'acme'): number {
  return store.projects.summarize(project).revision
}

function everythingOf(store: DocumentedStore) {
  return [store.exportAll(), store.projects.summarizeAll()]
}

function behaviorsOf(store: DocumentedStore) {
  return { acme: store.behaviors.get('acme').createStatus, other: store.behaviors.get('other').createStatus }
}

function pageFrom(store: DocumentedStore, cursors: { after?: string; before?: string }): string[] {
  const resume: BehaviorLookup = (key) => (key === 'deletedCursor' ? ('resume' as never) : getBehavior(key))
  return store.write('acme', resume, (tx) => listPage(tx, 'users', { ...cursors, limit: 10 })).items.map(({ id }) => id)
}
