// The cost of importing and starting the mock: node test/bench start [rounds]
// In ms of CPU over a Node that does nothing. The candidates take turns; each figure is a median. Run it with
// another Node for the figures of that one.
import { spawnSync } from 'node:child_process'
import { formatSpread, formatTable, median } from './support/numbers.js'
import { startProcess } from './support/process.js'

const rounds = Number(process.argv[2] ?? 15)
const here = (path) => new URL(path, import.meta.url).pathname
const print = (head, rows) => process.stdout.write(`${formatTable(head, rows)}\n\n`)

const root = here('../../')
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env

// Printed last, when everything is done. Threads are counted too.
const report = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write('cpu ' + (user + system) / 1000)
})`

const measureCpu = (args, cwd = root) => {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  const [, cpu] = /cpu ([\d.]+)$/.exec(stderr) ?? []
  if (status !== 0 || cpu === undefined) throw new Error(stderr)
  return Number(cpu)
}

const measureImport = (code) => measureCpu(['--input-type=module', '--eval', `${code}\n${report}`])

/** Measures each of them in every round, after one round that only warms the caches of the disk. */
const takeTurns = async (candidates, count, measure) => {
  const runs = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]))
  for (let round = -1; round < count; round++)
    for (const [name, candidate] of Object.entries(candidates)) {
      const run = await measure(candidate)
      if (round >= 0) runs[name].push(run)
    }
  return runs
}

/** The extra time of each run over the first candidate in the same round. */
const over = ([first, ...others], digits = 0) =>
  others.map(([name, all]) => [
    name,
    formatSpread(
      all.map((cpu, round) => cpu - first[1][round]),
      digits,
    ),
  ])

const firstFetch = `const { createMock } = await import('paylink-mock')
await createMock().fetch('/projects/acme/users', { headers: { authorization: 'Bearer t', accept: 'application/json' } })`
const imports = {
  'an empty Node': '',
  "import 'paylink-mock'": "import 'paylink-mock'",
  'the same, createMock and a first fetch': firstFetch,
  "import 'paylink-mock/client'": "import 'paylink-mock/client'",
  "import 'hono' and 'zod'": "import 'hono'; import 'zod'",
}
print(['import', 'CPU over an empty Node, ms'], over(Object.entries(await takeTurns(imports, rounds, measureImport))))

const starts = {
  'an empty Node': { args: ['--eval', 'console.log("ready on 0"); setInterval(() => {}, 1e9)'] },
  'Hono, node-server and zod': { args: [here('servers/hono.js')], path: '/projects/acme/users' },
  'paylink-mock': {
    args: [here('../../dist/cli/cli.js'), '--port', '0', '--log', 'silent'],
    path: '/projects/acme/users',
  },
}

const start = async ({ args, path }) => {
  const begun = performance.now()
  const process = startProcess(args, { env: { RECORDS: '0' } })
  const [, port] = await process.line(/ready on (?:http:\/\/127\.0\.0\.1:)?(\d+)/)
  if (path !== undefined) {
    const headers = { authorization: 'Bearer bench', accept: 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    if ((await response.json()).object !== 'list') throw new Error(`${args[0]} returned ${response.status}`)
  }
  const wall = performance.now() - begun
  const { cpu, resident } = await process.usage()
  await process.stop()
  return { wall, cpu: cpu / 1000, resident: resident / 1e6 }
}

const startRuns = Object.entries(await takeTurns(starts, rounds, start))
const [[, empty]] = startRuns
const startRows = startRuns.map(([name, all]) => [
  name,
  median(all.map((run) => run.wall)).toFixed(0),
  formatSpread(
    all.map((run, round) => run.cpu - empty[round].cpu),
    0,
  ),
  median(all.map((run) => run.resident)).toFixed(0),
])
print(['start', 'wall, ms', 'CPU over an empty Node, ms', 'resident, MB'], startRows)
