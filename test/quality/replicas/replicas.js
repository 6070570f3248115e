// Proves: Replicas.
// Four mocks behind nginx with the configuration of examples/replicas: node test/quality replicas [requests].
// Needs Linux and nginx.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'paylink-mock/client'
import { load } from '../../bench/support/load.js'
import { tellStory } from '../../integrations/story/story.js'
import { childrenOf, cpuOf } from '../../support/processes.js'

const requests = Number(process.argv[2] ?? 20_000)
const root = new URL('../../..', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'replicas-'))
const token = 'secret'
const children = []
process.on('exit', () => {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true })
})
const start = (command, args) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

// Without it, all replicas would have the project of the demo data.
const seed = join(folder, 'seed.json')
writeFileSync(seed, '{}')

const startReplica = async () => {
  const cli = join(root, 'dist/node/cli.js')
  const child = start(process.execPath, [cli, '--port', '0', '--seed', seed, '--admin-token', token, '--log', 'silent'])
  const [line] = await once(child.stdout, 'data')
  const url = / on (\S+)/.exec(line)[1]
  return { child, url, port: Number(new URL(url).port), control: connect(url, { adminToken: token }) }
}

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

const startRouter = async (replicas) => {
  const port = await freePort()
  const original = readFileSync(join(root, 'examples/replicas/nginx.conf'), 'utf8')
  const config = replicas.reduce(
    (text, replica, index) => text.replace(`server paylink-${index}:4600 `, `server 127.0.0.1:${replica.port} `),
    original.replace('listen 8080;', `listen 127.0.0.1:${port};`),
  )
  assert.doesNotMatch(config, /paylink-\d|8080/, 'The configuration has another number of replicas.')
  writeFileSync(join(folder, 'nginx.conf'), config)
  const settings = `daemon off; pid ${folder}/nginx.pid; error_log /dev/null;`
  const child = start('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', '/dev/null', '-g', settings])
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/healthz`).catch(() => undefined))?.ok) assert.equal(child.exitCode, null)
  return { child, url, port, control: connect(url, { adminToken: token }) }
}

const secret = { authorization: `Bearer ${token}` }
const client = { authorization: 'Bearer any', accept: 'application/json' }
const say = (text) => console.log(`replicas: ${text}`)

const replicas = await Promise.all(Array.from({ length: 4 }, startReplica))
const router = await startRouter(replicas)
const get = (path, headers = client) => fetch(`${router.url}${path}`, { headers })

const projects = Array.from({ length: 40 }, (_, index) => `project-${index}`)
await Promise.all(
  projects.map((project) =>
    tellStory({
      baseUrl: router.url,
      token: 'any',
      project,
      pay: ({ id }) => router.control.project(project).paymentLinks.pay(id),
    }),
  ),
)
say(`${projects.length} of ${projects.length} stories pass`)

/** The replicas that have a project. */
const homesOf = async (project) => {
  const lists = await Promise.all(replicas.map(({ control }) => control.projects()))
  return replicas.filter((_, index) => lists[index].some(({ id }) => id === project))
}
for (const project of projects) assert.equal((await homesOf(project)).length, 1, project)
say('each project is in exactly one replica')

for (const [project, ...segments] of [
  ['nova', 'nova', '%6Eova', 'no%76a'],
  ['a b', 'a%20b', '%61%20b'],
  ['a/b', 'a%2Fb', 'a%2fb'],
  ['ü', '%C3%BC'],
  ['a+b', 'a+b', 'a%2Bb'],
]) {
  const { id } = await router.control.project(project).paymentLinks.create({ invoice: 'inv_1' })
  for (const segment of segments)
    for (const path of [`/projects/${segment}/paymentLinks/${id}`, `/%70rojects/${segment}/paymentLinks/${id}`]) {
      assert.equal((await get(path)).status, 200, path)
      assert.equal((await get(`/__admin${path}`, secret)).status, 200, path)
      assert.equal((await get(`/pay/${segment}/${id}`)).status, 200, path)
    }
  assert.equal((await homesOf(project)).length, 1, project)
}
say('encoded and plain names meet')

const view = '/__admin/dashboard/payment-links?project='
assert.match(await (await get(`${view}nova`, secret)).text(), /inv_1/)
for (const query of ['', 'a%20b', 'a+b'])
  assert.equal((await (await get(`${view}${query}`, secret)).json()).code, 'routeNotFound')
for (const path of ['/__admin/?project=nova', '/__admin/dashboard/style.css', '/docs', '/openapi.json', '/healthz'])
  assert.equal((await get(path)).status, 200, path)
const sandbox = router.control.sandbox('checkout-1')
await sandbox.project('nova').users.create({ email: 'ada@example.com' })
assert.equal((await sandbox.projects())[0].id, 'nova')
assert.equal((await get('/@checkout-1/projects/nova/users')).status, 200)
await router.control.sandboxes.delete('checkout-1')
say('the dashboard shows one project, and a sandbox is in one replica')

// The document of the control API is generated from the table of commands.
const { paths } = await (await get('/__admin/openapi.json', secret)).json()
const served = new Set(['/__admin/health', '/__admin/sandboxes/{sandbox}'])
const forAll = Object.keys(paths).filter(
  (path) => path.startsWith('/__admin/') && !path.startsWith('/__admin/projects/') && !served.has(path),
)
const revisions = async () => {
  const lists = await Promise.all(replicas.map(({ control }) => control.projects()))
  return lists.flatMap((list) => list.map(({ id, revision }) => [id, revision]))
}
const before = await revisions()
for (const path of forAll)
  for (const method of Object.keys(paths[path]).map((name) => name.toUpperCase())) {
    const response = await fetch(`${router.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method, headers: secret })
    const { object, type, code, message, hint } = await response.json()
    assert.deepEqual([response.status, object, type, code], [404, 'error', 'notFound', 'routeNotFound'], path)
    assert.ok(message && hint)
  }
