// Makes sure that an invoice has a payment link: all attempts have the same idempotency key, so it needs no list.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLink } from './client.js'

const ensureLink = async (attempts) => {
  try {
    return await createLink('inv_7', 'payment-link-inv_7')
  } catch (error) {
    if (attempts === 1) throw error
    await sleep(20)
    return ensureLink(attempts - 1)
  }
}
const link = await ensureLink(3)
console.log(link.paymentUrl)
