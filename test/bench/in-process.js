// The cost of a call without a socket: node test/bench in-process
// µs of CPU per call, medians of alternating rounds; ratios compare candidates of the same run.
import { Hono } from 'hono'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMock } from 'paylink-mock'
import { createStore } from './servers/store.js'
import { median, formatSpread, formatTable } from './support/numbers.js'
import { newUser } from './support/workloads.js'

const rounds = Number(process.argv[2] ?? 15)
const headers = { authorization: 'Bearer bench', accept: 'application/json', 'content-type': 'application/json' }

const measureTime = async (work, calls) => {
  const start = process.cpuUsage()
  for (let i = 0; i < calls; i++) await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

/** Works that take turns: the µs of each in each round. */
const measure = async (workloads, calls) => {
  const times = Object.fromEntries(Object.keys(workloads).map((name) => [name, []]))
  for (let round = -3; round < rounds; round++)
    for (const [name, work] of Object.entries(workloads)) {
      const time = await measureTime(work, calls)
      if (round >= 0) times[name].push(time)
    }
  return times
}

const expect = (right, what) => {
  if (!right) throw new Error(`A wrong response: ${what}`)
}

const createSeededMock = (records) => {
  const paymentLinks = { active: records / 2, completed: records / 4, canceled: records / 4 }
  return createMock({ seed: { projects: { acme: { generate: { users: records, paymentLinks } } } } })
}

const store = createStore(1000)
const app = new Hono()
app.get('/projects/:project/users/:user', (c) => c.json(store.get(c.req.param('user'))))
app.post('/projects/:project/users', async (c) => c.json(store.addUser(await c.req.json()), 201))

const mock = createSeededMock(1000)
const [{ id }] = (await mock.project('acme').users.list({ limit: 1 })).items
const post = () => ({ method: 'POST', headers, body: JSON.stringify(newUser()) })
const ask = async (fetch, path, init, status) => {
  const response = await fetch(new Request(`http://mock/projects/acme/users${path}`, init))
  const text = await response.text()
  expect(response.status === status && text.includes('"object":"user"'), text)
}

const fetches = await measure(
  {
    'Hono, GET': () => ask(app.fetch, `/${store.users[0].id}`, { headers }, 200),
    'ours, GET': () => ask(mock.fetch, `/${id}`, { headers }, 200),
    'Hono, POST': () => ask(app.fetch, '', post(), 201),
    'ours, POST': () => ask(mock.fetch, '', post(), 201),
  },
  1000,
)
const formatRows = (times, pairs) =>
  pairs.map(([name, beside]) => [
    name,
    median(times[name]).toFixed(1),
    beside ? formatSpread(times[name].map((time, round) => time / times[beside][round])) : '',
  ])
const fetchRows = formatRows(fetches, [
  ['Hono, GET'],
  ['ours, GET', 'Hono, GET'],
  ['Hono, POST'],
  ['ours, POST', 'Hono, POST'],
])
process.stdout.write(`${formatTable(['app.fetch', 'µs', 'over bare Hono'], fetchRows)}\n\n`)

/** A service by hand, without a framework and without duties. */
const createByHand = () => {
  const { addUser, get } = createStore(0)
  return {
    fetch: async (request) =>
      request.method === 'POST'
        ? Response.json(addUser(await request.json()), { status: 201 })
        : Response.json(get(request.url.slice(request.url.lastIndexOf('/') + 1))),
    close: () => {},
  }
}
const runTest = async (create) => {
  const service = create()
  const created = await service.fetch(new Request('http://mock/projects/acme/users', post()))
  const { id } = await created.json()
  for (let n = 0; n < 4; n++) await ask(service.fetch, `/${id}`, { headers }, 200)
  await service.close()
}
const tests = await measure({ 'by hand': () => runTest(createByHand), ours: () => runTest(() => createMock()) }, 1000)
const testRows = formatRows(tests, [['by hand'], ['ours', 'by hand']])
process.stdout.write(`${formatTable(['a service for five calls', 'µs', 'over by hand'], testRows)}\n\n`)

// It replaces the global `fetch`, so it is removed after its measurement.
const users = 'http://mock/projects/acme/users'
const interceptor = setupServer(
  http.get(`${users}/:user`, ({ params }) => HttpResponse.json(store.get(params.user))),
  http.post(users, async ({ request }) => HttpResponse.json(store.addUser(await request.json()), { status: 201 })),
)
interceptor.listen({ onUnhandledRequest: 'error' })
const interceptFetch = (request) => fetch(request)
const interceptions = await measure(
  {
    'ours, GET': () => ask(mock.fetch, `/${id}`, { headers }, 200),
    'MSW, GET': () => ask(interceptFetch, `/${store.users[0].id}`, { headers }, 200),
    'ours, POST': () => ask(mock.fetch, '', post(), 201),
    'MSW, POST': () => ask(interceptFetch, '', post(), 201),
  },
  100,
)
interceptor.close()
const interceptionRows = formatRows(interceptions, [
  ['ours, GET'],
  ['MSW, GET', 'ours, GET'],
  ['ours, POST'],
  ['MSW, POST', 'ours, POST'],
])
process.stdout.write(`${formatTable(['interception', 'µs', 'over ours'], interceptionRows)}\n\n`)

const measureControl = async (records) => {
  const { users, paymentLinks, snapshots, ...project } = createSeededMock(records).project('acme')
  await snapshots.save('here')
  const active = []
  return {
    'create a user': () => users.create(newUser()),
    'create a link': async () => active.push((await paymentLinks.create({ invoice: 'inv_1' })).id),
    'pay a link': async () => {
      const { status } = await paymentLinks.pay(active.pop())
      expect(status === 'completed', status)
    },
    'save a snapshot': () => snapshots.save('there'),
    'restore a snapshot': () => snapshots.restore('here'),
    'reset the project': () => project.reset(),
  }
}

const [few, many] = [await measureControl(100), await measureControl(100_000)]
const control = await measure(
  Object.fromEntries(
    Object.keys(few).flatMap((name) => [
      [`${name}, 100`, few[name]],
      [`${name}, 100,000`, many[name]],
    ]),
  ),
  300,
)
const made = await measure({ createMock: () => createMock().close() }, 100)
const controlRows = Object.keys(few).map((name) => [
  name,
  median(control[`${name}, 100`]).toFixed(1),
  median(control[`${name}, 100,000`]).toFixed(1),
  formatSpread(control[`${name}, 100,000`].map((time, round) => time / control[`${name}, 100`][round])),
])
controlRows.push(['`createMock` and `close`', median(made.createMock).toFixed(1), '', ''])
process.stdout.write(
  `${formatTable(['control interface', '100 rows, µs', '100,000 rows, µs', 'ratio'], controlRows)}\n`,
)
