import { describe, expect, it } from 'vitest'
import { createDiagnostics } from '../../src/core/traffic/diagnostics.ts'
import type { Mock } from '../../src/node/index.ts'
import { type StoredRequest } from '../../src/core/traffic/journal.ts'
import { describeControl } from '../support/control.ts'
import { describeMatrix } from '../support/api.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
const email = new TextEncoder().encode('{"email":"a@b.c"}')
const acme = { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }

describeMatrix('a violation', (start) => {
  /** Sends one request and returns its violations, without the counts. */
  const violationsOf = async (
    [method, path, sending = {}]: [
      string,
      string,
      { body?: unknown; raw?: RequestInit['body']; headers?: Record<string, string> }?,
    ],
    options = {},
  ) => {
    const { mock, send } = await start({ seed: { projects: { acme } }, ...options })
    const { headers } = await send(method, path, sending)
    const { items } = await mock.violations.list()
    const entry = await mock.requests.get(headers.get('mock-request-id')!)
    expect(entry.violations).toEqual(items.map(({ spec, path: place, message }) => ({ spec, path: place, message })))
    return items.map(({ spec, path: place, message, operation }) => ({ spec, path: place, message, operation }))
  }

  it('is never a request that the specification allows', async () => {
    const { mock, get, post, patch, send } = await start()
    const { body: user } = await post(users, { email: 'a@b.c', fullName: null })
    await patch(`${users}/${user.id}`, { email: 'c@d.e' })
    await post(`${users}/search`, { email: 'c@d.e' })
    await get(`${users}?limit=0`)
    await send('DELETE', `${users}/${user.id}`)
    const { body: made } = await post(links, link)
    await post(`${links}/${made.id}/cancel`)
    await get(`${links}?status=active,canceled&invoice=inv_1`)
    // These requests are rejected, but valid.
    await get(`${users}/${user.id}`)
    await post(`${links}/${made.id}/cancel`)
    expect(await mock.violations.list()).toEqual({ object: 'list', items: [], dropped: 0 })
    expect(await mock.violations.verify()).toEqual({ object: 'list', items: [], dropped: 0 })
  })

  it.each([
    ['is missing', undefined, 'it is missing'],
    ['admits JSON without naming it', '*/*', "got '*/*'"],
    ['asks for something else', 'text/html', "got 'text/html'"],
  ])('is an Accept that %s', async (_, accept, got) => {
    const found = await violationsOf(['GET', users, { headers: { accept: accept ?? '' } }])
    const message = `The accept header must be 'application/json' (${got}).`
    expect(found).toEqual([{ spec: '§5', path: 'headers.accept', message, operation: 'listUsers' }])
  })

  const withJson = ['application/json;q=0.9', 'text/html, application/json', 'application/problem+json, */*']
  it.each(withJson)('is no Accept that names JSON among others: %s', async (accept) => {
    expect(await violationsOf(['GET', users, { headers: { accept } }])).toEqual([])
  })

  it('shows at most a hundred characters of a header', async () => {
    const [found] = await violationsOf(['GET', users, { headers: { accept: `text/${'x'.repeat(200)}` } }])
    expect(found!.message).toBe(`The accept header must be 'application/json' (got 'text/${'x'.repeat(95)}...').`)
  })

  it('is an unknown field or parameter, with the nearest right name', async () => {
    const message = (name: string, right: string, noun = 'field') =>
      `${name} is not a ${noun} here; did you mean '${right}'?`
    expect(await violationsOf(['POST', users, { body: { email: 'a@b.c', fullname: 'A' } }])).toEqual([
      { spec: '§4.1', path: 'fullname', message: message('fullname', 'fullName'), operation: 'createUser' },
    ])
    expect(await violationsOf(['GET', `${links}?satus=active`])).toMatchObject([
      { spec: '§4.2', path: 'satus', message: message('satus', 'status', 'parameter') },
    ])
  })

  it.each(['any', 'prefix'] as const)('is an invoice without its prefix, with invoiceIds=%s', async (invoiceIds) => {
    const body = { invoice: '42', type: 'partner', partner: { user: {} } }
    expect(await violationsOf(['POST', links, { body }], { behaviors: { invoiceIds } })).toMatchObject([
      { spec: '§2.1', path: 'invoice', message: "invoice must start with 'inv_' (got '42')." },
    ])
  })

  it('is every invalid field of a rejected body or query', async () => {
    expect(await violationsOf(['POST', users, { body: { email: 7, birthday: 'today' } }])).toMatchObject([
      { spec: '§4.1', path: 'email' },
      { spec: '§4.1', path: 'birthday' },
    ])
    expect(await violationsOf(['GET', `${users}?limit=201&after=usr_1&before=usr_1`])).toMatchObject([
      { spec: '§4.1', path: 'limit' },
      { spec: '§4.1', path: 'after' },
      { spec: '§4.1', path: 'before' },
    ])
  })

  it('is limited to a hundred per request with more unknown fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field${i}`, 1]))
    expect(await violationsOf(['POST', users, { body: { email: 'a@b.c', ...many } }])).toHaveLength(100)
  })

  it('has a message of bounded length', async () => {
    const [found] = await violationsOf(['GET', `/projects/acme/${'x'.repeat(5000)}`])
    expect(found!.message).toMatch(/^No route .{1,491}$/)
  })

  it('is every unknown and every invalid field once, also where unknown fields are rejected', async () => {
    const body = { email: 7, nonsense: 1 }
    for (const options of [{}, { behaviors: { unknownFields: 'reject' } }]) {
      const found = await violationsOf(['POST', users, { body }], options)
      expect(found.map(({ path }) => path).toSorted()).toEqual(['email', 'nonsense'])
    }
  })

  const plain = { 'content-type': 'text/plain' }
  it.each([
    ['no token', ['GET', users, { headers: { authorization: '' } }], '§5', 'headers.authorization'],
    ['a route that does not exist', ['GET', '/projects/acme/user'], '§4', 'path'],
    ['a route outside the projects', ['GET', '/project/acme/users'], '§4', 'path'],
    ['a method that the route does not have', ['PUT', users], '§4', 'method'],
    ['an id of another kind', ['GET', `${users}/pml_1`], '§2.1', 'path'],
    ['an id of no kind', ['GET', `${users}/nothing`], '§2.1', 'path'],
    ['a body that is no JSON', ['POST', users, { raw: '{' }], '§1', 'body'],
    ['no content type', ['POST', users, { raw: email, headers: { 'content-type': '' } }], '§5', 'headers.content-type'],
    ['another content type', ['POST', users, { raw: 'a=b', headers: plain }], '§5', 'headers.content-type'],
    ['an unexpected body', ['DELETE', `${users}/usr_1`, { body: {} }], '§4.1', 'body'],
    ['an unexpected body of a cancel', ['POST', `${links}/pml_1/cancel`, { body: {} }], '§4.2', 'body'],
    ['a cursor that never existed', ['GET', `${users}?after=usr_none`], '§4.1', 'after'],
  ] as [string, Parameters<typeof violationsOf>[0], string, string][])('is %s', async (_, request, spec, path) => {
    expect(await violationsOf(request)).toMatchObject([{ spec, path }])
  })
})

