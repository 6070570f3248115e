// The requests that each server receives, and checks of their responses.
const p = '/projects/acme'

const ask = (method, path, body) => ({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) })
const expectStatus =
  (status, ...parts) =>
  (response) =>
    response.status === status && parts.every((part) => response.body.includes(part))
      ? undefined
      : `not ${status} ${parts.join(' ')}`

let made = 0

/** Creates the body of a create: five fields, with a unique email. */
export const newUser = () => {
  const n = made++
  return {
    email: `grace.hopper.${n}@example.com`,
    fullName: 'Grace Hopper',
    birthday: '1906-12-09',
    preferredLocale: 'en-GB',
    metadata: { customer: `c-${n}`, plan: 'pro' },
  }
}

/** Creates the workloads, by name. `ids` are ids of users. */
export const createWorkloads = (ids) => ({
  'retrieve a user': {
    request: () => ask('GET', `${p}/users/${ids[Math.floor(Math.random() * ids.length)]}`),
    check: (response, { path }) => expectStatus(200, path.slice(path.lastIndexOf('/') + 1))(response),
  },
  'list ten users': {
    request: () => ask('GET', `${p}/users?limit=10`),
    check: (response) =>
      response.body.split('"object":').length === 12 ? expectStatus(200)(response) : 'no list of 10',
  },
  'create a user': {
    request: () => ask('POST', `${p}/users`, newUser()),
    check: (response, { body }) => expectStatus(201, JSON.parse(body).email)(response),
  },
  'create a payment link': {
    request: () =>
      ask('POST', `${p}/paymentLinks`, { invoice: `inv_${made++}`, type: 'partner', partner: { user: {} } }),
    check: expectStatus(201, '"status":"active"'),
  },
})
