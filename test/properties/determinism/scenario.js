// One hash over all responses to clients on projects of their own: alone, and concurrently on one mock.
// Run after `npm run build`: node test/properties/determinism/scenario.js <number of clients>. The same on every machine, in every time zone and locale.
import { createHash } from 'node:crypto'
import { createMock } from 'paylink-mock'

const clients = Array.from({ length: Number(process.argv[2]) }, (_, index) => `project-${index}`)

const start = async () => {
  const template = {
    preferredLocale: 'pt-BR',
    users: [{ email: 'ada@example.com', metadata: { plan: 'family' } }],
    generate: { users: 12, paymentLinks: { active: 5, completed: 3, canceled: 2 } },
  }
  const mock = createMock({
    seed: { idSeed: 'determinism', template },
    clock: 'stepping',
    publicUrl: 'https://mock.example',
  })
  return { mock, server: await mock.listen() }
}

/** Runs one client and returns every byte of its responses. */
const run = async (mock, url, project) => {
  const responses = []
  const send = async (method, path, body) => {
    const response = await fetch(`${url}/projects/${project}${path}`, {
      method,
      headers: { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const headers = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
    responses.push(JSON.stringify([method, path, response.status, headers, text]))
    return JSON.parse(text)
  }
  const following = followed(mock.project(project))
  await send('GET', '/users')
  // Random draws are seeded, too: the requests that a fault applies to, and the id of the fault.
  const { id, remove, refresh } = await mock
    .project(project)
    .faults.add({ match: { operation: 'searchUsers' }, times: null, probability: 0.5, effect: { status: 503 } })
  for (let i = 0; i < 6; i++) await send('POST', '/users/search', { email: 'ada@example.com' })
  responses.push(id, JSON.stringify(await refresh()))
  await remove()
  for (let i = 0; i < 3; i++) {
    const user = await send('POST', '/users', {
      email: `user${i}@example.com`,
      metadata: { i, ü: 'é', list: [1.5, null] },
    })
    await send('PATCH', `/users/${user.id}`, { fullName: `Ünïcode ${i}`, birthday: '2000-02-29' })
    if (i % 3 === 0) await send('DELETE', `/users/${user.id}`)
    await send('POST', '/users/search?limit=3', { email: 'USER1@example.com' })
    const partner = { user: { fullName: 'Ada' }, redirectUrl: 'https://shop.example/ü' }
    const link = await send('POST', '/paymentLinks', { invoice: `inv_${i}`, type: 'partner', partner })
    await mock.project(project).paymentLinks.pay(link.id, { when: { reads: 2 } })
    await send('GET', `/paymentLinks/${link.id}`)
    await send('GET', `/paymentLinks/${link.id}`)
    await send('POST', `/paymentLinks/${link.id}/cancel`)
    await send('GET', `/paymentLinks?status=active,completed&limit=4&after=${link.id}`)
    await send('POST', '/users', { email: 'nobody', birthday: '2023-02-29' })
    await send('GET', '/nowhere')
  }
  responses.push(...(await callCommands(mock.project(project), send)))
  responses.push(JSON.stringify(await mock.project(project).state.get()))
  responses.push(...(await listTraffic(mock.project(project))))
  await mock.project(project).users.create({ email: 'last@example.com' })
  responses.push(...(await following))
  return responses.join('\n')
}

/** Scheduled payments, the clock, snapshots, documents, and every kind of fault that needs no time. */
const callCommands = async (control, send) => {
  const said = []
  const say = async (promise) => said.push(JSON.stringify(await promise.catch((error) => error)))
  const { id } = await control.paymentLinks.create({ invoice: 'inv_planned' })
  await say(control.paymentLinks.pay(id, { when: { in: 90_000 } }))
  await say(control.snapshots.save('scheduled'))
  await say(control.clock.advance(60_000))
  await say(control.scheduledPayments.list())
  await say(control.clock.advance(60_000))
  await send('GET', `/paymentLinks/${id}`)
  await say(control.snapshots.restore('scheduled'))
  await send('GET', `/paymentLinks/${id}`)
  await say(control.behaviors.set({ timestampPrecision: 'seconds', paymentLinkOrder: 'oldestFirst' }))
  await send('GET', '/paymentLinks?limit=5')
  for (const [rule, path] of [
    [
      { match: { operation: 'listUsers' }, skip: 1, effect: { status: 503, headers: { 'retry-after': '1' } } },
      '/users',
    ],
    [{ effect: { rateLimit: { limit: 1, window: 60_000 } } }, '/users?limit=1'],
    [{ phase: 'after', effect: { status: 500, body: { lost: true } } }, '/paymentLinks?limit=1'],
  ]) {
    const fault = await control.faults.add(rule)
    await send('GET', path)
    await send('GET', path)
    await say(fault.refresh())
    await fault.remove()
  }
  const document = await control.state.get()
  await say(control.reset())
  await say(control.state.put(document))
  await send('GET', '/users?limit=3')
  await send('POST', '/users', { email: 'after@example.com' })
  await say(control.requests.verify({ match: { operation: 'createUser' }, times: { exactly: 1 } }))
  await say(control.requests.verify({ match: { operation: 'createPaymentLink' } }))
  await say(control.requests.verify({ sequence: [{ operation: 'listUsers' }, { operation: 'createUser' }] }))
  return said
}

/** The journal and the diagnostics, without durations. */
const listTraffic = async (control) => {
  const { items } = await control.requests.list()
  const written = items.map((entry) => ({ ...entry, durationMilliseconds: 0, request: entry.request.body }))
  written.push(await control.assumptions(), await control.violations.list())
  return written.map((one) => JSON.stringify(one))
}

/** The events of the records and the state, without their ids, which all projects share. */
const followed = async (control) => {
  const events = []
  for await (const { id, ...event } of control.events()) {
    if (event.type !== 'request') events.push(JSON.stringify(event.type === 'fault' ? event.fault : event))
    if (event.type === 'change' && event.change.to?.email === 'last@example.com') return events
  }
  throw new Error(`The events of ${control.id} ended too early.`)
}

const alone = []
for (const project of clients) {
  const { mock, server } = await start()
  alone.push(await run(mock, server.url, project))
  await mock.close()
}
const { mock, server } = await start()
const together = await Promise.all(clients.map((project) => run(mock, server.url, project)))
await mock.close()

for (const [index, responses] of together.entries()) {
  if (responses !== alone[index]) throw new Error(`The responses of ${clients[index]} depend on other clients.`)
}

process.stdout.write(`${createHash('sha256').update(alone.join('\n')).digest('hex')}\n`)