assert.ok(forAll.length > 10)
assert.deepEqual(await revisions(), before)
await assert.rejects(router.control.reset(), { code: 'routeNotFound' })
say(`all ${forAll.length} paths of commands without a project are rejected`)

const cpu = () => [
  childrenOf(router.child.pid, 'nginx').reduce((sum, pid) => sum + cpuOf(pid), 0),
  replicas.reduce((sum, { child }) => sum + cpuOf(child.pid), 0),
]
const send = (count) =>
  load(
    router.port,
    count,
    (index) => ({ method: 'GET', path: `/projects/${projects[index % projects.length]}/users?limit=10` }),
    ({ status }) => (status === 200 ? undefined : `${status}`),
  )
await send(requests / 4)
const [routerBefore, mockBefore] = cpu()
await send(requests)
const [routerAfter, mockAfter] = cpu()
const ratio = (routerAfter - routerBefore) / (mockAfter - mockBefore)
const microseconds = (milliseconds) => `${Math.round((1000 * milliseconds) / requests)} µs`
say(
  `a call takes ${microseconds(routerAfter - routerBefore)} of CPU in nginx and ` +
    `${microseconds(mockAfter - mockBefore)} in the mock: ${ratio.toFixed(2)}`,
)
assert.ok(ratio <= 0.35, 'The router costs more than 0.35 of the mock.')

const [home] = await homesOf('nova')
home.child.kill('SIGKILL')
await once(home.child, 'exit')
for (let call = 0; call < 20; call++) assert.equal((await get('/projects/nova/users')).status, 502)
assert.equal((await get('/__admin/projects/nova', secret)).status, 502)
const others = replicas.filter((replica) => replica !== home)
for (const { control } of others) assert.ok(!(await control.projects()).some(({ id }) => id === 'nova'))
for (const { id } of (await Promise.all(others.map(({ control }) => control.projects()))).flat())
  assert.equal((await get(`/projects/${encodeURIComponent(id)}/users`)).status, 200, id)
say('after a kill, 20 of 20 calls of its project are 502, and all other projects are there')
process.exit()
