import { load } from './load.js'
import { median } from './numbers.js'

/** The cost of requests of one kind: µs of CPU of the server, requests per second, and latency in ms. */
export const measure = async ({ port, process, workloads }, work, total) => {
  const { request, check, keep, needs } = workloads[work]
  // Creates the records that the requests consume, outside the measurement.
  if (needs !== undefined) await measure({ port, process, workloads }, needs, total)
  const { cpu } = await process.usage()
  const start = performance.now()
  const times = await load(port, total, request, (response, asked) => {
    keep?.(response)
    return check(response, asked)
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

/** Runs the servers in turns, each round in reverse order. Returns their runs by name. */
export const takeTurns = async (servers, rounds, run) => {
  const runs = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const server of round % 2 ? servers : servers.toReversed()) runs[server.name].push(await run(server))
  return runs
}

export const head = ['work', 'server', 'CPU, µs', 'requests/s', 'p50, ms', 'p99, ms']

/** The cells of a row of the table under that head. */
export const formatCells = (work, records, name, runs) => [
  `${work}, ${records.toLocaleString('en')} records`,
  name,
  median(runs.map((run) => run.cpu)).toFixed(0),
  median(runs.map((run) => run.throughput)).toFixed(0),
  median(runs.map((run) => run.p50)).toFixed(1),
  median(runs.map((run) => run.p99)).toFixed(1),
]
