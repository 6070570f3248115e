// Proves: Memory.
import { expect, it } from 'vitest'
import { createJournal, createJournalMemory, type StoredRequest } from '../../../src/core/traffic/journal.ts'
import { errors } from '../../../src/core/schema/error.ts'
import { createMock } from '../../../src/node/index.ts'
import { createWaits } from '../../../src/core/traffic/waits.ts'
import { createUnknownProjects } from '../../../src/core/traffic/traffic.ts'
import { noon } from '../../support/api.ts'
import { createOperations } from '../../../src/core/api/operations.ts'
import { operationRoutes } from '../../../src/core/schema/operation-routes.ts'
import type { Matcher } from '../../../src/core/schema/matcher.ts'
import { prepareMatcher } from '../../../src/core/traffic/matching.ts'

const recorded = (project: string, id: string, characters = 0): StoredRequest => ({
  project,
  operation: 'createUser',
  method: 'POST',
  url: 'http://mock/',
  headers: '',
  text: 'x'.repeat(characters),
  status: 201,
  id,
  receivedAt: 0,
  duration: 0,
  response: undefined,
  assumed: {},
  violations: [],
  changes: [],
  fault: undefined,
  superseded: false,
})

const idsOf = (entries: readonly StoredRequest[]) => entries.map(({ id }) => id)

it('the journal keeps the newest requests of each project', () => {
  const journal = createJournal({ entries: 3 })
  for (let i = 0; i < 10; i++) for (const project of ['a', 'b', '']) journal.add(recorded(project, `${project}${i}`))
  expect(idsOf(journal.list('a'))).toEqual(['a7', 'a8', 'a9'])
  expect(idsOf(journal.list()).slice(-3)).toEqual(['a9', 'b9', '9'])
  expect([journal.countDropped('a'), journal.countDropped()]).toEqual([7, 21])
  expect(() => journal.get('a6')).toThrow(errors.requestNotFound('a6'))
  expect(journal.get('a7').id).toBe('a7')
})

it('the largest project loses requests when the journal exceeds its memory limit', () => {
  const journal = createJournal({ memory: createJournalMemory(100_000) })
  for (let i = 0; i < 5; i++) journal.add(recorded('small', `s${i}`, 100))
  for (let i = 0; i < 50; i++) journal.add(recorded('large', `l${i}`, 9500))
  expect(idsOf(journal.list('small'))).toEqual(['s0', 's1', 's2', 's3', 's4'])
  expect(journal.countDropped('small')).toBe(0)
  const kept = journal.list('large')
  expect(kept.length).toBeLessThanOrEqual(10)
  expect(kept.at(-1)!.id).toBe('l49')
  expect(journal.countDropped('large')).toBe(50 - kept.length)
})

it('the memory stays below its limit after any sequence of adds, clears and resets', () => {
  const size = 50_000
  const journal = createJournal({ memory: createJournalMemory(size) })
  for (let i = 0; i < 2000; i++) {
    journal.add(recorded(`p${i % 7}`, `r${i}`, (i * 37) % 5000))
    if (i % 100 === 0) journal.clear(`p${i % 3}`)
    if (i % 150 === 0) journal.reset(`p${i % 4}`)
    const held = journal.list().reduce((sum, { text, url }) => sum + 500 + text!.length + url.length, 0)
    expect(held).toBeLessThanOrEqual(size)
  }
})

it('many small projects lose all requests, where one does not free enough', () => {
  const journal = createJournal({ memory: createJournalMemory(100_000) })
  for (let i = 0; i < 20; i++) journal.add(recorded(`p${i}`, `r${i}`, 5000))
  const kept = journal.list().length
  expect(kept).toBeGreaterThan(10)
  expect(journal.countDropped()).toBe(20 - kept)
})

it.each<[string, Partial<StoredRequest>, number]>([
  ['a URL', { url: 'http://mock/a' }, 1],
  ['a header', { headers: 'accept\n*/*' }, 10],
  ['no text', { text: undefined }, 0],
  ['a text', { text: 'text' }, 4],
  ['the text of a response', { response: { headers: {}, text: 'text' } }, 4],
  ['a violation', { violations: [{ path: 'email', message: 'no' }] as unknown as StoredRequest['violations'] }, 7],
])('the size of a request includes %s', (_, parts, size) => {
  const { add } = createJournal()
  expect(add({ ...recorded('a', 'two'), ...parts }) - add(recorded('a', 'one'))).toBe(size)
})

it('the memory limit is 64 MiB, which may be full', () => {
  const memory = createJournalMemory()
  const journal = createJournal({ memory })
  const size = journal.add(recorded('a', 'one'))
  memory.grow(64 * 1024 * 1024 - size)
  expect(journal.list()).toHaveLength(1)
  memory.grow(1)
  expect(journal.list()).toEqual([])
})

it('a request that is larger than the memory limit is not kept', () => {
  const journal = createJournal({ memory: createJournalMemory(1000) })
  journal.add(recorded('a', 'one', 5000))
  expect([journal.list().length, journal.countDropped()]).toEqual([0, 1])
})

it('journals with shared memory share its limit: the largest project of any of them loses its oldest request', () => {
  const memory = createJournalMemory(100_000)
  const [root, sandbox] = [createJournal({ memory }), createJournal({ memory })]
  root.add(recorded('a', 'small'))
  for (let i = 0; i < 10; i++) sandbox.add(recorded('a', `large${i}`, 12_000))
  expect([root.countDropped(), root.list().length]).toEqual([0, 1])
  expect(sandbox.countDropped()).toBeGreaterThan(0)
  const kept = sandbox.list().length
  sandbox.reset()
  for (let i = 0; i < kept; i++) root.add(recorded('b', `large${i}`, 12_000))
  expect(root.countDropped()).toBe(0)
})

