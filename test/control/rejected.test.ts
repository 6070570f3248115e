// Proves: Rejected means unchanged.
/** Rejected means unchanged: rejected, aborted and faulted requests leave every byte of the state unchanged. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Mock } from '../../src/node/index.ts'
import { anyRequest, initOf } from '../properties/requests.ts'
import { connectRaw } from '../cli/support/raw.ts'
import { startClient } from './traffic/support/client.ts'
import { transports } from '../support/api.ts'

// REFUSED_RUNS=2000 for a longer run.
const numRuns = Number(process.env.REFUSED_RUNS ?? 12)

const records = {
  users: [
    { id: 'usr_1', email: 'ada@example.com' },
    { id: 'usr_2', email: 'bob@example.com' },
  ],
  paymentLinks: [
    { id: 'pml_1', invoice: 'inv_1' },
    { id: 'pml_2', invoice: 'inv_2', status: 'canceled' as const },
    { id: 'pml_3', invoice: 'inv_1', status: 'completed' as const },
  ],
}
const projects = ['acme', 'beta', 'nova']
const seed = { template: records, projects: { acme: records } }

/** Every byte of the state, and its revision. A missing project has its future content. */
const everythingIn = async (mock: Mock): Promise<string> => {
  const each = projects.map(async (project) => {
    const { revision } = await mock.project(project).summary()
    return [revision, await mock.project(project).state.get()]
  })
  return JSON.stringify(await Promise.all(each))
}

it.each(transports)(`a rejected request leaves every byte unchanged, over ${numRuns} runs, %s`, async (transport) => {
  const { mock, call } = await startClient(transport, { seed })
  let rejections = 0
  const property = fc.asyncProperty(fc.array(anyRequest, { minLength: 8, maxLength: 8 }), async (requests) => {
    for (const request of requests) {
      const before = await everythingIn(mock)
      const headers = Object.fromEntries(initOf(request).headers as Headers)
      const raw = request.body as Uint8Array<ArrayBuffer> | null
      const { status } = await call(request.path, { method: request.method, headers, ...(raw !== null && { raw }) })
      if (status < 400) continue
      rejections++
      expect(await everythingIn(mock), `${status} for ${request.method} ${request.path}`).toBe(before)
    }
  })
  await fc.assert(property, { numRuns })
  expect(rejections).toBeGreaterThan(numRuns / 2)
})

it(`a fault before the operation leaves every byte unchanged, over ${numRuns} runs`, () =>
  fc.assert(
    fc.asyncProperty(
      anyRequest,
      fc.constantFrom(
        { status: 503 },
        { status: 200, body: {} },
        { status: 204 },
        { connection: 'reset' as const },
        { rateLimit: { limit: 0, window: 1000 } },
      ),
      async (request, effect) => {
        const { mock, call } = await startClient('in process', { seed })
        const limited = 'rateLimit' in effect
        await mock.faults.add({ ...(!limited && { times: null }), effect })
        const before = await everythingIn(mock)
        const { method, body } = request
        const raw = body as Uint8Array<ArrayBuffer> | null
        await call(request.path, { method, ...(raw !== null && { raw }) }).catch(() => {})
        expect(await everythingIn(mock)).toBe(before)
      },
    ),
    { numRuns },
  ))

it(`an aborted upload leaves every byte unchanged, over ${Math.ceil(numRuns / 3)} runs`, async () => {
  const { mock, acme, port } = await startClient('over HTTP', { seed })
  const bodies = {
    'POST /projects/acme/users': { email: 'new@example.com' },
    'PATCH /projects/acme/users/usr_1': { email: 'other@example.com', metadata: { plan: 'gold' } },
    'POST /projects/acme/users/search': { email: 'ada@example.com' },
    'POST /projects/acme/paymentLinks': { invoice: 'inv_1', type: 'partner', partner: { user: {} } },
    // These need no body.
    'DELETE /projects/acme/users/usr_1': {},
    'POST /projects/acme/paymentLinks/pml_1/cancel': {},
    'GET /projects/acme/paymentLinks/pml_1': {},
  }
  const upload = fc.constantFrom(...(Object.entries(bodies) as [string, object][]))
  const property = fc.asyncProperty(
    upload,
    fc.double({ min: 0, max: 0.99, noNaN: true }),
    async ([line, sent], part) => {
      await acme.requests.clear()
      const before = await everythingIn(mock)
      const body = JSON.stringify(sent)
      const raw = await connectRaw({ port })
      raw.send(
        `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer t\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\n\r\n${body.slice(0, Math.floor(body.length * part))}`,
      )
      raw.socket.end()
      await acme.requests.verify({ match: {}, within: 300_000 })
      expect(await everythingIn(mock)).toBe(before)
    },
  )
  await fc.assert(property, { numRuns: Math.ceil(numRuns / 3) })
})

/** A document with one invalid value. */
const wrongDocument = fc
  .record({
    users: fc.nat({ max: 3 }),
    wrong: fc.constantFrom<object[]>(
      { users: [{ email: 'nobody' }] },
      {
        users: [
          { id: 'usr_twice', email: 'a@b.c' },
          { id: 'usr_twice', email: 'b@b.c' },
        ],
      },
      { paymentLinks: [{ invoice: 'inv_1', status: 'canceled', completedAt: '2025-01-01T00:00:00.000Z' }] },
      { paymentLinks: [{ id: 'usr_1', invoice: 'inv_1' }] },
      { clock: { mode: 'frozen', now: 'noon' } },
      { behaviors: { createStatus: 299 } },
      { preferredLocale: '' },
      { user: [] },
    ),
  })
  .map(({ users, wrong }) => ({
    invoices: ['inv_new'],
    users: Array.from({ length: users }, (_, n) => ({ email: `new${n}@example.com` })),
    ...wrong,
  }))

it(`a rejected document leaves every byte unchanged, for one project and for all, over ${numRuns} runs`, async () => {
  const { mock, acme } = await startClient('in process', { seed })
  await acme.snapshots.save('one')
  const before = await everythingIn(mock)
  await fc.assert(
    fc.asyncProperty(
      wrongDocument,
      fc.constantFrom<('put' | 'patch')[]>('put', 'patch'),
      fc.boolean(),
      async (document, command, forAll) => {
        // The valid project comes first.
        const all = { clock: { mode: 'real' }, projects: { aaa: { users: [{ email: 'a@b.c' }] }, acme: document } }
        const given = (forAll ? mock.state[command](all as object) : acme.state[command](document)) as Promise<unknown>
        await expect(given).rejects.toMatchObject({ code: 'invalidBody', status: 422 })
        expect(await everythingIn(mock)).toBe(before)
        expect((await mock.projects()).map(({ id }) => id)).toEqual(['acme'])
      },
    ),
    { numRuns },
  )
})
