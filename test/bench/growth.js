// Does anything get slower as a project grows? node test/bench growth [--other FOLDER]
// Sizes take turns, so that a machine whose speed drifts treats them alike. CPU time per call, median of the rounds, and over
// that of the smallest size. `other` is the build in another checkout, such as that of an older commit.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createMock } from 'paylink-mock'
import { median } from './support/numbers.js'
import { deriveId } from './support/servers.js'
import { newUser } from './support/workloads.js'

const { values: options } = parseArgs({ options: { other: { type: 'string' } } })
const builds = { ours: createMock }
if (options.other) builds.other = (await import(resolve(options.other, 'dist/node/index.js'))).createMock
const sizes = [10, 10_000, 100_000]
const rounds = 9
const calls = 300
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

const startMock = async (build, size) => {
  const quarter = Math.floor(size / 4)
  const links = { active: size - 2 * quarter, completed: quarter, canceled: quarter }
  const seed = { projects: { p: { generate: { users: size, paymentLinks: links } } } }
  const mock = builds[build]({ clock: 'frozen', seed })
  const project = mock.project('p')
  const ids = Array.from({ length: Math.min(size, 20_000) }, () =>
    deriveId('paylink-mock', 'p', 'usr', Math.floor(Math.random() * size)),
  )
  const pickId = () => ids[Math.floor(Math.random() * ids.length)]
  const [user] = (await project.users.list({ limit: 1 })).items
  const get = async (url) => (await mock.fetch(url, { headers })).text()
  const post = async (url, body) =>
    (await mock.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text()
  return {
    size,
    work: {
      'retrieve a user': () => get(`/projects/p/users/${pickId()}`),
      'list ten users': () => get('/projects/p/users?limit=10'),
      'list ten links of a status': () => get('/projects/p/paymentLinks?status=canceled&limit=10'),
      'search by email': () => post('/projects/p/users/search', { email: user.email }),
      'list ten links of an invoice': () => get('/projects/p/paymentLinks?invoice=inv_generated_1&limit=10'),
      'create a user': () => post('/projects/p/users', newUser()),
      'create and delete a user (control)': async () => {
        const { id } = await project.users.create(newUser())
        await project.users.delete(id)
      },
      'reset the project': () => project.reset(),
      'save a snapshot': () => project.snapshots.save('here'),
      'restore a snapshot': () => project.snapshots.restore('here'),
      'save a snapshot, then create a user': async () => {
        await project.snapshots.save('here')
        await project.users.create(newUser())
      },
      'restore it, then create a user': async () => {
        await project.snapshots.restore('here')
        await project.users.create(newUser())
      },
      'reset, then create a user': async () => {
        await project.reset()
        await project.users.create(newUser())
      },
    },
  }
}

const mocks = []
for (const build of Object.keys(builds))
  for (const size of sizes) {
    const start = process.cpuUsage()
    mocks.push({ build, ...(await startMock(build, size)) })
    const { user } = process.cpuUsage(start)
    process.stdout.write(`${build}: ${size} users and links generated in ${Math.round(user / 1000)} ms of CPU\n`)
  }

const measureTime = async (work) => {
  const start = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

for (const name of Object.keys(mocks[0].work)) {
  const times = mocks.map(() => [])
  for (const { work } of mocks) await measureTime(work[name])
  for (let round = 0; round < rounds; round++)
    for (const [index, { work }] of mocks.entries()) times[index].push(await measureTime(work[name]))
  const medians = times.map(median)
  for (const build of Object.keys(builds)) {
    const own = mocks.flatMap((mock, index) => (mock.build === build ? [[mock.size, medians[index]]] : []))
    const row = own.map(([size, time]) => `${size}: ${time.toFixed(1)} µs (${(time / own[0][1]).toFixed(2)})`)
    process.stdout.write(`${name.padEnd(36)} ${build.padEnd(6)} ${row.join('   ')}\n`)
  }
}
