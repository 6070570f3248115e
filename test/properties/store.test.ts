import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StoreState } from '../../src/domain/project-state.ts'
import { createInitialState } from '../../src/domain/seeding.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { isStoredRecord } from '../../src/domain/collection.ts'
import { type RecordChange, runBefore } from '../../src/domain/record-changes.ts'
import type { ProjectState } from '../../src/domain/project-state.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { createSnapshots } from '../../src/domain/snapshots.ts'
import { createStore } from '../../src/domain/store.ts'
import { defaultBehaviors } from '../../src/schema/behavior.ts'
import type { User } from '../../src/schema/user.ts'

// The store edits its records in place. The reference copies its arrays at each step.

const projects = ['acme', 'other'] as const
type Project = (typeof projects)[number]

type Edit = { readonly put: { user: number; instant: number; email: number } } | { readonly remove: number }

type Step =
  | { readonly write: Project; readonly edits: readonly Edit[]; readonly end: 'commit' | 'fail' | 'nest' }
  | { readonly save: Project | undefined }
  | { readonly restore: Project | undefined }
  | { readonly reset: Project | undefined }
  | { readonly fork: true }

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ put: fc.record({ user: fc.nat(30), instant: fc.nat(3), email: fc.nat(5) }) }),
  },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(30) }) },
)
const scope = fc.constantFrom(...projects, undefined)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      write: fc.constantFrom(...projects),
      edits: fc.array(edit, { maxLength: 6 }),
      end: fc.constantFrom('commit', 'commit', 'fail', 'nest'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ save: scope }) },
  { weight: 2, arbitrary: fc.record({ restore: scope }) },
  { weight: 1, arbitrary: fc.record({ reset: scope }) },
  { weight: 1, arbitrary: fc.record({ fork: fc.constant(true as const) }) },
)

it('equals plain arrays after writes, failures, nested writes, snapshots, resets and forks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40 }),
      fc.array(fc.tuple(fc.nat(3), step), { maxLength: 40 }),
      (users, steps) => {
        const seed = { projects: { acme: { generate: { users } } } }
        const stores = [createComparedStore(createInitialState({ seed, clock: { mode: 'frozen' } }))]
        for (const [index, next] of steps) {
          const compared = stores[index % stores.length]!
          if ('fork' in next) stores.push(createComparedStore(compared.store.states.copyAll()))
          else compared.take(next)
        }
        for (const compared of stores) compared.expectAll()
      },
    ),
    { numRuns: 200 },
  )
})

/** The users of a project in the order of the list, and the ids of deleted ones. */
interface Naive {
  readonly users: readonly User[]
  readonly deleted: readonly string[]
}

type NaiveProjects = Readonly<Record<Project, Naive>>

