// What does a mock hold? Run after `npm run build`: node test/bench/memory.js [rows]
// Resident memory of a process that has nothing else, in MB, now and at its peak, and the CPU that generating and loading
// take, in s.
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, table } from './support/numbers.js'
import { startProcess } from './support/process.js'

const most = Number(process.argv[2] ?? 1_000_000)
const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-bench-'))
const cli = new URL('../../dist/node/cli.js', import.meta.url).pathname

const fileOf = (name, project) => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ projects: { acme: project } }))
  return file
}

const usersOf = (length) =>
  Array.from({ length }, (_, i) => ({
    email: `ada.${i}@example.com`,
    fullName: 'Ada Lovelace',
    birthday: '1990-12-31',
    metadata: { customer: `c-${i}` },
  }))

const empty = fileOf('empty', {})
const long = fileOf('long', { users: usersOf(most) })
const many = most.toLocaleString('en')

/** A seed to start from, and a document to load afterwards. */
const cases = {
  'idle, the empty seed': [empty],
  'a seed file of 100,000 users': [fileOf('file', { users: usersOf(100_000) })],
  [`${many} users generated`]: [fileOf('many', { generate: { users: most } })],
  [`a seed file of ${many} users`]: [long],
  [`${many} users loaded over HTTP`]: [empty, long],
}

const measure = async ([seed, document]) => {
  const process = startProcess([cli, '--port', '0', '--log', 'silent', '--seed', seed], { flags: ['--expose-gc'] })
  const [, url] = await process.line(/ready on (\S+)/)
  if (document !== undefined) await load(url, document)
  const { cpu, resident, peak } = await process.usage()
  await process.stop()
  return { cpu: cpu / 1e6, resident: resident / 1e6, peak: peak / 1e6 }
}

const load = (url, file) =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': statSync(file).size }
    const sent = request(`${url}/__admin/state`, { method: 'PUT', headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`The load was answered with ${answer.statusCode}.`))
      answer.resume().on('end', resolve)
    })
    createReadStream(file).pipe(sent).on('error', reject)
  })

const runs = []
for (let round = 0; round < 3; round++) {
  const run = {}
  for (const [name, what] of Object.entries(cases)) run[name] = await measure(what)
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
process.stdout.write(`${table(['mock', 'resident, MB', 'above idle, MB', 'peak, MB', 'CPU above idle, s'], rows)}\n`)