describeControl('violations', (start) => {
  const send = (mock: Mock, path: string, accept = '') =>
    mock.fetch(path, { headers: { authorization: 'Bearer t', accept } })

  it('are counted per project and for all, with the first request of each', async () => {
    const { mock, control } = await start()
    const first = await send(mock, users)
    await send(mock, users)
    await send(mock, '/projects/beta/users')
    const { items } = await control.project('acme').violations.list()
    expect(items).toMatchObject([{ count: 2, first: first.headers.get('mock-request-id'), operation: 'listUsers' }])
    expect((await control.violations.list()).items.map(({ count }) => count)).toEqual([2, 1])
    expect((await control.project('gamma').violations.list()).items).toEqual([])
  })

  it('fail an assertion that lists them with their sections', async () => {
    const { mock, control } = await start()
    await send(mock, `${users}?lmit=1`)
    await expect(control.project('beta').violations.verify()).resolves.toMatchObject({ items: [] })
    await expect(control.project('acme').violations.verify()).rejects.toMatchObject({
      code: 'violationsFound',
      status: 409,
      message: expect.stringMatching(/accept header must be .* \(§5\)\nlistUsers: lmit is not .*'limit'\? \(§4\.1\)$/),
    })
  })

  it('survive clearing the journal, and are cleared by a reset', async () => {
    const { mock, control } = await start({ journalSize: 0 })
    await send(mock, users)
    await send(mock, '/projects/beta/users')
    expect((await control.violations.list()).items).toHaveLength(2)
    await control.project('acme').reset()
    expect((await control.violations.list()).items).toHaveLength(1)
    await control.reset()
    expect((await control.violations.list()).items).toEqual([])
  })
})

