// Proves: Races.
/**
 * Concurrent calls must have the same responses and state as some sequential order of them. The test finds that order:
 * it replays them on another mock until the responses and the state are equal.
 */
import { Agent, request as httpRequest } from 'node:http'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createMock, type FaultHandle, MockError, type MockOptions, type Mock } from '../../src/node/index.ts'
import { within } from '../support/within.ts'

// RACE_RUNS=5000 and RACE_ROUNDS=5000 for a longer run; a failure prints its seed and path.
const numRuns = Number(process.env.RACE_RUNS ?? 8)
const rounds = Number(process.env.RACE_ROUNDS ?? 6)

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const linkId = 'pml_raced'

/** The error code; pages have none. */
const getErrorCode = (text: string): string | undefined => /"code":"(\w+)"/.exec(text)?.[1]

const call = (method: string, path: string, body = '', headers: Readonly<Record<string, string>> = json): Sent => ({
  method,
  path,
  headers,
  body,
})
const json = { authorization: 'Bearer t', 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const api = '/projects/acme'
const admin = `/__admin${api}`
const link = `/paymentLinks/${linkId}`
const pay = (body: object) => call('POST', `${admin}${link}/pay`, JSON.stringify(body))

/** Calls that change the link, its scheduled payments, the clock, and the whole project. */
const calls = {
  cancel: call('POST', `${api}${link}/cancel`, '{}'),
  read: call('GET', `${api}${link}`),
  create: call('POST', `${api}/users`, '{"email":"ada@example.com"}'),
  pay: pay({}),
  fail: pay({ outcome: 'failed' }),
  payPage: call('POST', `/pay/acme/${linkId}`, 'outcome=succeeded', form),
  scheduleIn: pay({ when: { in: 500 } }),
  scheduleAt: pay({ when: { at: '2025-06-01T12:00:00.200Z' } }),
  scheduleReads: pay({ when: { reads: 1 } }),
  scheduleFailure: pay({ outcome: 'failed', when: { in: 500 } }),
  cancelScheduledPayments: call('DELETE', `${admin}/scheduledPayments/${linkId}`, '{}'),
  advance: call('POST', `${admin}/clock/advance`, '{"milliseconds":500}'),
  delete: call('DELETE', `${admin}${link}`, '{}'),
  reopen: call('PATCH', `${admin}${link}`, '{"status":"active"}'),
  export: call('GET', `${admin}/state`),
  save: call('POST', `${admin}/snapshots`, '{"name":"saved"}'),
  restore: call('POST', `${admin}/snapshots/saved/restore`, '{}'),
  load: call('PUT', `${admin}/state`, `{"paymentLinks":[{"id":"${linkId}","invoice":"inv_2"}]}`),
  reset: call('POST', `${admin}/reset`, '{}'),
  deleteProject: call('DELETE', admin, '{}'),
} as const satisfies Readonly<Record<string, Sent>>

type Call = keyof typeof calls
const allCalls = Object.keys(calls) as Call[]

const ofClients = new Set<Call>(['cancel', 'read', 'create'])
const replacing = new Set<Call>(['restore', 'load', 'reset', 'deleteProject'])

/** A call with its times: `begun` and `ended` count the earlier starts and ends of calls. */
interface Made {
  readonly call: Call
  readonly begun: number
  readonly ended: number
  readonly status: number
  readonly text: string
}

// Each write has a different time, so that the times show the order.
const options: MockOptions = {
  seed: {
    clock: { mode: 'stepping', now: '2025-06-01T12:00:00.000Z', step: 7 },
    template: { paymentLinks: [{ id: linkId, invoice: 'inv_1' }] },
  },
  publicUrl: 'http://mock.example',
}

const startMock = async (): Promise<Mock> => {
  const mock = createMock(options)
  await mock.project('acme').snapshots.save('saved')
  return mock
}

/** The final state: the records and scheduled payments, the clock, the counters and the revision. */
const listRemaining = async (mock: Mock): Promise<string> =>
  JSON.stringify([await mock.state.get(), await mock.project('acme').summary()])

/** Returns true if a call failed because the state was replaced. It has changed nothing. */
const wasReplaced = ({ text }: Made): boolean => getErrorCode(text) === 'stateReplaced'
const isReplacement = ({ call, status }: Made): boolean => replacing.has(call) && status < 400
const isOfClient = ({ call }: Made): boolean => ofClients.has(call)

/** Counts starts and ends of calls. */
const createWatch = () => {
  let count = 0
  const made: Made[] = []
  return {
    made,
    watch: async (call: Call, send: () => Promise<Pick<Made, 'status' | 'text'>>) => {
      const begun = count++
      const { status, text } = await send()
      made.push({ call, begun, ended: count++, status, text })
    },
  }
}

/** Expects some order to explain all responses, the state, the journal and the times. */
const expectOneStory = async (mock: Mock, made: readonly Made[], overSockets = false): Promise<void> => {
  for (const one of made.filter(wasReplaced)) {
    const isLater = (other: Made) => isReplacement(other) && other.ended > one.begun
    expect(isOfClient(one) && made.some(isLater), 'the order of a response with stateReplaced').toBe(true)
  }
  for (const { status } of made.filter((one) => !wasReplaced(one))) expect(status).toBeLessThan(500)
  const left = await listRemaining(mock)
  const order = await findOrder(made, left, overSockets ? ended : begun)
  const results = made.map(({ call, begun, ended, status, text }) => `${begun}-${ended} ${call}: ${status} ${text}`)
  expect(order, `no order explains\n${results.join('\n')}\n${left}`).toBeDefined()

  const acme = mock.project('acme')
  const found = (await acme.paymentLinks.list()).items.find(({ id }) => id === linkId)
  if (found !== undefined) {
    // The times of a link are those of its status, and no others.
    const { status, createdAt, canceledAt, completedAt } = found
    expect([canceledAt !== null, completedAt !== null]).toEqual([status === 'canceled', status === 'completed'])
    expect((canceledAt ?? completedAt ?? createdAt) >= createdAt).toBe(true)
  }
  // A scheduled payment is for an active link.
  for (const { paymentLink } of await acme.scheduledPayments.list())
    expect([paymentLink, found?.status]).toEqual([linkId, 'active'])
  // The journal has all calls since it was cleared, with their statuses.
  const emptied = made.filter(({ call }) => call === 'reset' || call === 'deleteProject')
  const since = Math.max(-1, ...emptied.filter(({ status }) => status < 400).map(({ ended }) => ended))
  const journal = (await acme.requests.list()).items.map(({ operation, status }) => `${operation} ${status}`)
  const responded = (from: number) =>
    made.filter((one) => isOfClient(one) && one.begun > from).map(({ call, status }) => `${operations[call]} ${status}`)
  expect(responded(-1)).toEqual(expect.arrayContaining(journal))
  expect(journal).toEqual(expect.arrayContaining(responded(since)))
  for (const { status, changes } of (await acme.requests.list()).items) if (status! >= 400) expect(changes).toEqual([])
}

const operations: Partial<Record<Call, string>> = {
  cancel: 'cancelPaymentLink',
  read: 'retrievePaymentLink',
  create: 'createUser',
}

type Precedes = (one: Made, other: Made) => boolean

/** A call that ended before another started comes first. */
const ended: Precedes = (one, other) => one.ended < other.begun

/** In addition, a client call never takes effect after a later replacement. Over sockets its start is unknown. */
const begun: Precedes = (one, other) =>
  ended(one, other) || (isOfClient(one) && one.status < 400 && isReplacement(other) && one.begun < other.begun)

/** The order that explains the responses and the state, or undefined. */
const findOrder = async (made: readonly Made[], left: string, precedes: Precedes): Promise<Order | undefined> => {
  const effective = made.filter((one) => !wasReplaced(one))
  const inOrderOfResponses = effective.toSorted((a, b) => a.ended - b.ended)
  const isPossible = inOrderOfResponses.every(
    (one, at, all) => !all.slice(at + 1).some((later) => precedes(later, one)),
  )
  if (isPossible && (await explains(inOrderOfResponses, left))) return inOrderOfResponses
  return extended([], inOrderOfResponses, left, precedes)
}

type Order = readonly Made[]

const extended = async (order: Order, rest: Order, left: string, precedes: Precedes): Promise<Order | undefined> => {
  if (!(await explains(order, rest.length === 0 ? left : undefined))) return undefined
  if (rest.length === 0) return order
  for (const next of rest.filter((one) => !rest.some((other) => precedes(other, one)))) {
    const others = rest.filter((one) => one !== next)
    const found = await extended([...order, next], others, left, precedes)
    if (found !== undefined) return found
  }
  return undefined
}

const explains = async (order: Order, left: string | undefined): Promise<boolean> => {
  const mock = await startMock()
  for (const { call, status, text } of order) {
    const { path, body, ...init } = calls[call]
    const response = await mock.fetch(path, { ...init, ...(body !== '' && { body }), redirect: 'manual' })
    if (response.status !== status || (await response.text()) !== text) return false
  }
  return left === undefined || (await listRemaining(mock)) === left
}

// --- Calls in every order of the scheduler

/** Sends a request whose body arrives in two parts, each when the scheduler says so. */
const sendInPieces = async (
  fetch: (address: string, init: RequestInit) => Promise<Response>,
  scheduler: fc.Scheduler,
  { path, body, ...init }: Sent,
): Promise<{ status: number; text: string }> => {
  const pieces = body === '' ? {} : { body: inPieces(scheduler, body), duplex: 'half' }
  const response = await fetch(`http://mock${path}`, { ...init, ...pieces, redirect: 'manual' })
  return { status: response.status, text: await response.text() }
}

const inPieces = (scheduler: fc.Scheduler, text: string): ReadableStream<Uint8Array> => {
  const half = Math.ceil(text.length / 2)
  const parts = [text.slice(0, half), text.slice(half)]
  return new ReadableStream({
    pull: async (controller) => {
      await scheduler.schedule(Promise.resolve(), 'a piece of a body')
      const part = parts.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(part))
    },
  })
}

