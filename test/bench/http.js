// How far are we from a server that is written by hand? node test/bench http [--records 1000,100000]
// All servers run at once and take turns, so that a machine whose speed drifts treats them alike. Each response is checked.
// `ceiling` is the raw server, `duties` the same with our headers, in-flight map, server options and a journal of 1,000.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatCells, head, measure, takeTurns } from './support/measure.js'
import { formatSpread, formatTable } from './support/numbers.js'
import { startServer } from './support/servers.js'

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '1000,100000' },
    rounds: { type: 'string', default: '9' },
    work: { type: 'string', default: '' },
  },
})
const rounds = Number(options.rounds)
const requests = 1500

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-bench-'))
const lines = []
for (const records of options.records.split(',').map(Number)) {
  const running = []
  for (const name of ['ceiling', 'duties', 'hono', 'ours']) running.push(await startServer(name, records, folder))
  for (const work of Object.keys(running[0].workloads).filter((work) => work.includes(options.work))) {
    const run = (server) => measure(server, work, requests)
    await takeTurns(running, 2, run)
    const runs = await takeTurns(running, rounds, run)
    for (const [name, all] of Object.entries(runs)) {
      const formatShares = (yardstick) => formatSpread(all.map(({ cpu }, round) => runs[yardstick][round].cpu / cpu))
      lines.push([...formatCells(work, records, name, all), formatShares('ceiling'), formatShares('duties')])
    }
  }
  for (const { process } of running) await process.stop()
}
rmSync(folder, { recursive: true })

process.stdout.write(`${formatTable([...head, 'share of the ceiling', 'share of it with duties'], lines)}\n`)