describeControl('assumptions', (start) => {
  const send = async (mock: Mock, project: string, method = 'POST', body: object = { email: 'a@b.c' }) =>
    (
      await mock.fetch(`/projects/${project}/users`, {
        method,
        headers: { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      })
    ).headers.get('mock-request-id')

  it('are the behavior values that responses relied on, with counts and the first request of each', async () => {
    const { mock, control } = await start({ seed: { projects: { acme: {} } } })
    const first = await send(mock, 'acme')
    const second = await send(mock, 'acme')
    const third = await send(mock, 'acme', 'GET')
    expect(await control.project('acme').assumptions()).toEqual([
      { key: 'createStatus', value: 201, count: 2, first },
      { key: 'emailVerifiedOnCreate', value: true, count: 2, first },
      { key: 'duplicateEmail', value: 'allow', count: 1, first: second },
      { key: 'listFreshness', value: 'immediate', count: 1, first: third },
    ])
    expect(await control.project('beta').assumptions()).toEqual([])
  })

  it('are summed over projects, and counted separately for each behavior value', async () => {
    const { mock, control } = await start({ seed: { projects: { acme: {}, beta: {} } } })
    const first = await send(mock, 'acme')
    await control.project('beta').behaviors.set({ createStatus: 200 })
    const other = await send(mock, 'beta')
    await control.project('beta').behaviors.set({ createStatus: 201 })
    await send(mock, 'beta')
    const assumed = await control.assumptions()
    expect(assumed.filter(({ key }) => key === 'createStatus')).toEqual([
      { key: 'createStatus', value: 201, count: 2, first },
      { key: 'createStatus', value: 200, count: 1, first: other },
    ])
    await control.reset()
    expect(await control.assumptions()).toEqual([])
  })
})

describe('diagnostics', () => {
  const recorded = (project: string, id: string, field: string) => {
    const violations = [{ spec: '§4', path: field, message: `${field} is wrong.` }]
    return { project, id, assumed: { [field]: 1 }, violations } as unknown as StoredRequest
  }

  it('of several projects are in the order of their first occurrence', () => {
    const diagnostics = createDiagnostics()
    diagnostics.add(recorded('acme', 'req_1', 'a'))
    diagnostics.add(recorded('beta', 'req_2', 'b'))
    diagnostics.add(recorded('acme', 'req_3', 'b'))
    expect(diagnostics.listViolations().items.map(({ first }) => first)).toEqual(['req_1', 'req_2', 'req_3'])
    expect(diagnostics.listAssumptions()).toEqual([
      { key: 'a', value: 1, count: 1, first: 'req_1' },
      { key: 'b', value: 1, count: 2, first: 'req_2' },
    ])
  })

  it('keep a thousand different violations of a project, and count the dropped ones', () => {
    const diagnostics = createDiagnostics()
    for (let i = 0; i < 1500; i++) diagnostics.add(recorded('acme', `req_${i}`, `field${i}`))
    const { items, dropped } = diagnostics.listViolations('acme')
    expect([items.length, dropped]).toEqual([1000, 500])
    expect(() => diagnostics.verifyNoViolations()).toThrow(/and 1495 more$/)
    // The error lists a hundred of them.
    const list = expect.objectContaining({ details: expect.objectContaining({ length: 100 }) })
    expect(() => diagnostics.verifyNoViolations()).toThrow(list)
  })
})
