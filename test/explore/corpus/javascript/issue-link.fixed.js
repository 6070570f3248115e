// Creates the payment link of an invoice, unless the account is closed, and cancels it if the account was closed meanwhile.
import { call, createLink } from './client.js'

const isClosed = async () => (await call('GET', '/users/usr_ada')).metadata.closed === true
if (!(await isClosed())) {
  const { id } = await createLink('inv_7')
  if (await isClosed()) {
    await call('POST', `/paymentLinks/${id}/cancel`).catch((error) => {
      if (error.status !== 409) throw error
    })
  }
}
