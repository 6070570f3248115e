// ky: the default of retry.methods is `get` `put` `head` `delete` `options` `trace`.
import ky from 'ky'

const retry = { limit: 3, delay: () => 1, ...(process.argv[2] === 'retried' && { methods: ['post'] }) }
const json = { invoice: 'inv_7', type: 'partner', partner: { user: {} } }
const headers = { authorization: 'Bearer any', accept: 'application/json' }
await ky.post(`${process.env.BASE_URL}/projects/acme/paymentLinks`, { json, headers, retry })
