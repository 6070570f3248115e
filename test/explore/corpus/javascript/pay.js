// What a shop does for an order: it creates a payment link, and keeps its address in a file. MISTAKE names its mistake.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createLink, listLinks } from './client.js'

const processKey = randomUUID()

const ways = {
  none: (order) => createLink(order, `pay-${order}`),
  // Each attempt has a key of its own.
  lost: async (order, attempt = 1) => {
    try {
      return await createLink(order, `pay-${order}-${attempt}`)
    } catch (error) {
      if (attempt === 3) throw error
      return ways.lost(order, attempt + 1)
    }
  },
  // After a restart, the key is another one.
  crash: (order) => createLink(order, `${processKey}-${order}`),
  // Another click comes between the two calls.
  click: async (order) => (await listLinks(order, 'active,completed'))[0] ?? createLink(order),
}
const createLinkFor = ways[process.env.MISTAKE]

/** Returns the address of the payment page. */
export const pay = async (order) => {
  const file = `orders.${order}`
  if (!existsSync(file)) writeFileSync(file, (await createLinkFor(order)).paymentUrl)
  return readFileSync(file, 'utf8')
}
