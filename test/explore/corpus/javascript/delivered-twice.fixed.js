// Makes sure that an invoice has one payment link. If a proxy has delivered the request twice, one of the links is canceled.
import { call, createLink, listLinks } from './client.js'

const before = await listLinks('inv_7', 'active,completed')
if (before.length === 0) await createLink('inv_7')

const links = await listLinks('inv_7', 'active,completed')
const [link] = links.toSorted((a, b) => b.status.localeCompare(a.status) || a.id.localeCompare(b.id))
if (link === undefined) throw new Error('the link is not listed yet')
for (const { id } of links) if (id !== link.id) await call('POST', `/paymentLinks/${id}/cancel`)
console.log(link.paymentUrl)
