// Creates a payment link. All attempts have the same idempotency key.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLink } from './client.js'

const key = randomUUID()
const create = async (attempts) => {
  try {
    return await createLink('inv_7', key)
  } catch (error) {
    if (attempts === 1) throw error
    await sleep(20)
    return create(attempts - 1)
  }
}
const link = await create(3)
console.log(link.paymentUrl)
