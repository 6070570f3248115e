import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FaultRule } from '../../../src/node/index.ts'
import { transports } from '../../support/api.ts'
import { startClient } from './support/client.ts'

const body = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }

describe.each(transports)('The effect `duplicate`, %s,', (transport) => {
  const start = async (rule: Partial<FaultRule> = {}, options: Parameters<typeof startClient>[1] = {}) => {
    const client = await startClient(transport, options)
    const fault = await client.acme.faults.add({ ...rule, effect: { ...rule.effect, duplicate: true } })
    const create = (headers = {}) => client.ask('/paymentLinks', { method: 'POST', body, headers })
    return { ...client, fault, create }
  }

  it('processes the request twice, and returns the second response', async () => {
    const { acme, fault, create } = await start()
    const response = await create()
    const { items: links } = await acme.paymentLinks.list()
    expect(links.map(({ id }) => id)).toHaveLength(2)
    expect(response.body.id).toBe(links[0]!.id)
    expect(await fault.refresh()).toMatchObject({ hits: 1, remaining: 0 })
  })

  it('records both deliveries, with their own ids and changes', async () => {
    const { acme, fault, create } = await start()
    const { headers, body: second } = await create()
    const { items } = await acme.requests.list()
    expect(items).toMatchObject([
      { status: 201, fault: fault.id, superseded: true, changes: [{ from: null }] },
      { status: 201, fault: fault.id, changes: [{ from: null, to: { id: second.id } }] },
    ])
    expect(items[1]).not.toHaveProperty('superseded')
    expect(items[1]!.id).toBe(headers.get('mock-request-id'))
    expect(items[0]!.id).not.toBe(items[1]!.id)
    expect(items[0]!.changes[0]!.id).not.toBe(second.id)
  })

  it('records the headers of a rate limit with both deliveries', async () => {
    const { acme, create } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 5, window: 1000 } } })
    await create()
    const { items } = await acme.requests.list()
    expect(items.map(({ response }) => response?.headers['ratelimit-limit'])).toEqual(['5', '5'])
  })

  it('counts each delivery for verification', async () => {
    const { acme, create } = await start()
    await create()
    const match = { operation: 'createPaymentLink' as const }
    await expect(acme.requests.verify({ match, times: 2 })).resolves.toMatchObject({ ok: true, actual: 2 })
  })

  it('has one effect with an idempotency key under replay', async () => {
    const { acme, create } = await start({}, { behaviors: { idempotencyKey: 'replay' } })
    const { status, body: second } = await create({ 'idempotency-key': 'order-1' })
    const { items: links } = await acme.paymentLinks.list()
    expect([status, links.map(({ id }) => id)]).toEqual([201, [second.id]])
  })

  it('returns the conflict of the second cancel', async () => {
    const { acme, ask } = await start({ match: { operation: 'cancelPaymentLink' } })
    const { id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    const { status, body: error } = await ask(`/paymentLinks/${id}/cancel`, { method: 'POST' })
    expect([status, error.code]).toEqual([409, 'paymentLinkNotActive'])
    expect(await acme.paymentLinks.get(id)).toMatchObject({ status: 'canceled' })
  })

  it('is not matched by other faults the second time', async () => {
    const { acme, create } = await start({ times: 1 })
    await acme.faults.add({ skip: 1, effect: { status: 503 } })
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(503)
  })

  it('happens before the response is lost', async () => {
    const { acme, create } = await start({ effect: { connection: 'reset' } })
    await expect(create()).rejects.toThrow(TypeError)
    expect((await acme.paymentLinks.list()).items).toHaveLength(2)
  })

  it('happens after a hold is released', async () => {
    const { acme, fault, create } = await start({ effect: { hold: true } })
    const response = create()
    await fault.waitForHeld(1)
    expect((await acme.paymentLinks.list()).items).toEqual([])
    await fault.release()
    expect((await response).status).toBe(201)
    expect((await acme.paymentLinks.list()).items).toHaveLength(2)
  })

  it('returns the rejection of an invalid request, and records both', async () => {
    const { acme, ask } = await start()
    expect((await ask('/paymentLinks', { method: 'POST', body: {} })).status).toBe(422)
    const { items } = await acme.requests.list()
    expect(items.map(({ status, superseded }) => [status, superseded])).toEqual([
      [422, true],
      [422, undefined],
    ])
  })

  it('publishes the events of both deliveries', async () => {
    const { acme, fault, create } = await start()
    await create()
    const events = []
    for await (const event of acme.events({ after: 0 })) {
      events.push(event)
      if (events.filter(({ type }) => type === 'fault').length === 2) break
    }
    expect(events).toMatchObject([
      { type: 'change', change: { from: null } },
      { type: 'request', request: { superseded: true } },
      { type: 'fault', fault: fault.id },
      { type: 'change', change: { from: null } },
      { type: 'request', request: { fault: fault.id } },
      { type: 'fault', fault: fault.id },
    ])
    expect(events[4]).not.toHaveProperty('request.superseded')
  })

  it('corrupts the second response only', async () => {
    const { acme, create } = await start({ effect: { corrupt: 'malformed' } })
    expect(await create()).toMatchObject({ status: 201, body: undefined })
    const { items } = await acme.requests.list()
    expect(items.map(({ response }) => typeof response!.body)).toEqual(['object', 'string'])
  })

  it('waits once for a delay, before both deliveries', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => setTimer.mockRestore())
    const { acme, create } = await start({ effect: { delay: { milliseconds: 7 } } })
    expect((await create()).status).toBe(201)
    expect(setTimer.mock.calls.filter(([, milliseconds]) => milliseconds === 7)).toHaveLength(1)
    const { items } = await acme.requests.list()
    expect(items.map(({ changes }) => changes.length)).toEqual([1, 1])
  })

  it('counts two reads for a scheduled payment', async () => {
    const { acme, ask } = await start({ match: { operation: 'retrievePaymentLink' } })
    const { id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    await acme.paymentLinks.pay(id, { when: { reads: 2 } })
    expect((await ask(`/paymentLinks/${id}`)).body.status).toBe('completed')
  })
})
