// Does a crowd cost more than one? Run after `npm run build`: node test/bench/crowd.js
// A thousand projects against one, and a journal that is full against one that is empty: in process, µs of CPU a call, in
// rounds that take turns.
import { createMock } from 'paylink-mock'
import { median, spread, table } from './support/numbers.js'

const rounds = Number(process.argv[2] ?? 15)
const calls = 1000
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

/** Calls that go round over so many projects, each of which has been called so often. */
const started = async (count, before) => {
  const mock = createMock()
  const names = Array.from({ length: count }, (_, index) => `p${index}`)
  const ids = {}
  for (const name of names) ids[name] = (await mock.project(name).users.create({ email: 'ada@example.com' })).id
  let at = 0
  const next = () => names[at++ % count]
  const ask = async (path, init) => {
    const response = await mock.fetch(path, { headers, ...init })
    if (!response.ok) throw new Error(`${path} answers ${response.status}`)
    return response.text()
  }
  const retrieve = (name = next()) => ask(`/projects/${name}/users/${ids[name]}`)
  const create = (name = next()) =>
    ask(`/projects/${name}/users`, { method: 'POST', body: JSON.stringify({ email: 'grace@example.com' }) })
  for (const name of names) for (let i = 0; i < before; i++) await retrieve(name)
  return { 'retrieve a user': retrieve, 'create a user': create, forget: () => mock.requests.forget() }
}

const timed = async (work) => {
  const start = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

const one = await started(1, 1100)
const many = await started(1000, 2)
const empty = await started(1, 0)
const pairs = {
  'a thousand projects': [() => {}, one, many],
  // Emptied before each round: a round fills it once.
  'a full journal': [() => empty.forget(), empty, one],
}

const lines = []
for (const [what, [prepare, ...sides]] of Object.entries(pairs))
  for (const name of ['retrieve a user', 'create a user']) {
    const times = sides.map(() => [])
    for (let round = -2; round < rounds; round++) {
      await prepare()
      for (const [index, side] of sides.entries()) {
        const time = await timed(side[name])
        if (round >= 0) times[index].push(time)
      }
    }
    const [less, more] = times
    lines.push([what, name, median(less).toFixed(1), median(more).toFixed(1), spread(more.map((t, i) => t / less[i]))])
  }
process.stdout.write(`${table(['crowd', 'call', 'without, µs', 'with, µs', 'ratio'], lines)}\n`)
