// How far are we from a server that is written by hand? Run after `npm run build`: node test/bench/http.js [--rows 1000,100000]
// All servers run at once and take turns, so that a machine whose speed drifts treats them alike. Every answer is checked.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cellsOf, head, measure, takeTurns } from './support/measure.js'
import { median, spread, table } from './support/numbers.js'
import { started } from './support/servers.js'

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

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-bench-'))
const names = ['ceiling', 'fixed', 'hono', 'ours', ...(options.embedded ? ['embedded'] : [])]

const lines = []
const slow = []
for (const rows of sizes) {
  const running = []
  for (const name of names) running.push(await started(name, rows, folder))
  for (const work of Object.keys(running[0].works).filter((work) => work.includes(options.work))) {
    // The fixed answer is the same whatever is asked: once will do.
    const taking = running.filter(({ name }) => name !== 'fixed' || work === 'retrieve a user')
    const run = (server) => measure(server, work, requests)
    await takeTurns(taking, 2, run)
    const runs = await takeTurns(taking, rounds, run)
    for (const [name, all] of Object.entries(runs)) {
      const shares = all.map(({ cpu }, round) => runs.ceiling[round].cpu / cpu)
      lines.push([...cellsOf(work, rows, name, all), spread(shares)])
    }
    const share = median(runs.ours.map((run, round) => runs.ceiling[round].cpu / run.cpu))
    if (share < Number(options.least)) slow.push(`${work}: ${share.toFixed(2)} of the ceiling`)
  }
  for (const { process } of running) await process.stop()
}
rmSync(folder, { recursive: true })

process.stdout.write(`${table([...head, 'share of the ceiling, CPU'], lines)}\n`)
if (slow.length > 0) {
  process.stderr.write(`Less than ${options.least}:\n${slow.join('\n')}\n`)
  process.exitCode = 1
}
