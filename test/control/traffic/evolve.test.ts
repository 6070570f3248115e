import { describe, expect, it } from 'vitest'
import type { FaultRule } from '../../../src/node/index.ts'
import { transports } from '../../support/api.ts'
import { startClient } from './support/client.ts'

type Evolve = FaultRule['effect']['evolve']

const addedField = expect.any(String)
const metadata = { status: 'a', createdAt: '2025-01-01T00:00:00Z', nested: { b: [{ c: 1 }] } }

describe.each(transports)('The effect `evolve`, %s,', (transport) => {
  /** Retrieves a payment link without and with the fault. */
  const start = async (evolve: Evolve, precision: 'milliseconds' | 'seconds' = 'milliseconds') => {
    const behaviors = { timestampPrecision: precision }
    const client = await startClient(transport, { clock: '2025-01-01T00:00:00.120Z', behaviors })
    await client.acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1', partner: { redirectUrl: null } })
    const today = await client.ask('/paymentLinks/pml_1')
    const fault = await client.acme.faults.add({ times: null, effect: { evolve } })
    const later = await client.ask('/paymentLinks/pml_1')
    return { ...client, fault, today: today.body as Record<string, unknown>, later }
  }

  it('adds a field to each object, and keeps the others', async () => {
    const { today, later } = await start(['fields'])
    expect(later.body).toEqual({ ...today, partner: { redirectUrl: null, addedField }, addedField })
    expect(Object.keys(later.body)).toEqual([...Object.keys(today), 'addedField'])
  })

  it('reverses the order of the fields', async () => {
    const { today, later } = await start(['order'])
    expect(later.body).toEqual(today)
    expect(Object.keys(later.body)).toEqual(Object.keys(today).toReversed())
  })

  it.each([
    ['milliseconds', '2025-01-01T00:00:00.120000Z'],
    ['seconds', '2025-01-01T00:00:00.000000Z'],
  ] as const)('sends times with microseconds where they had %s', async (precision, createdAt) => {
    const { today, later } = await start(['times'], precision)
    expect(later.body).toEqual({ ...today, createdAt })
  })

  it('sends an unknown status and type of a payment link', async () => {
    const { today, later } = await start(['values'])
    expect(later.body).toEqual({ ...today, status: 'addedStatus', type: 'addedType' })
  })

  it('with true changes all but the values', async () => {
    const { later } = await start(true)
    const { later: listed } = await start(['times', 'order', 'fields'])
    expect(Object.entries(later.body)).toEqual(Object.entries({ ...listed.body, paymentUrl: later.body.paymentUrl }))
    expect(later.body).toMatchObject({ status: 'active', type: 'partner', addedField })
  })

  it('leaves metadata, the records and the journal of changes as they are', async () => {
    const { acme, ask } = await start(['fields', 'order', 'times', 'values'])
    const { body, text } = await ask('/users', { method: 'POST', body: { email: 'ada@example.com', metadata } })
    expect(text).toContain(JSON.stringify(metadata))
    const stored = await acme.users.get(body.id)
    expect(stored).not.toHaveProperty('addedField')
    const { items } = await acme.requests.list({ operation: 'createUser' })
    expect(items[0]).toMatchObject({ changes: [{ to: stored }], response: { body: { addedField } } })
  })

  it('adds the field to each object, also to those in lists and in the details of errors', async () => {
    const { ask } = await start(true)
    const { body: page } = await ask('/paymentLinks')
    expect(page).toMatchObject({ addedField, items: [{ addedField, partner: { addedField } }] })
    expect(Object.keys(page.items[0].partner)).toEqual(['addedField', 'redirectUrl'])
    const { body: error } = await ask('/users', { method: 'POST', body: { email: 1 } })
    expect(error).toMatchObject({ code: 'invalidBody', addedField, details: [{ path: 'email', addedField }] })
  })

  it.each([
    ['delay', { delay: { milliseconds: 0 } }, { status: 'completed', addedField }],
    ['stale', { stale: { changes: 1 } }, { status: 'active', addedField }],
    ['duplicate', { duplicate: true }, { status: 'completed', addedField }],
  ] as const)('combines with %s', async (_, effect, body) => {
    const { acme, ask } = await start(['fields'])
    await acme.faults.remove()
    await acme.paymentLinks.pay('pml_1')
    await acme.faults.add({ effect: { ...effect, evolve: ['fields'] } })
    expect((await ask('/paymentLinks/pml_1')).body).toMatchObject({ ...body, id: 'pml_1' })
  })

  it('combines with hold, and with connection', async () => {
    const { acme, ask } = await start(['fields'])
    await acme.faults.remove()
    const held = await acme.faults.add({ effect: { hold: true, evolve: true } })
    const response = ask('/paymentLinks/pml_1')
    await held.waitForHeld()
    await held.release()
    expect((await response).body).toMatchObject({ addedField })
    await acme.faults.add({ effect: { connection: 'reset', evolve: true } })
    await expect(ask('/paymentLinks/pml_1')).rejects.toThrow()
  })

  it('has no body in response to a HEAD', async () => {
    const { ask } = await start(true)
    expect(await ask('/paymentLinks/pml_1', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it('is marked with the id of the fault', async () => {
    const { fault, later, acme, ask } = await start(true)
    expect(later.headers.get('mock-fault')).toBe(fault.id)
    await acme.faults.remove()
    expect((await ask('/paymentLinks/pml_1')).headers.get('mock-fault')).toBeNull()
  })
})
