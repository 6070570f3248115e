// How far are we from a server that is written by hand? Run after `npm run build`: node test/bench/http.js [--rows 1000,100000]
// All servers run at once and take turns, so that a machine whose speed drifts treats them alike. Every answer is checked.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { load } from './support/load.js'
import { median, spread, table } from './support/numbers.js'
import { startProcess } from './support/process.js'
import { worksOn } from './support/works.js'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000,100000' },
    rounds: { type: 'string', default: '9' },
    requests: { type: 'string', default: '1500' },
    work: { type: 'string', default: '' },
    embedded: { type: 'boolean', default: true },
    // Fails when ours has less of the ceiling than this, in the median: a guard, so leave it room.
    least: { type: 'string', default: '0' },
  },
  allowNegative: true,
})
const sizes = options.rows.split(',').map(Number)
const [rounds, requests] = [Number(options.rounds), Number(options.requests)]

const here = (path) => new URL(path, import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-bench-'))

const seedOf = (rows) => {
  const file = join(folder, `${rows}.json`)
  const links = { active: rows / 2, completed: rows / 4, canceled: rows / 4 }
  writeFileSync(file, JSON.stringify({ projects: { acme: { generate: { users: rows, paymentLinks: links } } } }))
  return file
}

const servers = {
  ceiling: (rows) => startProcess([here('servers/ceiling.js')], { env: { ROWS: String(rows) } }),
  fixed: () => startProcess([here('servers/fixed.js')]),
  hono: (rows) => startProcess([here('servers/hono.js')], { env: { ROWS: String(rows) } }),
  ours: (rows) =>
    startProcess([here('../../dist/node/cli.js'), '--port', '0', '--log', 'silent', '--seed', seedOf(rows)]),
  ...(options.embedded && {
    embedded: (rows) => startProcess([here('servers/embedded.js')], { env: { ROWS: String(rows) } }),
  }),
}

const started = async (name, rows) => {
  const process = servers[name](rows)
  const [, port] = await process.line(/ready on (?:http:\/\/127\.0\.0\.1:)?(\d+)/)
  const found = name === 'fixed' ? { ids: ['usr_1'] } : await look(port)
  return { name, process, port, works: worksOn(found) }
}

/** Rows to ask for: they have other ids in each server. */
const look = async (port) => {
  const get = async (path) => {
    const headers = { authorization: 'Bearer bench', accept: 'application/json' }
    return (await fetch(`http://127.0.0.1:${port}/projects/acme/${path}`, { headers })).json()
  }
  const { items: users } = await get('users?limit=200')
  return { ids: users.map((user) => user.id), email: users[7].email, links: [] }
}

const measure = async ({ name, port, process, works }, work, total) => {
  const { request, check, keep } = works[work]
  const { cpu } = await process.usage()
  const start = performance.now()
  const times = await load(port, total, request, (answer, asked) => {
    if (name === 'fixed') return undefined
    keep?.(answer)
    return check(answer, asked)
  })
  const seconds = (performance.now() - start) / 1000
  const after = await process.usage()
  return {
    cpu: (after.cpu - cpu) / total,
    throughput: total / seconds,
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)],
  }
}

const rowOf = (rows, work, name, runs, ceiling) => [
  `${work}, ${rows.toLocaleString('en')} rows`,
  name,
  median(runs.map((run) => run.cpu)).toFixed(0),
  median(runs.map((run) => run.throughput)).toFixed(0),
  median(runs.map((run) => run.p50)).toFixed(1),
  median(runs.map((run) => run.p99)).toFixed(1),
  spread(runs.map((run, round) => ceiling[round].cpu / run.cpu)),
]

const lines = []
const slow = []
for (const rows of sizes) {
  const running = []
  for (const name of Object.keys(servers)) running.push(await started(name, rows))
  const names = Object.keys(running[0].works).filter((work) => work.includes(options.work))
  for (const work of names) {
    // The fixed answer is the same whatever is asked: once will do.
    const taking = running.filter(({ name }) => name !== 'fixed' || work === 'retrieve a user')
    const runs = Object.fromEntries(taking.map(({ name }) => [name, []]))
    for (let round = -2; round < rounds; round++)
      for (const server of round % 2 ? taking : taking.toReversed()) {
        const run = await measure(server, work, requests)
        if (round >= 0) runs[server.name].push(run)
      }
    for (const [name, all] of Object.entries(runs)) lines.push(rowOf(rows, work, name, all, runs.ceiling))
    const share = median(runs.ours.map((run, round) => runs.ceiling[round].cpu / run.cpu))
    if (share < Number(options.least)) slow.push(`${work}: ${share.toFixed(2)} of the ceiling`)
  }
  for (const { process } of running) await process.stop()
}
rmSync(folder, { recursive: true })

const head = ['work', 'server', 'CPU, µs', 'requests/s', 'p50, ms', 'p99, ms', 'share of the ceiling, CPU']
process.stdout.write(`${table(head, lines)}\n`)
if (slow.length > 0) {
  process.stderr.write(`Less than ${options.least}:\n${slow.join('\n')}\n`)
  process.exitCode = 1
}
