// The memory of a mock: node test/bench memory [rows]
// Resident memory of a process that has nothing else, in MB, now and at its peak, and the CPU of its start, in s.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, formatTable } from './support/numbers.js'
import { startProcess } from './support/process.js'

const most = Number(process.argv[2] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-bench-'))
const cli = new URL('../../dist/node/cli.js', import.meta.url).pathname

const writeSeedFile = (name, project) => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ projects: { acme: project } }))
  return file
}

const createUsers = (length) =>
  Array.from({ length }, (_, i) => ({
    email: `ada.${i}@example.com`,
    fullName: 'Ada Lovelace',
    birthday: '1990-12-31',
    metadata: { customer: `c-${i}` },
  }))

const many = most.toLocaleString('en')

/** Seed files by what is in them. */
const cases = {
  'idle, the empty seed': writeSeedFile('empty', {}),
  'a seed file of 10,000 users': writeSeedFile('file', { users: createUsers(10_000) }),
  [`${many} users generated`]: writeSeedFile('many', { generate: { users: most } }),
}

const measure = async (seed) => {
  const process = startProcess([cli, '--port', '0', '--log', 'silent', '--seed', seed], { flags: ['--expose-gc'] })
  await process.line(/ready on/)
  const { cpu, resident, peak } = await process.usage()
  await process.stop()
  return { cpu: cpu / 1e6, resident: resident / 1e6, peak: peak / 1e6 }
}

const runs = []
for (let round = 0; round < 3; round++) {
  const run = {}
  for (const [name, seed] of Object.entries(cases)) run[name] = await measure(seed)
  runs.push(run)
}
rmSync(folder, { recursive: true })

const [idle] = Object.keys(cases)
const rows = Object.keys(cases).map((name) => [
  name,
  median(runs.map((run) => run[name].resident)).toFixed(0),
  median(runs.map((run) => run[name].resident - run[idle].resident)).toFixed(0),
  median(runs.map((run) => run[name].peak)).toFixed(0),
  median(runs.map((run) => run[name].cpu - run[idle].cpu)).toFixed(2),
])
process.stdout.write(
  `${formatTable(['mock', 'resident, MB', 'above idle, MB', 'peak, MB', 'CPU above idle, s'], rows)}\n`,
)
