// The peers on npm, each with the same number of its own kinds of records and the same work.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newUser } from '../support/workloads.js'

const runsNewest = Number(process.versions.node.split('.')[0]) >= 24
/** The last versions that run on Node 20, and the newest emulate where it runs. */
const packages = [
  runsNewest ? 'emulate@0.12.2' : 'emulate@0.8.0',
  'json-server@0.17.4',
  '@mockoon/commons-server@9.9.0',
]

/** Installs the peers into a folder. Throws with npm's own words. */
export const installPeers = (folder) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...packages], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The peers cannot be installed.\n${stderr}`)
}

let count = 0
const random = (records) => Math.floor(Math.random() * records)
const get = (path) => ({ method: 'GET', path })
const written =
  (file, documentOf, args) =>
  ({ folder, port, records }) => {
    const path = join(folder, file)
    writeFileSync(path, JSON.stringify(documentOf(records, Number(port))))
    return args({ folder, port, path })
  }

const usersOf = (records) =>
  Array.from({ length: records }, (_, i) => ({
    object: 'user',
    id: `usr_${i}`,
    email: `ada.${i}@example.com`,
    fullName: 'Ada Lovelace',
  }))
const statuses = ['active', 'active', 'completed', 'canceled']
const linksOf = (records) =>
  Array.from({ length: records }, (_, i) => ({
    object: 'paymentLink',
    id: `pml_${i}`,
    invoice: `inv_${i}`,
    status: statuses[i % 4],
  }))

const ok = ({ status }) => status === 200 || status === 201
const isRecord = (response) =>
  ok(response) && typeof JSON.parse(response.body).id === 'string' ? undefined : 'no record'
const isList = (itemsOf, length) => (response) => {
  const items = ok(response) && itemsOf(JSON.parse(response.body))
  return items?.length === length ? undefined : `no list of ${length}`
}

/** The workloads of a server with routes of the common kind, where a query says how many, and which. */
const createRestWorkloads = (firstTen, equal) => (records) => {
  const itemsOf = (body) => body
  const send = (method, path, body) => ({ method, path, body: JSON.stringify(body) })
  return {
    'retrieve a user': { request: () => get(`/users/usr_${random(records)}`), check: isRecord },
    'list ten users': { request: () => get(`/users?${firstTen}`), check: isList(itemsOf, 10) },
    'list ten canceled links': {
      request: () => get(`/paymentLinks?${equal('status')}=canceled&${firstTen}`),
      check: isList(itemsOf, 10),
    },
    'search a user by email': {
      request: () => get(`/users?${equal('email')}=ada.7@example.com`),
      check: isList(itemsOf, 1),
    },
    'create a user': { request: () => send('POST', '/users', newUser()), check: isRecord },
    'create a payment link': {
      request: () => send('POST', '/paymentLinks', { invoice: `inv_${count++}`, status: 'active', type: 'partner' }),
      check: isRecord,
    },
    'pay a payment link': {
      request: () => send('PATCH', `/paymentLinks/pml_${count++ % records}`, { status: 'completed' }),
      check: isRecord,
    },
  }
}

const form = (path, fields) => ({
  method: 'POST',
  path,
  body: new URLSearchParams(fields).toString(),
  type: 'application/x-www-form-urlencoded',
})
// Emulate rejects a token after 5,000 requests.
let asked = 0
const withToken = (request) => ({ ...request, token: `bench-${Math.floor(asked++ / 4000)}` })

// It mocks another service: a customer is a user, a payment intent that waits to be confirmed is a link.
const createEmulateWorkloads = () => {
  const customers = []
  const intents = []
  const keepIn = (ids) => (response) => void ids.push(JSON.parse(response.body).id)
  const itemsOf = (body) => body.data
  const newCustomer = (email) => withToken(form('/v1/customers', { email, name: 'Ada Lovelace' }))
  const newIntent = (more) => withToken(form('/v1/payment_intents', { amount: '100', currency: 'eur', ...more }))
  const waiting = { payment_method: 'pm_card' }
  return {
    'seed a user': {
      request: () => newCustomer(`ada.${count++}@example.com`),
      check: isRecord,
      keep: keepIn(customers),
    },
    // A quarter has no method of payment, and so another state.
    'seed a payment link': { request: () => newIntent(count++ % 4 === 3 ? {} : waiting), check: isRecord },
    'retrieve a user': {
      request: () => withToken(get(`/v1/customers/${customers[random(customers.length)]}`)),
      check: isRecord,
    },
    'list ten users': { request: () => withToken(get('/v1/customers?limit=10')), check: isList(itemsOf, 10) },
    'list ten canceled links': {
      request: () => withToken(get('/v1/payment_intents?status=requires_payment_method&limit=10')),
      check: isList(itemsOf, 10),
    },
    'search a user by email': {
      request: () => withToken(get('/v1/customers?email=ada.7%40example.com')),
      check: isList(itemsOf, 1),
    },
    // Five fields, like those of our users.
    'create a user': {
      request: () => {
        const { email, fullName: name, birthday: description, metadata } = newUser()
        const fields = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value])
        return withToken(form('/v1/customers', [...Object.entries({ email, name, description }), ...fields]))
      },
      check: isRecord,
    },
    'create a payment link': { request: () => newIntent(waiting), check: isRecord, keep: keepIn(intents) },
    'pay a payment link': {
      request: () => withToken(form(`/v1/payment_intents/${intents.pop()}/confirm`, {})),
      check: isRecord,
      needs: 'create a payment link',
    },
  }
}

/** A document of Mockoon with two routes, each of which keeps records. */
const createEnvironment = (records, port) => {
  const uuids = Array.from({ length: 7 }, (_, i) => `00000000-0000-4000-8000-00000000000${i}`)
  const buckets = [
    { uuid: uuids[0], id: 'records1', name: 'users', documentation: '', value: JSON.stringify(usersOf(records)) },
    {
      uuid: uuids[1],
      id: 'records2',
      name: 'paymentLinks',
      documentation: '',
      value: JSON.stringify(linksOf(records)),
    },
  ]
  const toResponse = (uuid, databucketID) => ({
    uuid,
    statusCode: 200,
    bodyType: 'DATABUCKET',
    databucketID,
    disableTemplating: true,
    default: true,
    crudKey: 'id',
    rules: [],
    rulesOperator: 'OR',
    headers: [],
    callbacks: [],
    latency: 0,
    body: '',
    label: '',
    filePath: '',
    sendFileAsBody: false,
    fallbackTo404: false,
  })
  const routes = buckets.map(({ id, name }, i) => ({
    uuid: uuids[2 + i],
    type: 'crud',
    method: '',
    endpoint: name,
    documentation: '',
    responses: [toResponse(uuids[4 + i], id)],
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
  }))
  return {
    uuid: uuids[6],
    lastMigration: 33,
    name: 'bench',
    port,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes,
    rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    proxyReqHeaders: [],
    proxyResHeaders: [],
    tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
    cors: false,
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    data: buckets,
    callbacks: [],
  }
}

/** The arguments of each peer, with the files that it needs, its initial records, its readiness check, and its workloads. */
export const peers = {
  emulate: {
    // It starts with two records and without a seed, so the records are sent.
    args: ({ folder, port }) => [
      join(folder, 'node_modules/emulate/dist/index.js'),
      '--service',
      'stripe',
      '--port',
      port,
    ],
    seeds: ['seed a user', 'seed a payment link'],
    isUp: withToken(get('/v1/customers')),
    workloads: createEmulateWorkloads,
  },
  'json-server': {
    args: written(
      'db.json',
      (records) => ({ users: usersOf(records), paymentLinks: linksOf(records) }),
      ({ folder, port, path }) => [
        join(folder, 'node_modules/json-server/lib/cli/bin.js'),
        path,
        '--port',
        port,
        '--quiet',
      ],
    ),
    isUp: get('/users'),
    workloads: createRestWorkloads('_page=1&_limit=10', (name) => name),
  },
  Mockoon: {
    args: written('mockoon.json', createEnvironment, ({ folder, path }) => [
      new URL('mockoon.cjs', import.meta.url).pathname,
      folder,
      path,
    ]),
    isUp: get('/users'),
    workloads: createRestWorkloads('page=1&limit=10', (name) => `${name}_eq`),
  },
}
