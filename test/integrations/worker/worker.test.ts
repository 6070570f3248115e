// Proves: Control API.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paylinkWorker } from '../../../src/worker/index.ts'
import { tellStory } from '../story/story.js'
import { baseUrl, createStorage, startWorker } from './support/worker.ts'
import { readJson, readResponse, readText } from '../../support/read.ts'

const creating = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"email":"ada@example.com"}',
}

it('tells the story, in projects side by side that have an object each', async () => {
  const { call, admin, stores } = startWorker()
  await Promise.all(
    ['a', 'b', 'c'].map((project) =>
      tellStory({
        baseUrl,
        token: 't',
        project,
        fetch: (url, init) => call(url, init),
        pay: ({ id }) => admin.project(project).paymentLinks.pay(id),
      }),
    ),
  )
  expect([...stores.keys()].toSorted()).toEqual(['a', 'b', 'c'])
})

it('shows the payment page of a link, and takes the payment', async () => {
  const { call, admin, stores } = startWorker()
  const { id, paymentUrl } = await admin.project('ac me').paymentLinks.create({ invoice: 'inv_1' })
  expect(paymentUrl).toBe(`${baseUrl}/pay/ac%20me/${id}`)
  const paid = await call(paymentUrl, { method: 'POST', body: new URLSearchParams({ outcome: 'succeeded' }) })
  expect(paid.status).toBe(200)
  expect(await admin.project('ac me').paymentLinks.get(id)).toMatchObject({ status: 'completed' })
  expect((await call('/pay/style.css')).status).toBe(200)
  expect([...stores.keys()]).toEqual(['ac me'])
})

it('takes a base path before the operations', async () => {
  const { call, storeOf } = startWorker({ basePath: '/v1' })
  expect((await call('/v1/projects/acme/users')).status).toBe(200)
  expect(storeOf('acme').kept().size).toBeGreaterThan(0)
  expect((await call('/projects/acme/users')).status).toBe(404)
})

it.each(['/healthz', '/__admin/health', '/openapi.json', '/__admin/openapi.json'])('responds to %s', async (path) => {
  const { call, stores } = startWorker()
  expect((await call(path)).status).toBe(200)
  expect(stores.size).toBe(0)
})

it.each([
  ['/projects/acme/users', {}],
  ['/projects/acme/users', undefined],
  ['/__admin/projects/acme', { PAYLINK_MOCK_ADMIN_TOKEN: 'none' }],
])('responds to %s without the binding of its objects with an explanation: %o', async (path, env) => {
  const response = await paylinkWorker().fetch(new Request(`${baseUrl}${path}`), env as never)
  expect(await readJson(response, 422)).toMatchObject({
    code: 'invalidOptions',
    message: 'The Worker has no binding PROJECTS. Bind it to the Durable Objects of the exported class Project.',
  })
})

it('controls one project at a time, and says so', async () => {
  const { admin } = startWorker()
  await expect(admin.reset()).rejects.toMatchObject({
    code: 'routeNotFound',
    message: 'POST /__admin/reset is for all projects, but each project is a separate object here.',
  })
})

it.each([
  ['without its token', 'secret', 'Bearer wrong', 401],
  ['where no token is set', undefined, 'Bearer undefined', 401],
  ['with its token', 'secret', 'Bearer secret', 200],
  ['where it is left open', 'none', '', 200],
])('serves the control API %s', async (_, token, authorization, status) => {
  const worker = paylinkWorker()
  const object = new worker.Project({ storage: createStorage().storage, abort: () => {} })
  const PROJECTS = { idFromName: (name: string) => name, get: () => object }
  const headers = { host: 'mock.example.workers.dev', authorization }
  const request = new Request(`${baseUrl}/__admin/projects/acme`, { headers })
  expect((await worker.fetch(request, { PROJECTS, PAYLINK_MOCK_ADMIN_TOKEN: token })).status).toBe(status)
})

const paths = ['/__%61dmin/state', '/%5F%5Fadmin/state', '/__%61dmin/projects/acme/state', '/__admin/%73tate']
it.each(paths)('does not serve the control API without its token when its path is written as %s', async (path) => {
  const { call } = startWorker({ seed: { projects: { acme: { users: [{ email: 'ada@example.com' }] } } } })
  expect((await call(path)).status).toBe(401)
  const body = JSON.stringify({ projects: {} })
  const headers = { 'content-type': 'application/json' }
  expect((await call(path, { method: 'PUT', headers, body })).status).toBe(401)
})

