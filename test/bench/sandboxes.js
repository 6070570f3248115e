// The cost of sandboxes: node test/bench sandboxes
// µs of CPU, medians of rounds that take turns, and KB of heap. Targets: a new sandbox costs under 100 µs and holds under
// 20 KB before its first write, and a request to one of 1,000 costs at most 1.2 times a request to the only one.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMock } from 'paylink-mock'
import { median, formatSpread, formatTable } from './support/numbers.js'
import { newUser } from './support/workloads.js'

const rounds = Number(process.argv[2] ?? 15)
const count = 1000
const headers = { authorization: 'Bearer bench', accept: 'application/json', 'content-type': 'application/json' }
const seed = { projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }] } } }

const measureTime = async (work, calls) => {
  const start = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work(i)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

const ask = async (mock, sandbox, path, init, status) => {
  const response = await mock.fetch(`http://mock/@${sandbox}/projects/acme/users${path}`, { headers, ...init })
  const text = await response.text()
  if (response.status !== status) throw new Error(`A wrong response: ${text}`)
}
const retrieve = (mock, sandbox) => ask(mock, sandbox, '/usr_1', {}, 200)
const create = (mock, sandbox) => ask(mock, sandbox, '', { method: 'POST', body: JSON.stringify(newUser()) }, 201)

/** A mock with this many sandboxes, each of which was used once. */
const withSandboxes = async (size, maxSandboxes = size) => {
  const mock = createMock({ seed, maxSandboxes })
  for (let i = 0; i < size; i++) await retrieve(mock, `s-${i}`)
  return mock
}

const creations = { known: [], created: [], difference: [] }
for (let round = -5; round < rounds; round++) {
  const mock = await withSandboxes(1, count + 1)
  const created = await measureTime((i) => retrieve(mock, `new-${i}`), count)
  const known = await measureTime(() => retrieve(mock, 's-0'), count)
  if (round < 0) continue
  creations.known.push(known)
  creations.created.push(created)
  creations.difference.push(created - known)
}
const creationRows = [
  ['a request to a known sandbox, µs', formatSpread(creations.known, 1), ''],
  ['the first request to a sandbox, µs', formatSpread(creations.created, 1), ''],
  ['creating a sandbox, µs', formatSpread(creations.difference, 1), '100'],
]
process.stdout.write(`${formatTable(['cost', 'median (10 % to 90 %)', 'target'], creationRows)}\n\n`)

const one = await withSandboxes(1)
const many = await withSandboxes(count)
const workloads = { 'retrieve a user': retrieve, 'create a user': create }
const requestRows = []
for (const [name, work] of Object.entries(workloads)) {
  const times = { one: [], many: [] }
  for (let round = -3; round < rounds; round++) {
    const alone = await measureTime(() => work(one, 's-0'), count)
    const among = await measureTime((i) => work(many, `s-${i}`), count)
    if (round < 0) continue
    times.one.push(alone)
    times.many.push(among)
  }
  const ratios = times.many.map((time, round) => time / times.one[round])
  requestRows.push([name, median(times.one).toFixed(1), median(times.many).toFixed(1), formatSpread(ratios), '1.20'])
}
process.stdout.write(
  `${formatTable(['request', 'one sandbox, µs', '1,000 sandboxes, µs', 'ratio', 'target'], requestRows)}\n`,
)

// Last, because a forced collection drops compiled code.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
const heapUsed = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}
const before = heapUsed()
const unwritten = await withSandboxes(count)
const held = (heapUsed() - before) / count / 1024
// Still in use here, so that it was not collected.
await unwritten.close()
process.stdout.write(
  `\n${formatTable(['memory', 'KB', 'target'], [['a sandbox before its first write', held.toFixed(1), '20']])}\n`,
)
