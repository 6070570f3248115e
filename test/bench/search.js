// What a run of a search over a program costs beside the program: node test/bench/search [--rounds 5]
// The program sends six calls, one at a time. Its own time is taken against a mock that runs already, and that of a run from two
// searches of different lengths: the start of the command line, the first runs and the probe are in both.
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { createMock } from 'paylink-mock'
import { median } from './support/numbers.js'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
/** The bound of the overhead, in milliseconds. */
const bound = 50
const [few, many] = [5, 20]

const program = `
const url = process.env.BASE_URL + '/projects/acme/users'
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
for (let call = 0; call < 6; call++) {
  const body = JSON.stringify({ email: call + '@example.com' })
  await (await fetch(url, { method: 'POST', headers, body })).text()
}`
const command = [process.execPath, '--input-type=module', '-e', program]

const time = async (file, args, env = {}) => {
  const begun = performance.now()
  // A search with failures exits with 1.
  await promisify(execFile)(file, args, { env: { ...process.env, ...env } }).catch(({ code, stderr }) => {
    if (code !== 1) throw new Error(stderr)
  })
  return performance.now() - begun
}
const listSearch = (runs) => {
  const flags = ['--max-runs', String(runs), '--jobs', '1', '--effects', 'malformed,duplicate,evolve', '--incomplete']
  return [process.execPath, ['dist/cli/cli.js', 'explore', ...flags, '--', ...command]]
}

const mock = createMock()
const { url } = await mock.listen({ port: 0 })
const rounds = []
for (let round = 0; round < Number(options.rounds); round++) {
  const alone = []
  for (let run = 0; run < 5; run++) alone.push(await time(command[0], command.slice(1), { BASE_URL: url }))
  const [short, long] = [await time(...listSearch(few)), await time(...listSearch(many))]
  rounds.push({ alone: median(alone), run: (long - short) / (many - few) })
}
await mock.close()
const [alone, run] = [median(rounds.map((one) => one.alone)), median(rounds.map((one) => one.run))]
const overhead = run - alone
console.log(
  `A program alone: ${alone.toFixed(0)} ms. A run of it: ${run.toFixed(0)} ms. Overhead: ${overhead.toFixed(0)} ms, bound ${bound} ms.`,
)
process.exitCode = overhead > bound ? 1 : 0
