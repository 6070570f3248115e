// Closes an account: marks the user, and cancels the payment link of its invoice.
import { call, listLinks } from './client.js'

await call('PATCH', '/users/usr_ada', { metadata: { closed: true } })
for (const { id } of await listLinks('inv_7', 'active')) {
  await call('POST', `/paymentLinks/${id}/cancel`).catch((error) => {
    if (error.status !== 409) throw error
  })
}
