// Creates the payment link of an invoice, unless the account is closed.
import { call, createLink } from './client.js'

const { metadata } = await call('GET', '/users/usr_ada')
if (!metadata.closed) await createLink('inv_7')
