// Does anything get slower as a project grows? Run after `npm run build`: node test/bench/growth.js [most rows]
// Sizes take turns, so that a machine whose speed drifts treats them alike. CPU time per call, median of the rounds.
import { createMock } from 'paylink-mock'

const most = Number(process.argv[2] ?? 1_000_000)
const sizes = [100, 1000, 100_000, 1_000_000].filter((size) => size <= most)
const rounds = 9
const calls = 300
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

const started = async (size) => {
  const links = { active: size / 2, completed: size / 4, canceled: size / 4 }
  const mock = createMock({
    clock: 'frozen',
    seed: { projects: { p: { generate: { users: size, paymentLinks: links } } } },
  })
  const project = mock.project('p')
  const [user] = (await project.users.list({ limit: 1 })).items
  const path = `/projects/p/users/${user.id}`
  const get = async (url) => (await mock.fetch(url, { headers })).text()
  const post = async (url, body) =>
    (await mock.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text()
  let drawn = 0
  return {
    size,
    work: {
      'retrieve a user': () => get(path),
      'list ten users': () => get('/projects/p/users'),
      'list ten links of a status': () => get('/projects/p/paymentLinks?status=canceled'),
      'search by email': () => post('/projects/p/users/search', { email: user.email }),
      'create a user': () => post('/projects/p/users', { email: `new${drawn++}@example.com` }),
      'create and delete a user (control)': async () => {
        const { id } = await project.users.create({ email: 'a@b.c' })
        await project.users.delete(id)
      },
      'reset the project': () => project.reset(),
      'save a snapshot': () => project.snapshots.save('here'),
      'restore a snapshot': () => project.snapshots.restore('here'),
    },
  }
}

const mocks = []
for (const size of sizes) {
  const start = process.cpuUsage()
  mocks.push(await started(size))
  const { user } = process.cpuUsage(start)
  process.stdout.write(`${size} users and ${size} links generated in ${Math.round(user / 1000)} ms of CPU\n`)
}

const timed = async (work) => {
  const start = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

for (const name of Object.keys(mocks[0].work)) {
  const times = mocks.map(() => [])
  for (const { work } of mocks) await timed(work[name])
  for (let round = 0; round < rounds; round++)
    for (const [index, { work }] of mocks.entries()) times[index].push(await timed(work[name]))
  const medians = times.map(median)
  const row = medians.map((time, index) => `${sizes[index]}: ${time.toFixed(1)} µs (${(time / medians[0]).toFixed(2)})`)
  process.stdout.write(`${name.padEnd(36)} ${row.join('   ')}\n`)
}
