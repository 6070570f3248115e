// What does a request cost beside a plain Hono app? node test/bench http [--records 1000,100000] [--other FOLDER]
// All servers run at once and take turns, so that a machine whose speed drifts treats them alike. Each response is checked.
// `hono` has the same packages and a validator on each route, and `other` is the build in another checkout, such as that of an
// older commit. Fails above twice a bound of docs/performance.md, so that CI finds work that is done twice.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { load } from './support/load.js'
import { formatSpread, formatTable, median } from './support/numbers.js'
import { startServer } from './support/servers.js'

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '1000,100000' },
    rounds: { type: 'string', default: '9' },
    work: { type: 'string', default: '' },
    other: { type: 'string' },
  },
})
const bounds = { 'retrieve a user': 1.5, 'list ten users': 1.6, 'create a user': 2, 'create a payment link': 2 }

/** The cost of requests of one kind: µs of CPU of the server, requests per second, and latency in ms. */
const measure = async ({ port, process, workloads }, work, total) => {
  const { request, check } = workloads[work]
  const { cpu } = await process.usage()
  const start = performance.now()
  const times = await load(port, total, request, check)
  const seconds = (performance.now() - start) / 1000
  const after = await process.usage()
  return {
    cpu: (after.cpu - cpu) / total,
    throughput: total / seconds,
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)],
  }
}

/** Runs the servers in turns, each round in reverse order. Returns their runs by name. */
const takeTurns = async (servers, rounds, run) => {
  const runs = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const server of round % 2 ? servers : servers.toReversed()) runs[server.name].push(await run(server))
  return runs
}

const head = ['work', 'server', 'CPU, µs', 'requests/s', 'p50, ms', 'p99, ms']

/** The cells of a row of the table under that head. */
const formatCells = (work, records, name, runs) => [
  `${work}, ${records.toLocaleString('en')} records`,
  name,
  median(runs.map((run) => run.cpu)).toFixed(0),
  median(runs.map((run) => run.throughput)).toFixed(0),
  median(runs.map((run) => run.p50)).toFixed(1),
  median(runs.map((run) => run.p99)).toFixed(1),
]

const rounds = Number(options.rounds)
const requests = 1500

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-bench-'))
const lines = []
const slow = []
for (const records of options.records.split(',').map(Number)) {
  const running = []
  const names = ['hono', 'ours', ...(options.other ? ['other'] : [])]
  for (const name of names) running.push(await startServer(name, records, folder, options.other))
  for (const work of Object.keys(running[0].workloads).filter((work) => work.includes(options.work))) {
    const run = (server) => measure(server, work, requests)
    await takeTurns(running, 2, run)
    const runs = await takeTurns(running, rounds, run)
    for (const [name, all] of Object.entries(runs)) {
      const overHono = all.map(({ cpu }, round) => cpu / runs.hono[round].cpu)
      lines.push([...formatCells(work, records, name, all), formatSpread(overHono)])
      if (name === 'ours' && median(overHono) > 2 * bounds[work]) slow.push(`${work}: ${median(overHono).toFixed(2)}`)
    }
  }
  for (const { process } of running) await process.stop()
}
rmSync(folder, { recursive: true })

process.stdout.write(`${formatTable([...head, 'CPU over Hono'], lines)}\n`)
if (slow.length > 0) throw new Error(`Above twice the bound: ${slow.join(', ')}`)
