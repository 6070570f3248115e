// Proves: Storage of a Worker.
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { createMock, type MockError, type MockOptions } from '../../../src/node/index.ts'
import { startWorker, baseUrl } from './support/worker.ts'
import { errors } from '../../../src/core/schema/error.ts'
import { connect } from '../../../src/core/client/index.ts'
import { readResponse } from '../../support/read.ts'

type Worker = ReturnType<typeof startWorker>

const users = '/projects/acme/users'
const create = ({ call }: Worker, email = 'ada@example.com') =>
  call(users, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email }) })

/** The number of rows that a call writes. */
const rowsOf = async ({ storeOf }: Worker, act: () => Promise<unknown>) => {
  const before = storeOf('acme').written()
  await act()
  return storeOf('acme').written() - before
}

it.each(process.env.SLOW_TESTS ? [10, 2000] : [10])('of %i records, a create writes two, a read none', async (size) => {
  const worker = startWorker()
  await worker.acme.state.put({ generate: { users: size } })
  expect(await rowsOf(worker, () => create(worker))).toBe(2)
  expect(await rowsOf(worker, () => worker.call(users))).toBe(0)
  expect(await rowsOf(worker, () => worker.call(`${users}/usr_no`))).toBe(0)
  expect(await rowsOf(worker, () => worker.acme.state.get())).toBe(0)
  await expect(worker.acme.users.patch('usr_no', {})).rejects.toMatchObject({ code: 'userNotFound' })
  expect(await rowsOf(worker, () => worker.acme.summary())).toBe(0)
})

it('a request that is rejected before its project exists writes nothing', async () => {
  const worker = startWorker()
  expect(await rowsOf(worker, () => worker.call(users, { headers: { authorization: '' } }))).toBe(0)
})

it('a load writes few rows, whatever the number of records', async () => {
  const worker = startWorker()
  const acme = worker.admin.project('acme')
  expect(await rowsOf(worker, () => acme.state.put({ generate: { users: 2000 } }))).toBeLessThan(20)
  const added = Array.from({ length: 1500 }, (_, index) => ({ id: `usr_${index}`, email: 'ada@example.com' }))
  expect(await rowsOf(worker, () => acme.state.patch({ users: added }))).toBeLessThan(20)
  worker.sleep()
  expect(await acme.summary()).toMatchObject({ users: 3500 })
})

it.runIf(process.env.SLOW_TESTS)('one read in a thousand, and the first after an eviction, reserves ids', async () => {
  const worker = startWorker()
  await create(worker)
  const read = async (count: number) => {
    for (let n = 0; n < count; n++) await worker.call(users)
  }
  expect(await rowsOf(worker, () => read(1000))).toBe(0)
  expect(await rowsOf(worker, () => read(1))).toBe(1)
  worker.sleep()
  expect(await rowsOf(worker, () => read(1))).toBe(1)
})

it('stores a text of any size', async () => {
  const { storeOf, sleep, acme } = startWorker({ bodyLimit: 20_000_000 })
  // Pairs of surrogates begin at odd and at even places, so that some of them lie across any boundary.
  const text = `${'€'.repeat(400_001)}${'😀'.repeat(200_000)}`
  await acme.state.put({ users: [{ id: 'usr_1', email: 'ada@example.com', metadata: { text } }] })
  sleep()
  expect((await acme.users.get('usr_1')).metadata['text'] === text).toBe(true)
  await acme.users.patch('usr_1', { metadata: { text: text.slice(1) } })
  await acme.users.patch('usr_1', { metadata: {} })
  sleep()
  expect((await acme.users.get('usr_1')).metadata).toEqual({})
  await acme.reset()
  expect([...storeOf('acme').kept().values()].join('').length).toBeLessThan(2000)
})

