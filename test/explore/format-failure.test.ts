import { expect, it } from 'vitest'
import { type Flow, formatFailure } from '../../src/explore/index.ts'
import { atMostOneUser, createUser, listUsers, request, send } from './support/service.ts'
import { explore, interleave } from './support/searches.ts'

it('shows the fault and the calls of a flow', async () => {
  const flow: Flow = async (client) => {
    await createUser(client).catch(() => createUser(client))
    await listUsers(client)
    await send(client, 'GET', '/users/usr_1')
  }
  const { failures } = await explore({ flow, invariant: atMostOneUser })
  expect(formatFailure(failures[0]!)).toMatchInlineSnapshot(`
    "2 users
    With reset after call 1, createUser:
    ! 1. 00:00:00.000  POST /projects/acme/users {"email":"ada@example.com"} -> no response (reset after the operation)
          created usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ
      2. 00:00:00.000  POST /projects/acme/users {"email":"ada@example.com"} -> 201 usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0
      3. 00:00:00.000  GET /projects/acme/users -> 200 items: 2
      4. 00:00:00.000  GET /projects/acme/users/usr_1 -> 404 userNotFound
    only: '1.after.reset'"
  `)
})

it('shows the actors and their calls in order', async () => {
  const { failures } = await interleave({
    options: { seed: { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } } },
    actors: {
      shop: (client) => send(client, 'POST', '/paymentLinks/pml_1/cancel'),
      customer: ({ mock }) => mock.project('acme').paymentLinks.pay('pml_1'),
    },
    invariant: async ({ mock }) => {
      const { status } = await mock.project('acme').paymentLinks.get('pml_1')
      if (status === 'canceled') throw new Error('not paid')
    },
  })
  expect(formatFailure(failures[0]!)).toMatchInlineSnapshot(`
    "not paid
    In this order:
      1. 00:00:00.000  shop      POST /projects/acme/paymentLinks/pml_1/cancel -> 200 pml_1 canceled
      2. 00:00:00.000  customer  POST /__admin/projects/acme/paymentLinks/pml_1/pay {} -> 409 paymentLinkNotActive
    only: 'shop,customer'"
  `)
})

it('shows the days of calls that span several', async () => {
  const { failures } = await explore({
    flow: async (client) => {
      await listUsers(client)
      await client.mock.project('acme').clock.advance(86_400_000)
      await listUsers(client)
    },
    effects: { close: { connection: 'close' } },
    mustSucceed: ['close'],
    invariant: () => {},
  })
  expect(formatFailure(failures.at(-1)!)).toContain('  1. 2025-01-01T00:00:00.000Z  GET')
  expect(formatFailure(failures.at(-1)!)).toContain('2025-01-02T00:00:00.000Z  GET')
})

it('notes how many calls were made before each sleep ended', async () => {
  const { failures } = await interleave({
    actors: {
      shop: async (client) => {
        await client.sleep(1000)
        await listUsers(client)
        await listUsers(client)
        await client.sleep(1000)
      },
    },
    invariant: () => {
      throw new Error('always')
    },
  })
  expect(failures[0]!.sleeps.map(({ calls }) => calls)).toEqual([0, 2])
})

const failure = { schedule: [], replay: 'a', sleeps: [], events: [] }

it('leaves out the middle of a long run, and the end of long bodies', () => {
  const body = 'b'.repeat(200)
  const requests = Array.from({ length: 30 }, (_, index) => ({ ...request, body, path: `/${index}` }))
  const lines = formatFailure({ ...failure, error: 'not an error', requests }).split('\n')
  expect(lines).toHaveLength(24)
  expect(lines.slice(10, 14)).toEqual([
    `  9. 00:00:00.000  GET /8 ${'b'.repeat(100)}... -> 200`,
    `  10. 00:00:00.000  GET /9 ${'b'.repeat(100)}... -> 200`,
    '  ... 10 more ...',
    `  21. 00:00:00.000  GET /20 ${'b'.repeat(100)}... -> 200`,
  ])
})

it('prints no control characters of clients', () => {
  const odd = { ...request, path: '/\u001b[2J', body: '\u0007', status: 404, response: '<' }
  const text = "first\nsecond\nIn this order:\n  1. 00:00:00.000  GET /?[2J ? -> 404\nonly: 'a'"
  expect(formatFailure({ ...failure, error: new Error('first\nsecond'), requests: [odd] })).toBe(text)
})
