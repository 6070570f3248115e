import { deepEqual } from 'node:assert/strict'

/** What each generated client does: with its own functions, and with the types that it has for bodies and responses. */
export interface Client {
  createUser(email: string): Promise<{ readonly id: string }>
  createPaymentLink(invoice: string, email: string): Promise<{ readonly id: string }>
  /** Pays now, without a body. */
  pay(id: string): Promise<{ readonly status: 'active' | 'canceled' | 'completed' }>
  payIn(id: string, milliseconds: number): Promise<{ readonly outcome: 'succeeded' | 'failed' }>
  verify(operation: 'createUser' | 'createPaymentLink', exactly: number): Promise<{ readonly ok: true }>
  retrieve(id: string): Promise<{ readonly status: string; readonly completedAt: string | null }>
}

export const url = process.env.MOCK_URL!
export const project = 'acme'
export const headers = { authorization: 'Bearer any', accept: 'application/json' }

/** A status that a later release of the service sends, instead of those that the document lists. */
const addedStatus = process.env.ADDED_STATUS

export const unexpected = (response: unknown) => new Error(`An unexpected response: ${JSON.stringify(response)}`)

/** Creates, pays and verifies. */
export const runSteps = async (name: string, client: Client): Promise<void> => {
  await client.createUser('ada@example.com')
  const first = await client.createPaymentLink('inv_1', 'ada@example.com')
  const second = await client.createPaymentLink('inv_2', 'ada@example.com')
  deepEqual((await client.pay(first.id)).status, 'completed')
  deepEqual((await client.payIn(second.id, 60_000)).outcome, 'succeeded')
  deepEqual((await client.verify('createUser', 1)).ok, true)
  deepEqual((await client.verify('createPaymentLink', 2)).ok, true)
  const { status, completedAt } = await client.retrieve(first.id)
  deepEqual([status, typeof completedAt], [addedStatus ?? 'completed', 'string'])
  deepEqual((await client.retrieve(second.id)).status, addedStatus ?? 'active')
  console.log(`generators: ${name} creates, pays and verifies`)
}