it.each([2, 3])('stores a text that becomes shorter, after %i rows', async (rows) => {
  const { sleep, acme } = startWorker({ bodyLimit: 20_000_000 })
  // The records of the first change are stored together.
  await acme.users.create({ email: 'bob@example.com' })
  await acme.users.create({ id: 'usr_1', email: 'ada@example.com', fullName: 'x'.repeat(400_000 * (rows - 0.5)) })
  await acme.users.patch('usr_1', { fullName: 'Ada' })
  sleep()
  expect(await acme.users.get('usr_1')).toMatchObject({ fullName: 'Ada' })
})

it('keeps the invoices of the seed', async () => {
  const { sleep, acme } = startWorker()
  await acme.state.put({ invoices: ['inv_1'] })
  sleep()
  await acme.state.patch({ invoices: ['inv_2'] })
  sleep()
  expect(await acme.state.get()).toMatchObject({ invoices: ['inv_1', 'inv_2'] })
})

describe('a fault', () => {
  it('stays with its hits after an eviction, and its id is not given again', async () => {
    const worker = startWorker()
    const fault = await worker.acme.faults.add({
      match: { operation: 'listUsers' },
      skip: 1,
      times: 2,
      effect: { status: 503 },
    })
    const statuses = []
    for (let n = 0; n < 4; n++) {
      worker.sleep()
      statuses.push((await worker.call(users)).status)
    }
    expect(statuses).toEqual([200, 503, 503, 200])
    worker.sleep()
    expect(await worker.acme.faults.list()).toMatchObject([{ id: fault.id, hits: 2, remaining: 0 }])
    await worker.acme.faults.remove()
    worker.sleep()
    const next = await worker.acme.faults.add({ effect: { status: 503 } })
    expect(next.id).not.toBe(fault.id)
  })

  it('that loses the response keeps what has happened', async () => {
    const worker = startWorker()
    const acme = worker.admin.project('acme')
    await acme.faults.add({ match: { operation: 'createUser' }, phase: 'after', effect: { connection: 'reset' } })
    await expect(create(worker)).rejects.toThrow(TypeError)
    worker.sleep()
    expect(await acme.summary()).toMatchObject({ users: 1 })
  })
})

describe('a snapshot', () => {
  it('is not written again by a change of a record', async () => {
    const worker = startWorker()
    await create(worker)
    await worker.admin.project('acme').snapshots.save('one')
    expect(await rowsOf(worker, () => create(worker))).toBe(2)
  })

  it('is rejected when there are twenty, also after an eviction, and replaces one all the same', async () => {
    const { sleep, acme } = startWorker()
    for (let n = 1; n <= 20; n++) await acme.snapshots.save(`s${n}`)
    sleep()
    await expect(acme.snapshots.save('s21')).rejects.toMatchObject({
      code: 'tooManySnapshots',
      status: 409,
      message: errors.tooManySnapshots('acme', 20).message,
    })
    await acme.snapshots.save('s20')
    expect(await acme.snapshots.list()).toHaveLength(20)
  })

  it('that cannot be loaded is reported, and everything else is there', async () => {
    const worker = startWorker()
    const acme = worker.admin.project('acme')
    await create(worker)
    await acme.snapshots.save('one')
    worker.sleep()
    worker.storeOf('acme').spoil((text, scope) => (scope.startsWith('snapshot ') ? '{' : text))
    await expect(acme.snapshots.restore('one')).rejects.toMatchObject({
      code: 'stateUnreadable',
      message: errors.stateUnreadable({ project: 'acme', snapshot: 'one', cause: undefined }).message,
    })
    expect(await acme.summary()).toMatchObject({ users: 1 })
    await acme.snapshots.save('one')
    await acme.snapshots.restore('one')
  })
})

