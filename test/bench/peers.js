// How do the peers do the same work? Run after `npm run build`: node test/bench/peers.js [--rows 1000] [--rounds 5]
// They are installed into a folder of its own that is gone afterwards. All run at once and take turns; answers are checked.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPeers, peers } from './servers/peers.js'
import { load } from './support/load.js'
import { median, spread, table } from './support/numbers.js'
import { startProcess } from './support/process.js'

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '5' } },
})
const [rows, rounds] = [Number(options.rows), Number(options.rounds)]
/** So many that the slowest of them takes about a second. */
const requests = rows > 10_000 ? 64 : 960

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-peers-'))
installPeers(folder)

const cli = new URL('../../dist/node/cli.js', import.meta.url).pathname
const p = '/projects/acme/users'
const ours = {
  start: ({ port }) => {
    const file = join(folder, 'seed.json')
    writeFileSync(file, JSON.stringify({ projects: { acme: { generate: { users: rows } } } }))
    return [cli, '--port', port, '--log', 'silent', '--seed', file]
  },
  works: ({ made, next }) => ({
    retrieve: () => ({ method: 'GET', path: `${p}/${made[next() % made.length]}` }),
    'list of ten': () => ({ method: 'GET', path: `${p}?limit=10` }),
    create: () => ({ method: 'POST', path: p, body: JSON.stringify({ email: `new.${next()}@example.com` }) }),
  }),
  countOf: (answer) => JSON.parse(answer.body).items.length,
}

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Until it answers at all: what a peer prints when it is ready differs. */
const answering = async (port, path) => {
  for (;;) {
    const answered = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    if (answered !== undefined) return answered.arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const started = async (name, { start, seed, works, countOf }) => {
  const port = await freePort()
  const process = startProcess(start({ folder, port: String(port), rows }))
  process.child.stdout.resume()
  await answering(port, '/')
  let count = 0
  const made = []
  const next = () => count++
  const idIn = (answer) => void made.push(JSON.parse(answer.body).id)
  if (seed !== undefined) await load(port, rows, () => seed(next()), idIn)
  const asked = works({ made, next, rows })
  if (name === 'ours') await load(port, 64, asked.create, idIn)
  return { name, port, process, works: asked, countOf }
}

const wrongOf = (work, countOf) => (answer) => {
  if (answer.status !== 200 && answer.status !== 201) return `status ${answer.status}`
  if (work === 'list of ten') return countOf(answer) === 10 ? undefined : `${countOf(answer)} rows`
  return typeof JSON.parse(answer.body).id === 'string' ? undefined : 'no row'
}

const measure = async ({ port, process, works, countOf }, work) => {
  const before = await process.usage()
  await load(port, requests, works[work], wrongOf(work, countOf))
  return ((await process.usage()).cpu - before.cpu) / requests
}

/** A server that has been called for a while has its code compiled: each is given the same while. */
const warm = async (server, work) => {
  const start = performance.now()
  while (performance.now() - start < 1000) await measure(server, work)
}

const running = []
try {
  for (const [name, peer] of Object.entries({ ours, ...peers })) running.push(await started(name, peer))
  const lines = []
  for (const work of ['retrieve', 'list of ten', 'create']) {
    const runs = Object.fromEntries(running.map(({ name }) => [name, []]))
    for (const server of running) await warm(server, work)
    for (let round = 0; round < rounds; round++)
      for (const server of round % 2 ? running : running.toReversed()) {
        const cpu = await measure(server, work)
        runs[server.name].push(cpu)
      }
    for (const [name, all] of Object.entries(runs))
      lines.push([
        `${work}, ${rows.toLocaleString('en')} rows`,
        name,
        median(all).toFixed(0),
        spread(
          all.map((cpu, round) => cpu / runs.ours[round]),
          1,
        ),
      ])
  }
  process.stdout.write(`${table(['work', 'server', 'CPU, µs', 'over ours'], lines)}\n`)
} finally {
  for (const { process } of running) await process.stop()
  rmSync(folder, { recursive: true })
}
