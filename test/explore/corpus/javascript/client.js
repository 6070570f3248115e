// Calls the API. Throws an Error with the status for an error, a TypeError for a broken connection, a SyntaxError for broken JSON.
const project = `${process.env.BASE_URL}/projects/acme`

export const send = (method, path, body, key) =>
  fetch(`${project}${path}`, {
    method,
    headers: {
      authorization: 'Bearer any',
      accept: 'application/json',
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })

export const call = async (...request) => {
  const response = await send(...request)
  if (!response.ok)
    throw Object.assign(new Error(`the API responds with ${response.status}`), { status: response.status })
  return response.json()
}

export const createLink = (invoice, key) =>
  call('POST', '/paymentLinks', { invoice, type: 'partner', partner: { user: {} } }, key)

export const listLinks = async (invoice, status) =>
  (await call('GET', `/paymentLinks?invoice=${invoice}&status=${status}`)).items

/** Does it with up to three attempts, as an SDK does each call. */
export const threeTimes = async (work) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}
