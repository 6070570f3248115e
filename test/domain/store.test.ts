// Proves: Round trip, Rejected means unchanged.
import { describe, expect, it } from 'vitest'
import { deriveId } from '../../src/core/domain/ids.ts'
import * as links from '../../src/core/domain/payment-links.ts'
import { type Transaction } from '../../src/core/domain/transaction.ts'
import { createSnapshots } from '../../src/core/domain/snapshots.ts'
import { listPage } from '../../src/core/domain/pagination.ts'
import { createUser, updateUser } from '../../src/core/domain/users.ts'
import { createStore, type DocumentedStore, type StoreOptions } from '../support/store.ts'
import { createMock } from '../../src/index.ts'
import { type BehaviorLookup, type Behaviors, defaultBehaviors } from '../../src/core/schema/behavior.ts'
import { MockError } from '../../src/core/schema/error.ts'
import { parse } from '../../src/core/schema/problem.ts'
import { Seed } from '../../src/core/schema/seed.ts'
import { readText, toMockError } from '../support/read.ts'

const now = Date.parse('2026-11-21T08:00:00.000Z')
const time = new Date(now).toISOString()
const withBehaviors =
  (values: Partial<Behaviors>): BehaviorLookup =>
  (key) =>
    ({ ...defaultBehaviors, ...values })[key]
const getBehavior = withBehaviors({})

describe('a transaction', () => {
  it('changes nothing when it throws', () => {
    const store = storeOf({ seed: { clock: { mode: 'stepping' }, projects: { acme: { users: [{ email: 'a@b' }] } } } })
    const before = everythingOf(store)
    const rejected = () =>
      store.write('acme', getBehavior, (tx) => {
        const user = createUser(tx, { email: 'c@d' })
        links.createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} })
        updateUser(tx, user.id, { fullName: 'Ada' })
        tx.delete('users', user.id)
        throw new Error('late')
      })
    expect(rejected).toThrow('late')
    expect(everythingOf(store)).toEqual(before)
  })

  it('cannot change the state in a read', () => {
    const store = storeOf()
    addUser(store)
    const before = everythingOf(store)
    const changing = () => store.read('acme', (tx) => createUser(tx, { email: 'c@d' }))
    expect(changing).toThrow('A read cannot change the state.')
    expect(everythingOf(store)).toEqual(before)
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
    const seed: Seed = { projects: { acme: { clock: { mode: 'real', offset: 0 } } } }
    const store = storeOf({ systemNow: () => systemNow, seed })
    const { id } = run(store, (tx) => links.createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} }))
    run(store, (tx) => links.schedulePayment(tx, id, { when: { in: 1000 } }))
    run(store, (tx) => {
      systemNow += 2000
      createUser(tx, { email: 'a@b' })
      expect(tx.require('paymentLinks', id)).toMatchObject({ status: 'active' })
    })
    expect(store.read('acme', (tx) => tx.require('paymentLinks', id))).toMatchObject({ status: 'completed' })
    expect(store.projects.summarize('acme').users).toBe(1)
  })
})

it('the revision grows by one with each transaction that changes data, and never otherwise', () => {
  const store = storeOf()
  const { id } = addUser(store)
  const link = run(store, (tx) => links.createPaymentLink(tx, { invoice: 'inv_1', redirectUrl: null, payer: {} }))
  expect(revision(store)).toBe(2)
  run(store, (tx) => updateUser(tx, id, { fullName: 'Ada', metadata: { a: 1 } }))
  expect(revision(store)).toBe(3)
  run(store, (tx) => updateUser(tx, id, { fullName: 'Ada', metadata: { a: 1 } }))
  run(store, (tx) => updateUser(tx, id, { email: null, metadata: { b: null } }))
  run(store, (tx) => tx.patch('users', id, { emailVerified: true }))
  run(store, (tx) => listPage(tx, 'users', { limit: 10 }))
  run(store, (tx) => tx.newId('users'))
  expect(() => run(store, (tx) => links.completePaymentLink(tx, 'pml_x'))).toThrow(MockError)
  expect(revision(store)).toBe(3)
  run(store, (tx) => links.cancelPaymentLink(tx, link.id))
  expect(revision(store)).toBe(4)
  store.write('acme', withBehaviors({ cancelInactive: 'idempotent' }), (tx) => links.cancelPaymentLink(tx, link.id))
  expect(revision(store)).toBe(4)
  run(store, (tx) => tx.delete('users', id))
  expect(revision(store)).toBe(5)
})

