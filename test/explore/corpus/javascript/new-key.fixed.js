// Creates a payment link. All attempts have the idempotency key of the invoice, also those of another start.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLink } from './client.js'

const create = async (invoice, attempts) => {
  try {
    return await createLink(invoice, `payment-link-${invoice}`)
  } catch (error) {
    if (attempts === 1) throw error
    await sleep(20)
    return create(invoice, attempts - 1)
  }
}
const link = await create('inv_7', 3)
console.log(link.paymentUrl)
