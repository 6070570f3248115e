// The peers that npm can bring, each with so many rows of its own kind and the same work: it is theirs to say how.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The last versions that run on Node 20. */
const packages = ['emulate@0.8.0', 'json-server@0.17.4', '@mockoon/commons-server@9.9.0']

/** Installs the peers into a folder. Throws with npm's own words. */
export const installPeers = (folder) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...packages], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The peers cannot be installed.\n${stderr}`)
}

const userOf = (i) => ({ object: 'user', id: `usr_${i}`, email: `ada.${i}@example.com`, fullName: 'Ada Lovelace' })
const usersOf = (rows) => Array.from({ length: rows }, (_, i) => userOf(i))
const created = (path, body) => ({ method: 'POST', path, body })
// Emulate refuses a token after 5,000 requests.
const tokenOf = (i) => `bench-${Math.floor(i / 4000)}`
const get = (path) => ({ method: 'GET', path })

/** Each writes what it is started with, and says how it is started and asked. `made` are the ids of rows that it made. */
export const peers = {
  emulate: {
    // It has no rows at its start but two: they are made over HTTP.
    start: ({ folder, port }) => [
      join(folder, 'node_modules/emulate/dist/index.js'),
      '--service',
      'stripe',
      '--port',
      port,
    ],
    seed: (i) => ({
      ...created('/v1/customers', `email=ada.${i}%40example.com&name=Ada`),
      type: 'application/x-www-form-urlencoded',
      token: tokenOf(i),
    }),
    works: ({ made, next }) => ({
      retrieve: () => ({ ...get(`/v1/customers/${made[next() % made.length]}`), token: tokenOf(next()) }),
      'list of ten': () => ({ ...get('/v1/customers?limit=10'), token: tokenOf(next()) }),
      create: () => peers.emulate.seed(next()),
    }),
    countOf: (answer) => JSON.parse(answer.body).data.length,
  },
  'json-server': {
    start: ({ folder, port, rows }) => {
      const file = join(folder, 'db.json')
      writeFileSync(file, JSON.stringify({ users: usersOf(rows) }))
      return [join(folder, 'node_modules/json-server/lib/cli/bin.js'), file, '--port', port, '--quiet']
    },
    works: restWorks('?_page=1&_limit=10'),
    countOf: (answer) => JSON.parse(answer.body).length,
  },
  Mockoon: {
    start: ({ folder, port, rows }) => {
      const file = join(folder, 'mockoon.json')
      writeFileSync(file, JSON.stringify(environmentOf(usersOf(rows), Number(port))))
      return [new URL('mockoon.cjs', import.meta.url).pathname, folder, file]
    },
    works: restWorks('?page=1&limit=10'),
    countOf: (answer) => JSON.parse(answer.body).length,
  },
}

function restWorks(query) {
  return ({ next, rows }) => ({
    retrieve: () => get(`/users/usr_${next() % rows}`),
    'list of ten': () => get(`/users${query}`),
    create: () => created('/users', JSON.stringify({ email: `new.${next()}@example.com`, fullName: 'Ada Lovelace' })),
  })
}

/** A document of Mockoon with one route, which keeps rows. */
const environmentOf = (users, port) => {
  const answer = {
    uuid: '00000000-0000-4000-8000-000000000001',
    statusCode: 200,
    bodyType: 'DATABUCKET',
    databucketID: 'rows',
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
  }
  const uuid = '00000000-0000-4000-8000-000000000002'
  const route = { uuid, type: 'crud', method: '', endpoint: 'users', documentation: '', responses: [answer] }
  return {
    uuid: '00000000-0000-4000-8000-000000000003',
    lastMigration: 33,
    name: 'bench',
    port,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes: [{ ...route, responseMode: null, streamingMode: null, streamingInterval: 0 }],
    rootChildren: [{ type: 'route', uuid }],
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    proxyReqHeaders: [],
    proxyResHeaders: [],
    tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
    cors: false,
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    data: [{ uuid, id: 'rows', name: 'users', documentation: '', value: JSON.stringify(users) }],
    callbacks: [],
  }
}