describe('a storage that fails', () => {
  it('resets the object: the call fails, and its change is not there', async () => {
    const worker = startWorker()
    const acme = worker.admin.project('acme')
    await create(worker)
    // The second of the two rows.
    worker.storeOf('acme').fail(/^INSERT/, 2)
    await expect(create(worker, 'grace@example.com')).rejects.toThrow('The storage failed.')
    expect(await acme.summary()).toMatchObject({ users: 1, revision: 1 })
    await create(worker, 'grace@example.com')
    worker.sleep()
    expect(await acme.summary()).toMatchObject({ users: 2, revision: 2 })
  })

  it('is read again with the next request', async () => {
    const worker = startWorker()
    await create(worker)
    worker.sleep()
    worker.storeOf('acme').fail(/^SELECT name, piece/)
    await expect(worker.admin.project('acme').summary()).rejects.toThrow('The storage failed.')
    expect(await worker.admin.project('acme').summary()).toMatchObject({ users: 1 })
  })
})

// WORKER_RUNS=500 for the long run.
const numRuns = Number(process.env.WORKER_RUNS ?? 1)

type Admin = ReturnType<typeof startWorker>['admin']
type Project = ReturnType<Admin['project']>

interface Side {
  readonly acme: Project
  /** Returns the status and the body of a response to a client. */
  readonly call: (method: string, path: string, body?: object) => Promise<unknown>
}

type Act = (side: Side) => Promise<unknown>

const user = fc.constantFrom('usr_1', 'usr_2')
const link = fc.constantFrom('pml_1', 'pml_2')
const name = fc.constantFrom('b', 'a', 'c', '__proto__')
// A row holds 400,000 characters: texts of one, two and three rows, and characters of two units across each boundary.
const text = fc
  .record({
    unit: fc.constantFrom('x', '€', '😀'),
    length: fc.constantFrom(0, 399_000, 400_001, 800_003),
    odd: fc.boolean(),
  })
  .map(({ unit, length, odd }) => (odd ? '-' : '') + unit.repeat(length))
const metadata = fc.oneof(
  { weight: 2, arbitrary: fc.record({ text: fc.constantFrom('short', '') }) },
  { weight: 1, arbitrary: fc.record({ text }) },
)
const email = fc.constantFrom('ada@example.com', 'grace@example.com')
const to = <A>(arbitrary: fc.Arbitrary<A>, act: (side: Side, drawn: A) => Promise<unknown>): fc.Arbitrary<Act> =>
  arbitrary.map((drawn) => {
    const step: Act = (side) => act(side, drawn)
    return Object.assign(step, { toString: () => `${String(act)} ${fc.stringify(drawn).slice(0, 200)}` })
  })

