// undici: the default of methods of a RetryAgent is ['GET', 'PUT', 'HEAD', 'OPTIONS', 'DELETE'].
import { Agent, RetryAgent, request } from 'undici'

const methods = process.argv[2] === 'retried' ? { methods: ['POST'] } : {}
const dispatcher = new RetryAgent(new Agent(), { maxRetries: 3, minTimeout: 1, ...methods })
const body = JSON.stringify({ invoice: 'inv_7', type: 'partner', partner: { user: {} } })
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
const url = `${process.env.BASE_URL}/projects/acme/paymentLinks`
const { statusCode } = await request(url, { method: 'POST', headers, body, dispatcher })
if (statusCode !== 201) process.exit(1)