it('shows no id of a record on the pages, which everybody can read', async () => {
  const users = [{ id: 'usr_private', email: 'ada@example.com' }]
  const { call } = startWorker({ tokens: ['t'], seed: { projects: { acme: { users } }, template: { users } } })
  const response = await call('/docs')
  expect(response.status).toBe(200)
  expect(await response.text()).not.toContain('usr_private')
})

const pages = [
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]
it.each(pages)('keeps a web page that sends %o off the control API', async (sent) => {
  const { call } = startWorker()
  const headers = { ...sent, authorization: 'Bearer secret' }
  expect((await call('/__admin/projects/acme/reset', { method: 'POST', headers })).status).toBe(403)
})

it('serves the control API to its own pages', async () => {
  const { call } = startWorker()
  const headers = { origin: baseUrl, 'sec-fetch-site': 'same-origin', authorization: 'Bearer secret' }
  expect((await call('/__admin/projects/acme/reset', { method: 'POST', headers })).status).toBe(200)
})

describe('the dashboard', () => {
  const seed = { projects: { acme: { users: [{ email: 'ada@example.com' }] }, beta: {} } }
  const token = { headers: { authorization: 'Bearer secret' } }

  const frames = ['/__admin/?project=acme', '/__admin/dashboard/style.css?project=acme', '/__admin/dashboard/script.js']
  it.each(frames)('has no data and needs no token at %s', async (path) => {
    const { call, stores } = startWorker({ seed })
    const response = await call(path)
    expect([response.status, (await response.text()).includes('ada@example.com')]).toEqual([200, false])
    expect(stores.size).toBe(0)
  })

  it.each(['users', '%75sers'])('shows the records of one project with the token at %s', async (view) => {
    const { call, stores } = startWorker({ seed })
    const path = `/__admin/dashboard/${view}?project=acme`
    expect((await call(path)).status).toBe(401)
    expect(stores.size).toBe(0)
    const response = await call(path, token)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('ada@example.com')])
    expect([...stores.keys()]).toEqual(['acme'])
  })

  it('offers no project of another object', async () => {
    const { call } = startWorker({ seed })
    const text = await readText(call('/__admin/dashboard/bar?project=acme', token))
    expect([text.includes('>acme<'), text.includes('>beta<')]).toEqual([true, false])
  })

  it.each(['/__admin/dashboard/bar', '/__admin/dashboard/bar?project='])('asks for a project at %s', async (path) => {
    const { call, stores } = startWorker({ seed })
    const response = await call(path, token)
    expect(Object.values(await readResponse(response))).toMatchObject([
      404,
      { code: 'routeNotFound', hint: 'Open the dashboard of one project: /__admin/?project={project}' },
    ])
    expect(stores.size).toBe(0)
  })

  it('leads from /__admin to the frame', async () => {
    const response = await startWorker().call('/__admin?project=acme')
    expect([response.status, response.headers.get('location')]).toEqual([307, '__admin/?project=acme'])
  })
})

it('streams the events of a project', async () => {
  const { admin, call } = startWorker()
  const { body } = await call('/__admin/projects/acme/events', { headers: { authorization: 'Bearer secret' } })
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  await admin.project('acme').users.create({ id: 'usr_1', email: 'ada@example.com' })
  await reader.read()
  expect((await reader.read()).value).toMatch(/^event: change\ndata: .*usr_1.*\nid: 1\n/)
  await reader.cancel()
})

it('serves a project whose name is that of the control API', async () => {
  const { call, stores } = startWorker()
  expect((await call('/projects/__admin/users')).status).toBe(200)
  expect([...stores.keys()]).toEqual(['__admin'])
})

const encodedPaths =
  '/%70rojects/acme/users /projects/%61cme/users /projects/acme/%75sers /%70%72ojects/%61cm%65/users'.split(' ')
it.each(encodedPaths)('writes to the project that %s names', async (path) => {
  const { call, admin, stores } = startWorker()
  expect((await call(path, creating)).status).toBe(201)
  expect([...stores.keys()]).toEqual(['acme'])
  expect(await admin.project('acme').summary()).toMatchObject({ users: 1 })
})

