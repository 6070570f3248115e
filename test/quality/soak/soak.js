// Proves: Memory.
// Does the memory of a long-running mock grow? node test/quality soak
// Takes SOAK_MINUTES (60). Fails when the memory that is resident at the
// end is more than 20 MB above that at a fifth of the way, or when a response is wrong.
import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import { connect } from '../../../dist/core/client/index.js'
import { load } from '../../bench/support/load.js'
import { startProcess } from '../../bench/support/process.js'

const minutes = Number(process.env.SOAK_MINUTES ?? 60)
const allowed = 20

const cli = new URL('../../../dist/cli/cli.js', import.meta.url).pathname
const mock = startProcess([cli, '--port', '0', '--log', 'silent'], { flags: ['--expose-gc'] })
const [, port] = await mock.line(/ready on http:\/\/127\.0\.0\.1:(\d+)/)

const control = connect(`http://127.0.0.1:${port}`)

let made = 0
const ask = (status, method, path, body) => ({ status, method, path, body: body && JSON.stringify(body) })
/** The requests to a project with a hundred users and links: valid, invalid and changing ones. */
const works = [
  (p, i) => ask(200, 'GET', `${p}/users/usr_${i % 100}`),
  (p, i) => ask(200, 'GET', `${p}/users?limit=${i % 50}&after=usr_${i % 100}`),
  (p) => ask(201, 'POST', `${p}/users`, { email: `new.${made++}@example.com`, metadata: { nth: `${made}` } }),
  (p, i) => ask(200, 'PATCH', `${p}/users/usr_${i % 100}`, { fullName: `Ada ${made++}` }),
  (p) => ask(200, 'POST', `${p}/users/search`, { email: 'ada.7@example.com' }),
  (p) => ask(201, 'POST', `${p}/paymentLinks`, { invoice: `inv_${made++}`, type: 'partner', partner: { user: {} } }),
  (p, i) => ask(200, 'GET', `${p}/paymentLinks/pml_${i % 100}`),
  (p) => ask(200, 'GET', `${p}/paymentLinks?status=active`),
  (p) => ask(404, 'GET', `${p}/users/usr_never${made++}`),
  (p) => ask(422, 'POST', `${p}/users`, { email: 7, [`field${made++}`]: 1 }),
  (p) => ask(400, 'GET', `${p}/users?limit=${made++}x`),
  (p) => ask(404, 'GET', `${p}/nowhere/${made++}`),
]
const check = (response, { status }) => (response.status === status ? undefined : `not ${status}`)

/** A client that sends this, may wait for the first bytes, and disconnects. */
const leave = async (text, waits) => {
  const socket = openSocket(Number(port), '127.0.0.1').on('error', () => {})
  socket.write(text)
  await once(socket, waits ? 'data' : 'connect')
  socket.resetAndDestroy()
}
const head = (line) => `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n`

const seed = {
  users: Array.from({ length: 100 }, (_, i) => ({ id: `usr_${i}`, email: `ada.${i}@example.com` })),
  paymentLinks: Array.from({ length: 100 }, (_, i) => ({ id: `pml_${i}`, invoice: `inv_${i}` })),
}
let sent = 0

const round = async (nth) => {
  const name = `p${nth % 4}`
  const p = `/projects/${name}`
  const project = control.project(name)
  await project.state.put(seed)
  await project.snapshots.save('before')
  await load(port, 3000, (i) => works[i % works.length](p, i), check)
  sent += 3000
  const fault = await project.faults.add({ times: null, effect: { delay: { milliseconds: 5 }, status: 503 } })
  await load(port, 64, () => ask(503, 'GET', `${p}/users`), check)
  await fault.remove()
  await Promise.all([
    leave(`${head('GET /__admin/events')}\r\n`, true),
    leave(`${head('GET /__admin/state')}\r\n`, true),
    leave(`${head(`POST ${p}/users`)}Content-Length: 900000\r\n\r\n{"email":"${'x'.repeat(100_000)}`, false),
    leave(`${head(`POST ${p}/users`)}Content-Length: 40000000\r\n\r\n${'x'.repeat(100_000)}`, true),
  ])
  await project.snapshots.restore('before')
  await project.snapshots.delete('before')
  // Rarely, because a journal that is always cleared would never be full.
  if (nth % 20 === 19) await project.reset()
}

// The minimum of several samples, because garbage is collected late.
const resident = async () => {
  let least = Infinity
  for (let i = 0; i < 5; i++) least = Math.min(least, (await mock.usage()).resident / 1e6)
  return least
}

const start = performance.now()
const progress = () => (performance.now() - start) / (minutes * 60_000)
let early
for (let nth = 0; progress() < 1; nth++) {
  await round(nth)
  if (early === undefined && progress() >= 0.2) early = { resident: await resident(), sent }
}
const late = { resident: await resident(), sent }
await mock.stop()
const say = (at) => `${at.resident.toFixed(1)} MB after ${at.sent.toLocaleString('en')} requests`
const more = late.resident - early.resident
process.stdout.write(`${say(early)}, ${say(late)}: ${more.toFixed(1)} MB more, ${allowed} are allowed.\n`)
process.exit(more > allowed ? 1 : 0)
