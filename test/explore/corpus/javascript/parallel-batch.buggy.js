// Makes sure that each invoice has a payment link, all at the same time.
import { createLink, listLinks } from './client.js'

const ensureLink = async (invoice) => {
  const [found] = await listLinks(invoice, 'active,completed')
  return found ?? (await createLink(invoice))
}
const results = await Promise.allSettled(['inv_1', 'inv_2'].map(ensureLink))
const links = results.filter(({ status }) => status === 'fulfilled')
console.log(`${links.length} payment links`)