/** Runs a race in which requests wait in holds. The scheduler decides when they are released, and when the holds end. */
const race = async (scheduler: fc.Scheduler, holds: readonly FaultHandle[], run: () => readonly Promise<unknown>[]) => {
  const ended = Promise.all(run())
  const step = async (name: string, change: (hold: FaultHandle) => Promise<unknown>) => {
    await scheduler.schedule(Promise.resolve(), name)
    await Promise.all(holds.map((hold) => change(hold).catch(ignoreRemoved)))
  }
  const release = () => step('a release', (hold) => hold.release())
  await scheduler.waitFor(Promise.all([release(), release(), step('the end of the holds', (hold) => hold.remove())]))
  await scheduler.waitFor(ended)
}

// A reset removes the holds of its project.
const ignoreRemoved = (error: unknown) => {
  if (!(error instanceof MockError) || error.code !== 'faultNotFound') throw error
}

const chosenCalls = fc.array(fc.constantFrom(...allCalls), { minLength: 2, maxLength: 8 })

it(`calls at once have the responses and the effects of calls in some order, over ${numRuns} races`, () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), chosenCalls, fc.boolean(), async (scheduler, chosen, isHolding) => {
      const mock = await startMock()
      const holds = isHolding ? [await mock.faults.add({ times: 2, effect: { hold: true } })] : []
      const { made, watch } = createWatch()
      await race(scheduler, holds, () =>
        chosen.map(async (call) => {
          await scheduler.schedule(Promise.resolve(), call)
          await watch(call, () => sendInPieces(mock.fetch, scheduler, calls[call]))
        }),
      )
      await expectOneStory(mock, made)
    }),
    { numRuns },
  ))

