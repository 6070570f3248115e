// Shows every open behavior of a service to `paylink-mock compare`. It WRITES to the service: use a test project.
//
// It creates users and payment links with emails at probe.example, then deletes the users and cancels the links. The
// canceled links remain. PROJECT, TOKEN and INVOICE name a project, a token that is valid for this project only, and one of
// its invoices. OTHER_PROJECT is a project of another token, OTHER_TOKEN.
import { randomUUID } from 'node:crypto'

const { BASE_URL, TOKEN = 'probe', PROJECT = 'probe', OTHER_PROJECT = 'probe-other', OTHER_TOKEN } = process.env
const { INVOICE = 'inv_probe' } = process.env
const users = `/projects/${PROJECT}/users`
const links = `/projects/${PROJECT}/paymentLinks`
const unique = randomUUID().slice(0, 8)
const created = new Set()

/** Returns the response as JSON, whatever its status. */
const call = async (method, path, body, headers = {}) => {
  const response = await fetch(BASE_URL + path, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json().catch(() => ({}))
}

const create = async (path, body, headers) => {
  const record = await call('POST', path, body, headers)
  if (['user', 'paymentLink'].includes(record.object)) created.add(`${path}/${record.id}`)
  return record
}

const email = (name) => `${name}.${unique}@probe.example`
const link = (invoice, user) => ({ invoice, type: 'partner', partner: { user } })

const probeUsers = async () => {
  const ada = await create(users, { email: email('Ada'), metadata: { a: '1' } })
  await create(users, { email: email('Ada') })
  const bea = await create(users, { email: email('bea') })
  await create(users, { email: email('max'), metadata: { number: 1 } })
  await call('GET', `${users}?limit=5`)
  for (const searched of [email('Ada'), email('ADA'), email('Ada').slice(1), null])
    await call('POST', `${users}/search`, { email: searched })
  await call('PATCH', `${users}/${ada.id}`, { metadata: { b: '2' } })
  await call('PATCH', `${users}/${ada.id}`, { email: email('ada2') })
  await create(users, {})
  await create(users, { email: email('eve'), nickname: 'Eve' })
  await call('GET', `${users}/${ada.id}`, undefined, { accept: 'text/html' })
  await call('DELETE', `${users}/${bea.id}`)
  await call('GET', `${users}?limit=1&after=${bea.id}`)
}

const probeLinks = async () => {
  const payer = { fullName: 'Ada', email: email('ada'), taxNumber: '1' }
  const first = await create(links, link(INVOICE, payer))
  await create(links, link(INVOICE, { email: email('ada') }))
  await create(links, link(`inv_${unique}`, payer))
  await create(links, link(`probe-${unique}`, payer))
  for (let sent = 0; sent < 2; sent++) await create(links, link(INVOICE, payer), { 'idempotency-key': unique })
  await call('GET', `${links}?limit=5`)
  for (let sent = 0; sent < 2; sent++) await call('POST', `${links}/${first.id}/cancel`)
}

const probeProjects = async () => {
  const list = `/projects/${OTHER_PROJECT}/users`
  if (OTHER_TOKEN) await call('GET', list, undefined, { authorization: `Bearer ${OTHER_TOKEN}` })
  await call('GET', list)
  await call('GET', `/projects/probe-${unique}/users`)
}

try {
  await probeUsers()
  await probeLinks()
  await probeProjects()
} finally {
  for (const path of created) await (path.startsWith(users) ? call('DELETE', path) : call('POST', `${path}/cancel`))
  const left = [...created].filter((path) => path.startsWith(links))
  console.log(`Left in ${PROJECT}: ${left.length} canceled payment links: ${left.join(' ')}`)
}
