// How much memory does a mock retain? Run with --expose-gc, after `npm run build`: prints JSON, in MB.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createMock } from '../../../dist/node/index.js'

const authorization = 'Bearer any'
const json = { 'content-type': 'application/json', accept: 'application/json', authorization }

const held = async () => {
  // Node frees closed handles some turns of the event loop later.
  for (let turn = 0; turn < 4; turn++) {
    await setImmediate()
    globalThis.gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}
/** The growth of the retained memory after each step, compared with the start. */
const growth = async (...steps) => {
  const before = await held()
  const after = []
  for (const step of steps) {
    await step()
    after.push((await held()) - before)
  }
  return after
}
let distinct = 0
/** Distinct flat strings: padded strings would share memory. */
const text = (size) => Buffer.from(`${distinct++}`.padEnd(size, 'x')).toString('latin1')
const search = (mock, size, project = 'acme') =>
  mock.fetch(`/projects/${project}/users/search`, { method: 'POST', headers: json, body: `{"email":"${text(size)}"}` })
const times = async (count, act) => {
  for (let i = 0; i < count; i++) await act(i)
}
const users = (count, size) => Array.from({ length: count }, () => ({ email: 'a@b.c', fullName: text(size) }))
const said = {}

{
  const mock = createMock({ journalSize: 50 })
  await times(2100, () => search(mock, 1000))
  const [more] = await growth(() => times(2100, () => search(mock, 1000)))
  const { items, dropped } = await mock.requests.list()
  const events = mock.events({ after: 0 })[Symbol.asyncIterator]()
  const { value: first } = await events.next()
  await events.return()
  said.flood = { more, entries: items.length, dropped, first }
}
{
  const mock = createMock()
  await times(70, () => search(mock, 1_000_000))
  const { items, dropped } = await mock.requests.list()
  said.large = { entries: items.length + dropped, dropped }
}
{
  const mock = createMock()
  const project = mock.project('acme')
  const save = async (i) => {
    await project.state.put({ users: users(20, 100_000) })
    await project.snapshots.save(`s${i}`)
  }
  const [kept, freed] = await growth(
    () => times(5, save),
    async () => {
      await times(5, (i) => project.snapshots.delete(`s${i}`))
      await project.state.put({})
    },
  )
  said.snapshots = { kept, freed }
  const [loaded, replaced, again, reset] = await growth(
    () => mock.state.put({ projects: { acme: { users: users(100, 100_000) } } }),
    () => mock.state.put({ projects: {} }),
    () => mock.state.put({ projects: { acme: { users: users(100, 100_000) } } }),
    () => mock.reset(),
  )
  said.state = { loaded, replaced, again, reset }
}
{
  const mock = createMock({ seed: { projects: { large: { users: users(16, 1_000_000) } } }, journalSize: 10 })
  const { port, url } = await mock.listen()
  const head = (line, ...headers) =>
    [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, ...headers, '', ''].join('\r\n')
  const open = () => connect(port, '127.0.0.1').on('error', () => {})
  const chunk = `${(1 << 20).toString(16)}\r\n${'x'.repeat(1 << 20)}\r\n`
  const upload = async () => {
    const socket = open()
    socket.write(head('POST /projects/acme/users', 'Transfer-Encoding: chunked'))
    for (let i = 0; i < 40; i++) socket.write(chunk)
    await once(socket, 'data')
    await once(socket.destroy(), 'close')
  }
  const leave = async (sent, waits) => {
    const socket = open()
    socket.write(sent)
    await once(socket, waits ? 'data' : 'connect')
    await once(socket.resetAndDestroy(), 'close')
  }
  const body = `{"email":"${'x'.repeat(50_000)}`
  await mock.project('hang').faults.add({ times: null, effect: { connection: 'hang' } })
  await mock.project('slow').faults.add({ times: null, effect: { delay: { milliseconds: 60_000 } } })
  const waitForResponses = async () => {
    const response = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
    said.status = response.status
    await response.text()
  }
  const abandon = async () => {
    const all = []
    for (let i = 0; i < 20; i++)
      all.push(
        leave(head('POST /projects/acme/users', 'Content-Length: 900000') + body, false),
        leave(
          head('POST /projects/acme/users', 'Transfer-Encoding: chunked') + `c350\r\n${body.slice(0, 50_000)}`,
          false,
        ),
        leave(head('GET /projects/hang/users'), false),
        leave(head('GET /projects/slow/users'), false),
        leave(head('GET /__admin/events'), true),
      )
    for (let i = 0; i < 4; i++) all.push(leave(head('GET /__admin/state'), true))
    await Promise.all(all)
    await waitForResponses()
  }
  await upload()
  await abandon()
  const [uploads] = await growth(async () => {
    await Promise.all([upload(), upload()])
    await waitForResponses()
  })
  const [abandoned] = await growth(abandon)
  // Hanging requests are in the journal as soon as their clients disconnect.
  const connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  said.http = { uploads, abandoned, connections }
  const start = performance.now()
  await mock.close()
  said.http.close = performance.now() - start
}
{
  const reject = (fetch, origin, headers) => async (i) => {
    const response = await fetch(`${origin(i)}/projects/unknown-${distinct++}/users/usr_x`, { headers })
    await response.text()
  }
  const root = createMock()
  const sandboxes = createMock()
  const { url } = await root.listen()
  const at = (base) => () => base
  const inSandbox = (base) => (i) => `${base}/@sandbox-${distinct}-${i}`
  const cases = [
    [root.fetch, at('http://mock'), {}],
    [root.fetch, at('http://mock'), { authorization, accept: 'application/json' }],
    [fetch, at(url), { authorization }],
    [sandboxes.fetch, inSandbox('http://mock'), {}],
    [sandboxes.fetch, inSandbox('http://mock'), { authorization }],
  ]
  said.rejected = []
  for (const [fetch, origin, headers] of cases) {
    // The newest are kept, up to the limit.
    await times(1200, reject(fetch, origin, headers))
    const [more] = await growth(() => times(5000, reject(fetch, origin, headers)))
    said.rejected.push(more)
  }
  await root.close()
}
{
  said.keys = {}
  for (const idempotencyKey of ['ignore', 'replay']) {
    const mock = createMock({ journalSize: 0, behaviors: { idempotencyKey } })
    const create = async (i) => {
      const headers = { ...json, 'idempotency-key': `key-${i}` }
      // An unknown field is ignored, so that only the key could keep it.
      const body = JSON.stringify({ email: 'a@b.c', unknown: text(1_000_000) })
      await mock.fetch('/projects/acme/users', { method: 'POST', headers, body })
    }
    // Smaller requests push the large ones out of the buffer of events.
    const refresh = () => times(3500, () => search(mock, 10))
    await refresh()
    const [kept] = await growth(() => times(40, create).then(refresh))
    said.keys[idempotencyKey] = kept
  }
}
console.log(JSON.stringify(said))
