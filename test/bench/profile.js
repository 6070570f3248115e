// Where does the CPU of a request go? node test/bench profile [--work retrieve] [--rounds 6]
// Groups samples of the stack by the owner of the function: for the mock, and for the minimal handwritten server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measure } from './support/measure.js'
import { formatTable } from './support/numbers.js'
import { startServer } from './support/servers.js'

const { values: options } = parseArgs({
  options: { work: { type: 'string', default: '' }, rounds: { type: 'string', default: '6' } },
})
const [records, requests, rounds] = [1000, 1500, Number(options.rounds)]

/** The owner of a function: the first match. Native functions have no URL. */
const owners = [
  ['waiting', ({ functionName }) => functionName === '(idle)'],
  ['garbage', ({ functionName }) => functionName === '(garbage collector)'],
  ['writing', ({ functionName }) => /^write(v|Utf8String|Latin1String|AsciiString|Buffer)$/.test(functionName)],
  ['Hono, node-server', ({ url }) => /node_modules\/(@hono|hono)\//.test(url)],
  ['zod', ({ url }) => url.includes('node_modules/zod/')],
  ['of the server', ({ url }) => url.startsWith('file:')],
  ["Node's own", () => true],
]

const profile = async (server, work) => {
  for (let round = 0; round < 3; round++) await measure(server, work, requests)
  await server.process.ask('startProfile')
  let cpu = 0
  for (let round = 0; round < rounds; round++) cpu += (await measure(server, work, requests)).cpu / rounds
  const functions = await server.process.ask('stopProfile')
  const hits = new Map(owners.map(([name]) => [name, 0]))
  for (const one of functions) {
    const [name] = owners.find(([, owns]) => owns(one))
    hits.set(name, hits.get(name) + one.hitCount)
  }
  const [, ...parts] = [...hits.values()]
  const sum = parts.reduce((a, b) => a + b)
  return [cpu.toFixed(0), ...parts.map((part) => `${Math.round((100 * part) / sum)} %`)]
}

const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-profile-'))
const lines = []
// Installed as modules, so that each function says whose it is: the command line is one file.
const running = []
try {
  for (const name of ['ceiling', 'embedded']) running.push(await startServer(name, records, folder))
  for (const work of Object.keys(running[0].workloads).filter((work) => work.includes(options.work)))
    for (const server of running) lines.push([work, server.name, ...(await profile(server, work))])
} finally {
  for (const { process } of running) await process.stop()
  rmSync(folder, { recursive: true })
}
const [, ...parts] = owners.map(([name]) => name)
process.stdout.write(`${formatTable(['work', 'server', 'CPU, µs', ...parts], lines)}\n`)
