// The cost of a call in a Worker with few and with many records: node test/bench worker [rounds]
// CPU of the process workerd, in which each project is a Durable Object. Sizes take turns. Needs Linux.
import { baseUrl, installWorkerd } from '../support/workerd.js'
import { median } from './support/numbers.js'
import { newUser } from './support/workloads.js'

const rounds = Number(process.argv[2] ?? 7)
const calls = 200
const sizes = [10, 10_000]
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

const workerd = await installWorkerd()
const worker = await workerd.start()
const { control, fetch } = worker

const users = (size) => `${baseUrl}/projects/p${size}/users`
const read = async (size) => (await fetch(`${users(size)}?limit=10`, { headers })).text()
const create = async (size) => {
  const response = await fetch(users(size), { method: 'POST', headers, body: JSON.stringify(newUser()) })
  if (response.status !== 201) throw new Error(`A create returned ${response.status}: ${await response.text()}`)
  return response.text()
}

/** Milliseconds of CPU for a call. */
const measure = async (work, count) => {
  const before = worker.cpu()
  for (let i = 0; i < count; i++) await work()
  return (worker.cpu() - before) / count
}
const countRows = async (work) => {
  const before = await worker.rows()
  await work()
  return (await worker.rows()) - before
}

for (const size of sizes) {
  const load = (project) => control.project(project).state.put({ generate: { users: size } })
  const times = []
  for (let round = 0; round < rounds; round++) times.push(await measure(() => load(`loaded${size}-${round}`), 1))
  const rows = await countRows(() => load(`p${size}`))
  console.log(`load: ${size} records ${median(times)} ms of CPU; ${rows} rows written`)
}

for (const [name, work] of Object.entries({ create, read })) {
  const times = sizes.map(() => [])
  for (const size of sizes) await measure(() => work(size), 20)
  for (let round = 0; round < rounds; round++)
    for (const [index, size] of sizes.entries()) times[index].push(await measure(() => work(size), calls))
  const [few, many] = times.map(median)
  const rows = []
  for (const size of sizes) rows.push(await countRows(() => work(size)))
  console.log(
    `${name}: ${sizes[0]} records ${few.toFixed(2)} ms, ${sizes[1]} records ${many.toFixed(2)} ms of CPU,` +
      ` ratio ${(many / few).toFixed(2)}; ${rows.join(' and ')} rows written`,
  )
}
await worker.stop()
workerd.remove()