// --- Calls over real connections, which are reused in every round

/** Sends the head and the first bytes of the body at once, and the rest in the next turn of the event loop. */
const sendOn = (agent: Agent, url: string, { method, path, headers, body }: Sent, first: number) =>
  within(
    `the response to ${method} ${path}`,
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const length = { 'content-length': String(body.length) }
      const outgoing = httpRequest(url + path, { agent, method, headers: { ...headers, ...length } }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        incoming.on('error', reject)
        incoming.on('end', () => resolve({ status: incoming.statusCode!, text }))
      })
      outgoing.on('error', reject)
      outgoing.write(body.slice(0, first))
      setImmediate(() => outgoing.end(body.slice(first)))
    }),
  )

it(`concurrent calls have the responses and the state of a sequential order, over ${rounds} rounds`, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  onTestFinished(() => agent.destroy())
  for (let round = 0; round < rounds; round++) {
    await using mock = await startMock()
    const { url } = await mock.listen()
    const { made, watch } = createWatch()
    // Steps of seven through twenty calls: other neighbours in each round.
    const mixed = [0, 1, 2, 3, 4, 5].map((nth) => allCalls[(round + 7 * nth) % allCalls.length]!)
    await Promise.all(mixed.map((call, n) => watch(call, () => sendOn(agent, url, calls[call], n % 3))))
    await expectOneStory(mock, made, true)
  }
})
