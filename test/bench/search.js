// What a run of a search costs beside its program, and beside a web service and its program: node test/bench/search [--rounds 5]
// The program sends six calls, one at a time, to the mock or to the service, and repeats each until it succeeds: a service whose
// call failed for good gets 500 ms to try again, which is not counted here. Its own time, with the start and the end of the
// service, is taken against a mock that runs already, and that of a run from two searches of different lengths: the start of
// the command line, the first runs and the probe are in both.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs, promisify } from 'node:util'
import { createMock } from 'paylink-mock'
import { median } from './support/numbers.js'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const [few, many] = [5, 20]

const program = `
const url = (process.env.SERVICE_URL ?? process.env.BASE_URL) + '/projects/acme/users'
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
for (let call = 0; call < 6; call++) {
  const body = JSON.stringify({ email: call + '@example.com' })
  while (!(await fetch(url, { method: 'POST', headers, body })).ok);
}`
/** Passes each request on to the mock. */
const service = `
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
createServer(async (request, response) => {
  const { method, headers: { authorization, accept } } = request
  const headers = { authorization, accept, 'content-type': 'application/json' }
  const sent = await fetch(process.env.BASE_URL + request.url, { method, headers, body: await text(request) }).catch(() => undefined)
  response.writeHead(sent?.status ?? 502).end(await sent?.text())
}).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'))`
const runNode = (text) => [process.execPath, '--input-type=module', '-e', text]
const [programWords, serviceWords] = [runNode(program), runNode(service)]

const time = async (work) => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
const run = async ([file, ...args], env = {}) => {
  // A search with failures exits with 1.
  await promisify(execFile)(file, args, { env: { ...process.env, ...env } }).catch(({ code, stderr }) => {
    if (code !== 1) throw new Error(stderr)
  })
}
const runWithService = async (env) => {
  const [file, ...args] = serviceWords
  const child = spawn(file, args, {
    env: { ...process.env, ...env, PORT: '4599' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await run(programWords, { ...env, SERVICE_URL: 'http://127.0.0.1:4599' })
  child.kill()
  await once(child, 'exit')
}
const search = (runs, flags) => {
  const limits = `--max-runs ${runs} --jobs 1 --effects unavailable,duplicate,evolve --incomplete`.split(' ')
  return run([process.execPath, 'dist/cli/cli.js', 'explore', ...limits, ...flags, '--', ...programWords])
}

const mock = createMock()
const env = { BASE_URL: (await mock.listen({ port: 0 })).url }
const quotedService = serviceWords.map((word) => `'${word.replaceAll("'", '"')}'`).join(' ')
const kinds = [
  { name: 'a program', bound: 50, alone: () => run(programWords, env), flags: [] },
  {
    name: 'a service and a program',
    bound: 100,
    alone: () => runWithService(env),
    flags: ['--service', quotedService],
  },
]
for (const { name, bound, alone, flags } of kinds) {
  const rounds = []
  for (let round = 0; round < Number(options.rounds); round++) {
    const times = []
    for (let count = 0; count < 5; count++) times.push(await time(alone))
    const [short, long] = [await time(() => search(few, flags)), await time(() => search(many, flags))]
    rounds.push({ alone: median(times), run: (long - short) / (many - few) })
  }
  const [own, inSearch] = [median(rounds.map((one) => one.alone)), median(rounds.map((one) => one.run))]
  const overhead = inSearch - own
  console.log(
    `Alone, ${name}: ${own.toFixed(0)} ms. A run: ${inSearch.toFixed(0)} ms. Overhead: ${overhead.toFixed(0)} ms, bound ${bound} ms.`,
  )
  if (overhead > bound) process.exitCode = 1
}
await mock.close()
