// Measures the search for bugs by faults and orders: what it finds, and the CPU time that it takes.
import { spawnSync } from 'node:child_process'
import { explore, interleave, replay } from '../../dist/extensions/explore/index.js'
import { faultClients, orderClients, recoveringClients } from '../explore/clients/index.js'
import { call } from '../explore/clients/call.js'
import { formatTable } from './support/numbers.js'

/** The value of the work, and its time in seconds: of the processor, and of the wall. */
const measureTime = async (work) => {
  const before = process.cpuUsage()
  const start = performance.now()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { value, cpu: ((user + system) / 1e6).toFixed(2), wall: ((performance.now() - start) / 1000).toFixed(2) }
}
const rows = []
const report = (what, result, { cpu, wall } = { cpu: '', wall: '' }) => rows.push([what, result, cpu, wall])

const searches = [
  ...faultClients.map(({ given, ...client }) => ({
    ...client,
    search: (flow) => explore({ ...given, flow }),
  })),
  ...[...orderClients, ...recoveringClients].map(({ given, ...client }) => ({
    ...client,
    search: (actors) => interleave({ ...given, actors, budget: null }),
  })),
]
const found = []
/** @type {string[]} */
const falseAlarms = []
const clients = await measureTime(async () => {
  for (const { name, search, buggy, corrected } of searches) {
    if ((await search(buggy)).failures.length > 0) found.push(name)
    if ((await search(corrected)).failures.length > 0) falseAlarms.push(name)
  }
})
const missed = searches.filter(({ name }) => !found.includes(name)).map(({ name }) => name)
report('planted bugs found', `${found.length} of ${searches.length}`, clients)
report('corrected clients with a failure', `${falseAlarms.length} of ${searches.length}`)

const invariant = () => {}
const list = (fetch) => call(fetch, 'GET', '/users?limit=5')
const create = (fetch, name) => call(fetch, 'POST', '/users', { email: `${name}@example.com` })
const tenCalls = async ({ fetch }) => {
  for (let user = 0; user < 5; user++) {
    await create(fetch, `user${user}`)
    await list(fetch)
  }
}
const single = await measureTime(() => explore({ flow: tenCalls, invariant }))
report('a flow of 10 calls, single faults', `${single.value.runs} runs`, single)

const threeCalls = async ({ fetch }) => {
  await list(fetch)
  await create(fetch, 'ada')
  await list(fetch)
}
const actors = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, threeCalls]))
const orders = await measureTime(() => interleave({ actors, invariant, budget: null }))
report('five actors with three calls each', `${orders.value.runs} runs`, orders)

const eightReads = async ({ fetch }) => {
  for (let read = 0; read < 8; read++) await list(fetch)
}
const readers = { a: eightReads, b: eightReads }
const reads = await measureTime(() => interleave({ actors: readers, invariant, isolated: true }))
report('two isolated actors with eight reads each', `${reads.value.runs} run`, reads)

const { given, buggy } = orderClients[0]
const search = { ...given, actors: buggy }
const { failures } = await interleave(search)
const { schedule, ...expected } = failures[0]
const formatOutcome = ({ error, requests }) => JSON.stringify([error.message, requests])
const replays = await measureTime(async () => {
  let same = 0
  for (let run = 0; run < 1000; run++)
    if (formatOutcome(await replay(search, schedule)) === formatOutcome(expected)) same++
  return same
})
report('a failing order, replayed', `${replays.value} of 1000 the same`, replays)

const printCpuTime = `process.on('exit', () => console.error(process.cpuUsage().user + process.cpuUsage().system))`

/** The CPU time in microseconds of `paylink-mock explore` itself, without that of the program: curl with some reads. */
const measureCommand = (reads, runs) => {
  const urls = Array.from({ length: reads }, () => '{url}/projects/acme/users')
  const program = ['curl', '-s', '-H', 'authorization: Bearer any', ...urls]
  const options = ['--import', `data:text/javascript,${encodeURIComponent(printCpuTime)}`, 'dist/node/cli.js']
  const command = ['explore', '--faults', '2', '--max-runs', String(runs), '--json', '--', ...program]
  const { stdout, stderr } = spawnSync(process.execPath, [...options, ...command], { encoding: 'utf8' })
  if (JSON.parse(stdout).runs !== runs) throw new Error(`There were not ${runs} runs: ${stdout}`)
  return Number(stderr.trim().split('\n').at(-1))
}
/** What one more run costs, in milliseconds. */
const measureRun = (reads) => (measureCommand(reads, 210) - measureCommand(reads, 10)) / 200 / 1000
const [few, many] = [measureRun(5), measureRun(20)]
const perCall = (many - few) / 15
const perRun = `${(few - 5 * perCall).toFixed(1)} ms, and ${perCall.toFixed(1)} ms for each call`
report('a run of the command line, beside the program', perRun)

process.stdout.write(`${formatTable(['search', 'result', 'CPU, s', 'wall, s'], rows)}\n`)
if (missed.length + falseAlarms.length > 0)
  throw new Error(`missed: ${missed.join()}; false alarms: ${falseAlarms.join()}`)
