// A job that replaces the payment link of an invoice. If another job has done so too, the link with the first id stays.
import { call, createLink, listLinks } from './client.js'

const cancel = (id) =>
  call('POST', `/paymentLinks/${id}/cancel`).catch((error) => {
    if (error.status !== 409) throw error
  })
for (const { id } of await listLinks('inv_7', 'active')) await cancel(id)
await createLink('inv_7')

const [, ...others] = (await listLinks('inv_7', 'active')).map(({ id }) => id).toSorted()
for (const id of others) await cancel(id)
