// What writing requests down costs: the same requests with the journal and without, in rounds that take turns.
// `npm run bench:journal`
import { Hono } from 'hono'
import { createTokens } from '../../dist/domain/tokens.js'
import { createStore as createWorld } from '../../dist/domain/store.js'
import { mountApi } from '../../dist/http/api.js'
import { paymentLinkOperations } from '../../dist/http/payment-links.js'
import { userOperations } from '../../dist/http/users.js'
import { createTraffic } from '../../dist/traffic/traffic.js'
import { InProcessLine } from '../../dist/wire/in-process.js'

const rounds = 40
const calls = 1500
const headers = {
  authorization: 'Bearer bench',
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'bench',
}

/** The mocked API, put together as the mock does it; without the journal nothing of a request is kept. */
const start = (kept) => {
  const chance = { draw: (project) => world.draw(project), now: (project) => world.timeOf(project) }
  const traffic = createTraffic({}, chance)
  const world = createWorld({
    systemNow: Date.now,
    seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'a@b.c' }] } } },
  })
  const operations = [...userOperations, ...paymentLinkOperations('partner')]
  const app = new Hono()
  mountApi(app, operations, '')
  const api = {
    world,
    tokens: createTokens(),
    traffic: kept ? traffic : { ...traffic, record: () => {} },
    operations,
    provider: 'partner',
    basePath: '',
    bodyLimit: 1024 * 1024,
    paymentUrl: () => '',
    systemNow: Date.now,
    onProjectCreated: () => {},
    onError: console.error,
  }
  return (request) => {
    const line = new InProcessLine(request)
    if (!kept) line.headers = () => []
    return app.fetch(request, { api, line })
  }
}

const works = {
  'retrieve a user': () => new Request('http://mock/projects/acme/users/usr_1', { headers }),
  'list ten users': () => new Request('http://mock/projects/acme/users', { headers }),
  'create a user': () =>
    new Request('http://mock/projects/acme/users', { method: 'POST', headers, body: '{"email":"ada@example.com"}' }),
}

const measure = async (answer, work) => {
  const before = process.cpuUsage()
  for (let i = 0; i < calls; i++) {
    const response = await answer(work())
    if (response.status >= 300) throw new Error(`It answers ${response.status}.`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

console.log('| Call | without, µs | with, µs | cost |\n| --- | --- | --- | --- |')
for (const [name, work] of Object.entries(works)) {
  const times = { without: [], with: [] }
  const sides = [
    ['without', start(false)],
    ['with', start(true)],
  ]
  for (let round = 0; round < rounds; round++)
    for (const [side, answer] of round % 2 ? sides : sides.toReversed()) {
      const time = await measure(answer, work)
      if (round > 3) times[side].push(time)
    }
  const [without, kept] = [median(times.without), median(times.with)]
  console.log(`| ${name} | ${without.toFixed(1)} | ${kept.toFixed(1)} | ${((kept / without - 1) * 100).toFixed(1)}% |`)
}