it('a wait that has ended listens to nothing', async () => {
  const listening = new Set<unknown>()
  const listen = (listener: unknown) => {
    listening.add(listener)
    return () => void listening.delete(listener)
  }
  const waits = createWaits()
  const waiting = waits.wait({ milliseconds: 60_000, onEnd: listen, until: listen })
  expect(listening.size).toBe(2)
  waits.stop()
  await waiting
  expect(listening.size).toBe(0)
})

it('the oldest is forgotten first, and a used one counts as new', () => {
  const forgotten: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => () => void forgotten.push(name))
  const projects = createUnknownProjects(2)
  for (const forget of [a, b, a, c]) projects.remember(forget!)
  expect(forgotten).toEqual(['b'])
  projects.delete(a!)
  projects.remember(d!)
  expect(forgotten).toEqual(['b'])
})

it.each([
  ...(process.env.SLOW_TESTS ? ([['without a token', undefined, 401]] as const) : []),
  ['with an unknown id', 'Bearer any', 404] as const,
])('rejected requests %s leave at most a thousand names, and no request of a project', async (_, token, status) => {
  const mock = createMock({ clock: noon })
  const reject = async (project: string) => {
    const headers = { accept: 'application/json', ...(token && { authorization: token }) }
    const response = await mock.fetch(`/projects/${project}/users/usr_x`, { headers })
    expect(response.status).toBe(status)
    return response.headers.get('mock-request-id')
  }
  const first = await reject('first')
  expect(await reject('first')).not.toBe(first)
  await mock.project('acme').patch({})
  await reject('acme')
  for (let i = 0; i < 1000; i++) await reject(`p${i}`)
  const { items } = await mock.requests.list()
  expect(items).toHaveLength(1001)
  expect(items[0]).toMatchObject({ project: 'acme' })
  expect(await mock.project('first').requests.list()).toMatchObject({ items: [] })
  expect(await mock.project('first').violations.list()).toMatchObject({ items: [] })
  // Its requests are counted from the start again.
  expect(await reject('first')).toBe(first)
  await mock.reset()
  expect((await mock.requests.list()).items).toEqual([])
})

it('requests of a project that is created later, or of none, stay however many unknown projects follow', async () => {
  const mock = createMock({ clock: noon })
  const ask = (project: string, headers = {}) => mock.fetch(`/projects/${project}/users`, { headers })
  await mock.fetch('/nowhere')
  await ask('acme')
  await ask('acme', { authorization: 'Bearer any' })
  for (let i = 0; i < 1001; i++) await ask(`p${i}`)
  expect((await mock.project('acme').requests.list()).items).toHaveLength(2)
  expect((await mock.requests.list()).items[0]).toMatchObject({ project: null, path: '/nowhere' })
})

it('faults and verifications match the same operations as the router', () => {
  const routed = createOperations('partner')
  expect(Object.fromEntries(routed.map(({ id, method, path }) => [id, { method, path }]))).toEqual(operationRoutes)
})

/** Counts how often the texts of a matcher are read, and how often its body is formatted. */
const countUses = () => {
  const counts = { reads: 0, formats: 0 }
  const read = <T>(value: T): T => {
    counts.reads++
    return value
  }
  const matcher: Matcher = {
    get path() {
      return read('/projects/*/users')
    },
    get headers() {
      return read({ Authorization: 'Bearer a' })
    },
    get body() {
      return read({ user: { toJSON: () => counts.formats++ } })
    },
  }
  return { counts, matcher }
}

const request = {
  project: 'acme',
  operation: 'createUser' as const,
  method: 'POST',
  url: 'http://mock/projects/acme/users',
  headers: 'Authorization\nBearer a',
  text: '{}',
  status: 201,
}

it('a prepared matcher reads its texts once, and formats nothing, however many requests it is compared with', () => {
  const { counts, matcher } = countUses()
  const prepared = prepareMatcher(matcher)
  const { reads } = counts
  for (let i = 0; i < 100; i++) {
    expect(prepared.matches({ ...request })).toBe(false)
    expect(prepared.findDifferences({ ...request })).toHaveLength(1)
  }
  expect(counts).toEqual({ reads, formats: 0 })
})

it('a difference is formatted on demand', () => {
  const prepared = prepareMatcher({ method: 'GET', path: '/projects/*/paymentLinks' })
  const differences = prepared.findDifferences(request)
  const ofPath = "path is '/projects/acme/users', not '/projects/*/paymentLinks'"
  expect(differences.map(({ describe }) => describe())).toEqual(["method is 'POST', not 'GET'", ofPath])
})

it.each([
  [[{ a: 1 }], true],
  [[{ a: 2 }], false],
  [[{ b: 1 }], false],
  [[{}], false],
  [[{ a: 1, b: 1 }], false],
  [[[1]], false],
  [[{ a: 1 }, { a: 1 }], false],
])('the records of a list must be equal: [{ a: 1 }] matches %j: %s', (list, expected) => {
  const prepared = prepareMatcher({ body: { list: [{ a: 1 }] } })
  expect(prepared.matches({ ...request, text: JSON.stringify({ list }) })).toBe(expected)
})
