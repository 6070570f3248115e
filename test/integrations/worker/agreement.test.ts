import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import { createMock, type MockError, type MockOptions } from '../../../src/node/index.ts'
import { baseUrl, startWorker } from './support/worker.ts'
import { readResponse } from '../../support/read.ts'

// WORKER_RUNS=500 for the long run.
const numRuns = Number(process.env.WORKER_RUNS ?? 3)

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

it(`agrees with a mock after any calls and evictions (${numRuns} runs)`, () =>
  fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const { worker, mock, sides } = start()
      for (const { act, sleeps } of drawn) {
        const [own, other] = [await outcomeOf(act(sides[0])), await outcomeOf(act(sides[1]))]
        expect(own).toEqual(other)
        if (sleeps) worker.sleep()
      }
      worker.sleep()
      expect(await readAll(sides[0])).toEqual(await readAll(sides[1]))
      await mock.close()
    }),
    { numRuns },
  ))
