// Makes sure that an invoice has a payment link.
import { listLinks, send } from './client.js'

const create = async (invoice) => {
  const response = await send('POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: {} } })
  return response.json()
}

const [found] = await listLinks('inv_7', 'active,completed')
const link = found ?? (await create('inv_7'))
console.log(`Pay at ${link.paymentUrl}`)
