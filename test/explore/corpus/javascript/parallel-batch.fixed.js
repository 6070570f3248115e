// Makes sure that each invoice has a payment link, all at the same time. Fails if one has none.
import { createLink, listLinks } from './client.js'

const ensureLink = async (invoice) => {
  const [found] = await listLinks(invoice, 'active,completed')
  return found ?? (await createLink(invoice))
}
const results = await Promise.allSettled(['inv_1', 'inv_2'].map(ensureLink))
const errors = results.filter(({ status }) => status === 'rejected')
console.log(`${results.length - errors.length} payment links`)
if (errors.length > 0) throw new AggregateError(errors.map(({ reason }) => reason))
