// got: the default of retry.methods is `GET` `PUT` `HEAD` `DELETE` `OPTIONS` `TRACE`.
import got from 'got'

const retry = { limit: 3, backoffLimit: 1, ...(process.argv[2] === 'retried' && { methods: ['POST'] }) }
const json = { invoice: 'inv_7', type: 'partner', partner: { user: {} } }
const headers = { authorization: 'Bearer any', accept: 'application/json' }
await got.post(`${process.env.BASE_URL}/projects/acme/paymentLinks`, { json, headers, retry })
