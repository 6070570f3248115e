// What does a start cost? node test/bench start [rounds]
// From spawn to the first good answer, in ms of CPU over a Node that does nothing. The starts take turns.
import { spread, table, median } from './support/numbers.js'
import { startProcess } from './support/process.js'

const rounds = Number(process.argv[2] ?? 15)
const here = (path) => new URL(path, import.meta.url).pathname

const starts = {
  'an empty Node': { args: ['--eval', 'console.log("ready on 0"); setInterval(() => {}, 1e9)'] },
  'node:http, by hand': { args: [here('servers/ceiling.js')], path: '/projects/acme/users' },
  'Hono, node-server and zod': { args: [here('servers/hono.js')], path: '/projects/acme/users' },
  'paylink-mock': {
    args: [here('../../dist/node/cli.js'), '--port', '0', '--log', 'silent'],
    path: '/projects/acme/users',
  },
}

const start = async ({ args, path }) => {
  const begun = performance.now()
  const process = startProcess(args, { env: { ROWS: '0' } })
  const [, port] = await process.line(/ready on (?:http:\/\/127\.0\.0\.1:)?(\d+)/)
  if (path !== undefined) {
    const headers = { authorization: 'Bearer bench', accept: 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    if ((await response.json()).object !== 'list') throw new Error(`${args[0]} answers ${response.status}`)
  }
  const wall = performance.now() - begun
  const { cpu, resident } = await process.usage()
  await process.stop()
  return { wall, cpu: cpu / 1000, resident: resident / 1e6 }
}

const runs = Object.fromEntries(Object.keys(starts).map((name) => [name, []]))
for (let round = -1; round < rounds; round++)
  for (const [name, what] of Object.entries(starts)) {
    const run = await start(what)
    if (round >= 0) runs[name].push(run)
  }

const empty = runs['an empty Node']
const rows = Object.entries(runs).map(([name, all]) => [
  name,
  median(all.map((run) => run.wall)).toFixed(0),
  spread(
    all.map((run, round) => run.cpu - empty[round].cpu),
    0,
  ),
  median(all.map((run) => run.resident)).toFixed(0),
])
process.stdout.write(`${table(['start', 'wall, ms', 'CPU over an empty Node, ms', 'resident, MB'], rows)}\n`)
