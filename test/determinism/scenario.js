// One hash over everything that sixteen clients on sixteen projects are answered, alone and side by side.
// Run after `npm run build`: node test/determinism/scenario.js. The same on every machine, in every time zone and locale.
import { createHash } from 'node:crypto'
import { createMock } from 'paylink-mock'

const clients = Array.from({ length: 16 }, (_, index) => `project-${index}`)

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

/** What one client does, and every byte that it is answered. */
const run = async (mock, url, project) => {
  const answers = []
  const send = async (method, path, body) => {
    const response = await fetch(`${url}/projects/${project}${path}`, {
      method,
      headers: { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const headers = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
    answers.push(JSON.stringify([method, path, response.status, headers, text]))
    return JSON.parse(text)
  }
  await send('GET', '/users')
  // Chance is seeded too: which requests are struck, and the id of the fault that strikes them.
  const { id, remove, read } = await mock
    .project(project)
    .faults.add({ match: { operation: 'searchUsers' }, times: null, probability: 0.5, effect: { status: 503 } })
  for (let i = 0; i < 20; i++) await send('POST', '/users/search', { email: 'ada@example.com' })
  answers.push(id, JSON.stringify(await read()))
  await remove()
  for (let i = 0; i < 10; i++) {
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
  answers.push(JSON.stringify(await mock.project(project).state.get()))
  const { items } = await mock.project(project).requests.list()
  answers.push(JSON.stringify(items.map(({ id: request, fault, changes }) => [request, fault, changes])))
  return answers.join('\n')
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

for (const [index, project] of clients.entries())
  if (together[index] !== alone[index]) throw new Error(`The answers of ${project} depend on what runs beside it.`)

process.stdout.write(`${createHash('sha256').update(alone.join('\n')).digest('hex')}\n`)
