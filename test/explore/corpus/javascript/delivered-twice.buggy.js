// Makes sure that an invoice has a payment link. It sends the request once, but a proxy may deliver it twice.
import { createLink, listLinks } from './client.js'

const [found] = await listLinks('inv_7', 'active,completed')
const link = found ?? (await createLink('inv_7'))
console.log(link.paymentUrl)