/** A store, and its reference. */
function createComparedStore(initial: StoreState) {
  /** The committed changes of each project since its state was replaced, and the reference before each. */
  let history: { project: Project; before: Naive; changes: RecordChange[] }[] = []
  const store = createStore({ initial, systemNow: () => 0 })
  const snapshots = createSnapshots(store)
  const start = mapProjects((project) => store.read(project, ({ state }) => readProject(state)))
  let naive = start
  const saved = new Map<Project | undefined, NaiveProjects>()

  const write = (project: Project, edits: readonly Edit[], end: 'commit' | 'fail' | 'nest') => {
    const before = naive[project]
    const changes = store.write(
      project,
      (key) => defaultBehaviors[key],
      (tx) => {
        for (const one of edits) applyEdit(tx, one)
        if (end === 'nest')
          for (const name of projects) expect(() => store.update(name, () => {})).toThrow('has not returned yet')
        const expected = edits.reduce(naivelyEdited, before)
        expect(readProject(tx.state)).toEqual(expected)
        if (end === 'fail') throw new Error('failed')
        naive = { ...naive, [project]: expected }
        return tx.changes
      },
    )
    history.push({ project, before, changes })
  }
  const replaced = (project: Project | undefined, next: NaiveProjects) => {
    naive = project === undefined ? next : { ...naive, [project]: next[project] }
    history = history.filter((commit) => project !== undefined && commit.project !== project)
  }
  const expectCurrent = () => {
    for (const project of projects) store.read(project, ({ state }) => expectSame(state, naive[project]))
  }
  const expectHistory = () => {
    for (const project of projects) {
      const commits = history.filter((commit) => commit.project === project)
      const kept = store.states.copy(project)
      for (const [index, { before }] of commits.entries()) {
        const changes = commits.slice(index).flatMap((commit) => commit.changes)
        runBefore(kept, changes, () => expectSame(kept, before))
      }
      expectSame(kept, naive[project])
    }
  }
  return {
    store,
    take: (next: Exclude<Step, { fork: true }>) => {
      if ('save' in next) {
        snapshots.save('saved', next.save)
        saved.set(next.save, naive)
      } else if ('reset' in next) {
        store.states.reset(next.reset)
        replaced(next.reset, start)
      } else if ('restore' in next) {
        const expected = saved.get(next.restore)
        if (expected === undefined) return
        snapshots.restore('saved', next.restore)
        replaced(next.restore, expected)
      } else if (next.end === 'fail') expect(() => write(next.write, next.edits, next.end)).toThrow('failed')
      else write(next.write, next.edits, next.end)
    },
    expectAll: () => {
      expectCurrent()
      expectHistory()
      for (const [project, expected] of saved) {
        snapshots.restore('saved', project)
        replaced(project, expected)
        expectCurrent()
      }
    },
  }
}

const mapProjects = <T>(map: (project: Project) => T): Record<Project, T> => ({
  acme: map('acme'),
  other: map('other'),
})

const toUser = ({ user, instant, email }: { user: number; instant: number; email: number }): User => {
  const createdAt = new Date(Date.UTC(2030, 0, 1) + instant).toISOString()
  const defaults = { id: `usr_${user}`, createdAt, preferredLocale: 'en-US' }
  return kinds.users.defaults({ email: `${email}@example.com` }, defaults)
}

const applyEdit = (tx: Transaction, one: Edit) => {
  if ('put' in one) return tx.put('users', toUser(one.put))
  const user = tx.state.users.get(`usr_${one.remove}`)
  return user && tx.delete('users', user.id)
}

const naivelyEdited = ({ users, deleted }: Naive, one: Edit): Naive => {
  const id = 'put' in one ? `usr_${one.put.user}` : `usr_${one.remove}`
  const old = users.find((user) => user.id === id)
  const others = users.filter((user) => user !== old)
  if (!('put' in one)) return { users: others, deleted: old === undefined ? deleted : [...deleted, id].toSorted() }
  const user = toUser(one.put)
  return {
    users:
      old?.createdAt === user.createdAt
        ? users.map((other) => (other === old ? user : other))
        : // The sort is stable: the user is the newest of its instant.
          [...others, user].toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0)),
    deleted: deleted.filter((other) => other !== id),
  }
}

const readProject = ({ users }: ProjectState): Naive => ({
  users: Array.from(users.scan('asc'), ({ value }) => value),
  deleted: users.listTombstones().map(({ id }) => id),
})

function expectSame(state: ProjectState, naive: Naive) {
  const { users } = state
  expect(readProject(state)).toEqual(naive)
  expect(users.size).toBe(naive.users.length)
  for (let number = 0; number <= 30; number += 3) {
    const id = `usr_${number}`
    const entry = users.getEntry(id)
    expect(users.get(id)).toEqual(naive.users.find((user) => user.id === id))
    expect(entry !== undefined && !isStoredRecord(entry)).toBe(naive.deleted.includes(id))
  }
  for (let number = 0; number <= 5; number++) {
    const key = `${number}@example.com`
    const found = Array.from(users.scan('desc', undefined, { by: 'email', key }), ({ value }) => value)
    expect(found).toEqual(naive.users.filter(({ email }) => email === key).toReversed())
  }
}