describe('a reset', () => {
  const seed: Seed = {
    clock: { mode: 'stepping' },
    behaviors: { createStatus: 200 },
    template: { users: [{ email: 'template@b' }] },
    projects: { acme: { users: [{ email: 'a@b' }], paymentLinks: [{ invoice: 'inv_1' }] }, other: {} },
  }

  it('undoes a load: records, clock, behaviors and template', () => {
    const store = storeOf({ seed })
    const fresh = store.exportAll()
    store.loadAll({ idSeed: 'loaded', clock: { mode: 'frozen' }, behaviors: { errorFormat: 'problem' }, projects: {} })
    expect(store.exportAll()).not.toEqual(fresh)
    store.states.reset()
    expect(store.exportAll()).toEqual(fresh)
    expect(store.behaviors.get('acme').createStatus).toBe(200)
  })

  it('of one project equals its fresh start, whatever was loaded before', () => {
    const store = storeOf({ seed })
    const expected = addUser(storeOf({ seed })).id
    store.loadAll({ idSeed: 'loaded', projects: { acme: {} } })
    store.states.reset('acme')
    expect(addUser(store).id).toBe(expected)
  })

  it('of a project that the seed does not list undoes a change for all projects', () => {
    const store = storeOf({ seed })
    const fresh = store.exportProject('unlisted')
    store.clock.set({ mode: 'frozen', now: '2030-01-01T00:00:00.000Z' })
    store.behaviors.set({ createStatus: 201 })
    store.states.setTemplate({ users: [{ email: 'changed@b' }] })
    expect(store.exportProject('unlisted')).not.toEqual(fresh)
    store.states.reset('unlisted')
    expect(store.exportProject('unlisted')).toEqual(fresh)
  })
})

describe('an export', () => {
  it('keeps the random draws of missing projects', () => {
    const document = { progress: { draws: { gamma: 3, later: 5 } }, projects: {} }
    expect(storeOf({ seed: document }).exportAll()).toMatchObject(document)
  })

  it('of a project continues alike when a record then moves to the time of another', () => {
    const store = storeOf({ seed: { projects: { acme: { users: [] } } } })
    for (const [id, time] of [
      ['usr_1', 1],
      ['usr_2', 0],
    ] as const)
      run(store, (tx) => tx.insert('users', { id, email: 'a@b', createdAt: new Date(time * 1000).toISOString() }))
    const copy = storeOf({})
    copy.loadProject('acme', store.exportProject('acme'))
    for (const one of [store, copy]) {
      run(one, (tx) => tx.patch('users', 'usr_1', { createdAt: new Date(0).toISOString() }))
      expect(one.exportProject('acme').users!.map(({ id }) => id)).toEqual(['usr_2', 'usr_1'])
    }
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
      const { id } = addUser(one)
      expect(pageFrom(one, { before: ids[3]! })).toEqual([id])
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
  it('of one project replaces its records and leaves the others unchanged', () => {
    const store = storeOf({ seed: { projects: { acme: { users: [{ email: 'a@b' }] }, other: {} } } })
    addUser(store, 'other')
    const other = store.exportProject('other')
    store.loadProject('acme', { preferredLocale: 'de', paymentLinks: [{ invoice: 'inv_1' }] })
    expect(store.projects.summarize('acme')).toMatchObject({ users: 0, paymentLinks: 1, preferredLocale: 'de' })
    expect(store.exportProject('other')).toEqual(other)
  })

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
})

const [idempotent, conflict] = [{ cancelInactive: 'idempotent' }, { cancelInactive: 'conflict' }] as const
const inAcme = (behaviors: Seed['behaviors']) => ({ projects: { acme: { behaviors } } })

it.each([
  ['by default', {}, 'conflict'],
  ['by the seed', { seed: { behaviors: idempotent } }, 'idempotent'],
  ['by the project', { seed: inAcme(idempotent) }, 'idempotent'],
  ['by the project over the seed', { seed: { behaviors: idempotent, ...inAcme(conflict) } }, 'conflict'],
  ['by the options over all', { seed: inAcme(idempotent), behaviors: conflict }, 'conflict'],
  [
    'by the seed where the options say nothing of it',
    { seed: { behaviors: idempotent }, behaviors: { cancelInactive: undefined, createStatus: 200 } },
    'idempotent',
  ],
] satisfies [string, Options, string][])('a behavior is decided %s', (_, options, expected) => {
  expect(storeOf(options).behaviors.get('acme').cancelInactive).toBe(expected)
})

describe('the clock and the id seed', () => {
  const seed = { projects: { acme: { clock: { mode: 'stepping' } } } } as const

  it.each([
    ['default', {}, 'real'],
    ['the seed', { seed: { clock: { mode: 'frozen' } } }, 'frozen'],
    ['the project', { seed: { ...seed, clock: { mode: 'frozen' } } }, 'stepping'],
    ['the options', { seed, clock: { mode: 'frozen' } }, 'frozen'],
  ] satisfies [string, Options, string][])('come from %s', (_, options, mode) => {
    expect(storeOf(options).projects.summarize('acme').clock.mode).toBe(mode)
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

const run = <R>(store: DocumentedStore, operation: (tx: Transaction) => R): R =>
  store.write('acme', getBehavior, operation)

const addUser = (store: DocumentedStore, project = 'acme') =>
  store.write(project, getBehavior, (tx) => createUser(tx, { email: 'a@b' }))

const revision = (store: DocumentedStore, project = 'acme'): number => store.projects.summarize(project).revision

const everythingOf = (store: DocumentedStore) => [store.exportAll(), store.projects.summarizeAll()]

const behaviorsOf = (store: DocumentedStore) => ({
  acme: store.behaviors.get('acme').createStatus,
  other: store.behaviors.get('other').createStatus,
})

function pageFrom(store: DocumentedStore, cursors: { after?: string; before?: string }): string[] {
  const resume = withBehaviors({ deletedCursor: 'resume' })
  return store.write('acme', resume, (tx) => listPage(tx, 'users', { ...cursors, limit: 10 })).items.map(({ id }) => id)
}
