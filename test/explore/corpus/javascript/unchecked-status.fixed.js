// Makes sure that an invoice has a payment link. An error is no link.
import { listLinks, send } from './client.js'

const create = async (invoice) => {
  const response = await send('POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: {} } })
  if (response.status !== 200 && response.status !== 201) throw new Error(`no link: ${response.status}`)
  return response.json()
}

const [found] = await listLinks('inv_7', 'active,completed')
const link = found ?? (await create('inv_7'))
console.log(`Pay at ${link.paymentUrl}`)
