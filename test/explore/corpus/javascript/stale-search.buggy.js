// Makes sure that an invoice has a payment link: each attempt looks for it first. An old list after a lost response breaks it.
import { setTimeout as sleep } from 'node:timers/promises'
import { createLink, listLinks } from './client.js'

const ensureLink = async (attempts) => {
  try {
    const [found] = await listLinks('inv_7', 'active,completed')
    return found ?? (await createLink('inv_7'))
  } catch (error) {
    if (attempts === 1) throw error
    await sleep(20)
    return ensureLink(attempts - 1)
  }
}
const link = await ensureLink(3)
console.log(link.paymentUrl)
