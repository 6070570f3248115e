// A job that replaces the payment link of an invoice.
import { call, createLink, listLinks } from './client.js'

for (const { id } of await listLinks('inv_7', 'active')) {
  await call('POST', `/paymentLinks/${id}/cancel`).catch((error) => {
    if (error.status !== 409) throw error
  })
}
await createLink('inv_7')