const invoice = fc.constantFrom('inv_1', 'inv_2')
const payer = { fullName: 'Ada', email: 'ada@example.com', taxNumber: '12345678909' }
const act = fc.oneof(
  to(email, ({ call }, email) => call('POST', '/users', { email })),
  to(fc.tuple(user, email), ({ call }, [id, email]) => call('PATCH', `/users/${id}`, { email })),
  to(user, ({ call }, id) => call('DELETE', `/users/${id}`)),
  to(user, ({ call }, id) => call('GET', `/users?limit=3&after=${id}`)),
  to(fc.constant({}), ({ call }, body) => call('POST', '/users', body)),
  to(invoice, ({ call }, invoice) =>
    call('POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: payer } }),
  ),
  to(link, ({ call }, id) => call('POST', `/paymentLinks/${id}/cancel`)),
  to(fc.constant(''), ({ call }) => call('GET', '/paymentLinks')),
  to(fc.tuple(user, email, metadata), ({ acme }, [id, email, metadata]) => acme.users.create({ id, email, metadata })),
  to(fc.tuple(user, metadata), ({ acme }, [id, metadata]) => acme.users.patch(id, { metadata })),
  // One after the other while awake: a record that grows, and shrinks again.
  {
    weight: 3,
    arbitrary: to(fc.tuple(user, fc.array(text, { minLength: 2, maxLength: 3 })), async ({ acme }, [id, texts]) => {
      for (const text of texts) await acme.users.patch(id, { metadata: { text } })
    }),
  },
  to(user, ({ acme }, id) => acme.users.delete(id)),
  to(fc.tuple(link, invoice), ({ acme }, [id, invoice]) => acme.paymentLinks.create({ id, invoice })),
  to(link, ({ acme }, id) => acme.paymentLinks.pay(id)),
  to(link, ({ acme }, id) => acme.paymentLinks.pay(id, { when: { reads: 1 } })),
  to(link, ({ acme }, id) => acme.paymentLinks.delete(id)),
  to(fc.array(fc.record({ id: user, email, metadata }), { maxLength: 2 }), ({ acme }, users) =>
    acme.state.patch({ users }),
  ),
  to(fc.array(metadata, { maxLength: 2 }), ({ acme }, all) =>
    acme.state.put({ users: all.map((metadata, at) => ({ id: `usr_${at + 1}`, email: 'ada@example.com', metadata })) }),
  ),
  to(fc.constantFrom('de-DE', 'en-GB'), ({ acme }, preferredLocale) => acme.patch({ preferredLocale })),
  to(name, ({ acme }, name) => acme.snapshots.save(name)),
  to(name, ({ acme }, name) => acme.snapshots.save(name)),
  to(fc.constant(''), ({ acme }) => acme.snapshots.list()),
  to(name, ({ acme }, name) => acme.snapshots.restore(name)),
  to(name, ({ acme }, name) => acme.snapshots.delete(name)),
  to(fc.integer({ min: 1, max: 100_000 }), ({ acme }, milliseconds) => acme.clock.advance(milliseconds)),
  to(fc.constantFrom('frozen', 'stepping'), ({ acme }, mode) => acme.clock.set({ mode })),
  to(fc.constantFrom<(200 | 201)[]>(200, 201), ({ acme }, createStatus) => acme.behaviors.set({ createStatus })),
  to(fc.constantFrom([], [{ token: 't' }], [{ token: 'other' }]), ({ acme }, tokens) => acme.tokens.replace(tokens)),
  to(fc.integer({ min: 1, max: 3 }), ({ acme }, times) =>
    acme.faults.add({ match: { operation: 'createUser' }, effect: { status: 503 }, times }).then(({ id }) => id),
  ),
  to(fc.constant(''), ({ acme }) => acme.scheduledPayments.list()),
  to(fc.constant(''), ({ acme }) => acme.reset()),
  to(fc.constant(''), ({ acme }) => acme.delete()),
)

const steps = fc.array(fc.record({ act, sleeps: fc.boolean() }), { minLength: 5, maxLength: 40, size: 'max' })

const start = () => {
  const options: MockOptions = {
    clock: 'frozen',
    seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'seed@example.com' }] } } },
  }
  const worker = startWorker(options)
  const mock = createMock(options)
  const sideOf = (fetch: (url: string, init: RequestInit) => Promise<Response>): Side => ({
    acme: connect(baseUrl, { adminToken: 'secret', fetch }).project('acme'),
    call: async (method, path, body) => {
      const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const response = await fetch(`${baseUrl}/projects/acme${path}`, init)
      return readResponse(response)
    },
  })
  return { worker, mock, sides: [sideOf(worker.call), sideOf((url, init) => mock.fetch(url, init))] as const }
}

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    ({ code, message, hint }: MockError) => ({ code, message, hint }),
  )

/** Everything that a project keeps, read after an eviction. */
const readAll = async ({ acme }: Side) => ({
  state: await acme.state.get(),
  snapshots: await acme.snapshots.list(),
  tokens: await acme.tokens.get(),
  faults: await acme.faults.list(),
  summary: await acme.summary(),
})

it(`agrees with a mock after any calls and evictions (${numRuns} runs)`, async () => {
  const property = fc.asyncProperty(steps, async (drawn) => {
    const { worker, mock, sides } = start()
    for (const { act, sleeps } of drawn) {
      const [own, other] = [await outcomeOf(act(sides[0])), await outcomeOf(act(sides[1]))]
      expect(own).toEqual(other)
      if (sleeps) worker.sleep()
    }
    worker.sleep()
    expect(await readAll(sides[0])).toEqual(await readAll(sides[1]))
    await mock.close()
  })
  await fc.assert(property, { numRuns })
})
