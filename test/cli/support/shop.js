// A web service for programs that `explore` runs: POST /pay creates a link of inv_77, unless its file says that it did.
// Usage: node shop.js MODE FILE. Most modes are in `pay`.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'

const [mode = 'once', file = ''] = process.argv.slice(2)
const links = `${process.env.BASE_URL}/projects/acme/paymentLinks`
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
const body = JSON.stringify({ invoice: 'inv_77', type: 'partner', partner: { user: {} } })

const send = async (url, init) => {
  const response = await fetch(url, { headers, ...init })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.json()
}
const create = () => send(links, { method: 'POST', body })
const find = async () => (await send(`${links}?invoice=inv_77&status=active`)).items.length > 0

/** Does its work while no other service has the lock. */
const lock = async (work) => {
  while (!tryToLock()) await setTimeout(5)
  await work().finally(() => rmdirSync(`${file}.lock`))
}
const tryToLock = () => {
  try {
    mkdirSync(`${file}.lock`)
    return true
  } catch {
    return false
  }
}

const pay =
  {
    again: () => create().catch(create),
    looks: async () => (await find()) || (await create()),
    locks: async () => (await find()) || (await lock(async () => (await find()) || (await create()))),
    // Nobody handles its errors.
    dies: () => setTimeout(1).then(() => new Promise((resolve) => void create().then(resolve))),
    later: async () => void setTimeout(20).then(create),
    // Notes in a file when it has done the work.
    queues: async () =>
      void create()
        .catch(create)
        .then(() => appendFileSync(`${file}.done`, 'done')),
    // After an error, it tries again a moment later.
    retries: () =>
      create().catch((error) => {
        void setTimeout(200)
          .then(create)
          .catch(() => {})
        throw error
      }),
    'looks and retries': () =>
      create().catch(async (error) => {
        void setTimeout(200)
          .then(create)
          .catch(() => {})
        await find()
        throw error
      }),
    // After an error, it calls until it is stopped.
    polls: () =>
      create().catch((error) => {
        setInterval(find, 50)
        throw error
      }),
    ends: () => process.exit(3),
  }[mode] ?? create

if (mode === 'starts') await create()
if (mode === 'beats') setInterval(() => find().catch(() => {}), 50)
// After a restart, it repeats its work a moment later.
if (mode === 'resumes' && existsSync(`${file}.started`)) void setTimeout(200).then(create)
if (mode === 'resumes') appendFileSync(`${file}.started`, 'started')
if (mode === 'boots') await setTimeout(500)
if (mode === 'waits') while (!existsSync(process.env.OPEN)) await setTimeout(20)
if (mode === 'stays') process.on('SIGTERM', () => {})
/** Whether it only has a worker, which listens. */
const isParent = mode === 'forks'
if (isParent) spawn(process.execPath, [import.meta.filename, 'once', file], { stdio: 'inherit' })
/** Whether it does not listen: always, or after its first start. */
const isDeaf = mode === 'deaf' || (mode === 'sick' && existsSync(`${file}.sick`))
if (mode === 'sick') appendFileSync(`${file}.sick`, 'sick')
const server = createServer(async (request, response) => {
  if (request.url === '/health') return response.writeHead(mode === 'ill' ? 503 : 200).end()
  try {
    if (!existsSync(file)) {
      await pay()
      appendFileSync(file, 'paid')
    }
    response.writeHead(200).end()
  } catch (error) {
    console.log(error.message)
    response.writeHead(502).end()
  }
})
if (!isParent)
  server.listen(isDeaf ? 0 : process.env.PORT, '127.0.0.1', () => {
    // A search gives it another port in each run.
    console.log(process.env.PORT === '0' ? `open at http://127.0.0.1:${server.address().port}` : 'open')
  })
