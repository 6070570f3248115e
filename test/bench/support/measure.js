import { load } from './load.js'
import { median } from './numbers.js'

/** What so many requests of a work cost the server, in µs of CPU each, and what the client sees: a second, and in ms. */
export const measure = async ({ port, process, works }, work, total) => {
  const { request, check, keep, needs } = works[work]
  // What is used up has to be there: that it is made costs nothing here.
  if (needs !== undefined) await measure({ port, process, works }, needs, total)
  const { cpu } = await process.usage()
  const start = performance.now()
  const times = await load(port, total, request, (answer, asked) => {
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

/** Servers take turns, the first of a round being the last of the next one. Answers their runs, by their names. */
export const takeTurns = async (servers, rounds, run) => {
  const runs = Object.fromEntries(servers.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const server of round % 2 ? servers : servers.toReversed()) runs[server.name].push(await run(server))
  return runs
}

export const head = ['work', 'server', 'CPU, µs', 'requests/s', 'p50, ms', 'p99, ms']

/** The cells of a row of the table under that head. */
export const cellsOf = (work, rows, name, runs) => [
  `${work}, ${rows.toLocaleString('en')} rows`,
  name,
  median(runs.map((run) => run.cpu)).toFixed(0),
  median(runs.map((run) => run.throughput)).toFixed(0),
  median(runs.map((run) => run.p50)).toFixed(1),
  median(runs.map((run) => run.p99)).toFixed(1),
]