it.each([
  ['/projects/a%2Fb/users', 'a/b'],
  ['/projects/a%252Fb/users', 'a%2Fb'],
  ['/projects/%25FF/users', '%FF'],
  ['/projects/100%25/users', '100%'],
  ['/projects/%C3%BC/users', 'ü'],
  ['/projects/a%20b/users', 'a b'],
  ['/projects/a+b/users', 'a+b'],
])('sends %s to the object of the project that the router finds, %s', async (path, project) => {
  const { call, stores } = startWorker()
  expect((await call(path)).status).toBe(200)
  expect([...stores.keys()]).toEqual([project])
  const page = await call(path.replace('/projects/', '/pay/').replace('/users', '/pml_no'))
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
  const summary = await call(path.replace('/projects/', '/__admin/projects/').replace('/users', ''), {
    headers: { authorization: 'Bearer secret' },
  })
  expect(await readJson(summary)).toMatchObject({ id: project })
  expect([...stores.keys()]).toEqual([project])
})

it.each([
  ...'/projects/%FF/users /projects/%zz/users /projects/100%/users /%70rojects/%ff/users /pay/%FF/pml_1'
    .split(' ')
    .map((path) => [path, 'whose project cannot be decoded', 400, 'malformedRequest'] as const),
  ...'/projects /projects/ /projects//users /%70rojects//users'
    .split(' ')
    .map((path) => [path, 'which names no project', 404, 'routeNotFound'] as const),
])('rejects %s, %s', async (path, _, status, code) => {
  const { call, stores } = startWorker()
  expect(await readJson(call(path, creating), status)).toMatchObject({ object: 'error', code })
  expect(stores.size).toBe(0)
})

it('writes only to projects that have an object, however a path is encoded', async () => {
  const characters = Array.from('projects/acme/users')
  const encodings = fc.tuple(...characters.map((one) => fc.constantFrom(one, `%${one.charCodeAt(0).toString(16)}`)))
  const property = fc.asyncProperty(encodings, async (encoded) => {
    const { call, stores, storeOf } = startWorker()
    const { status } = await call(`/${encoded.join('')}`, creating)
    if (status === 201) expect([[...stores.keys()], storeOf('acme').kept().size > 0]).toEqual([['acme'], true])
    else expect(status).toBe(404)
  })
  await fc.assert(property, { numRuns: 25 })
})

describe('a sandbox', () => {
  it('has an object of its own for each project, which keeps its state', async () => {
    const { call, admin, stores, sleep } = startWorker()
    const shop = admin.sandbox('shop-1').project('acme')
    const { id, paymentUrl } = await shop.paymentLinks.create({ invoice: 'inv_1' })
    expect(paymentUrl).toBe(`${baseUrl}/@shop-1/pay/acme/${id}`)
    sleep()
    const body = new URLSearchParams({ outcome: 'succeeded' })
    expect((await call(paymentUrl, { method: 'POST', body })).status).toBe(200)
    const link = await call(`/@shop-1/projects/acme/paymentLinks/${id}`)
    expect(await readJson(link)).toMatchObject({ status: 'completed', paymentUrl })
    expect((await call(`/projects/acme/paymentLinks/${id}`)).status).toBe(404)
    expect((await call(`/%40shop-2/projects/acme/paymentLinks/${id}`)).status).toBe(404)
    expect([...stores.keys()]).toEqual(['@shop-1/acme', 'acme', '@shop-2/acme'])
  })

  it('is no project of the root with a similar name', async () => {
    const { admin, stores } = startWorker()
    await admin.project('@a/acme').users.create({ email: 'ada@example.com' })
    expect((await admin.sandbox('a').project('acme').summary()).users).toBe(0)
    expect([...stores.keys()]).toEqual(['@/@a/acme', '@a/acme'])
  })

  it.each([
    ['GET', '/__admin/sandboxes'],
    ['DELETE', '/__admin/sandboxes'],
    ['DELETE', '/__admin/sandboxes/a'],
    ['GET', '/@a/__admin/sandboxes'],
    ['GET', '/@a/__admin/projects'],
    ['GET', '/@a/@b/projects/acme/users'],
    ['GET', '/@a%20b/projects/acme/users'],
  ])('is not found by %s %s', async (method, path) => {
    const { call, stores } = startWorker()
    const response = await call(path, { method, headers: { authorization: 'Bearer secret' } })
    expect((await readJson(response, 404)).code).toBe('routeNotFound')
    expect([...stores.keys()]).toEqual([])
  })

  it('has its own pages, and needs the admin token', async () => {
    const { call } = startWorker()
    expect((await readJson(call('/@a/openapi.json'))).servers[0].url).toBe('/@a')
    expect((await call('/@a/__admin/projects/acme')).status).toBe(401)
    const headers = { authorization: 'Bearer secret' }
    const bar = await readText(call('/@a/__admin/dashboard/bar?project=acme', { headers }))
    expect(bar).toContain('<option value="../../@a/__admin/" selected>a</option>')
  })
})
