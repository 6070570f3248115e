// axios-retry: "By default, it retries if it is a network error or a 5xx error on an idempotent request". A network error is
// retried for POST as well.
import axios from 'axios'
import axiosRetry, { isIdempotentRequestError } from 'axios-retry'

const isRetried = process.argv[2] === 'retried'
axiosRetry(axios, { retries: 3, ...(!isRetried && { retryCondition: isIdempotentRequestError }) })
const body = { invoice: 'inv_7', type: 'partner', partner: { user: {} } }
const headers = { authorization: 'Bearer any', accept: 'application/json' }
await axios.post(`${process.env.BASE_URL}/projects/acme/paymentLinks`, body, { headers })
