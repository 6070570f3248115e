// Proves: HTTP edge, Methods.
import { describe, expect, it } from 'vitest'
import { errorResponse, startApi, describeMatrix } from '../support/api.ts'
import { countDistinct } from '../support/read.ts'
import { errors } from '../../src/core/schema/error.ts'

const users = '/projects/acme/users'

describeMatrix('Authorization', (start) => {
  const malformedTokens = [undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'any', 'xBearer x', 'Bearer x y']
  it.each(malformedTokens)('rejects %j [§5]', async (authorization) => {
    const { send } = await start()
    const response = await send('GET', users, { headers: { authorization } })
    expect(response).toMatchObject(errorResponse(401, 'tokenMissing'))
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    const error = errors.tokenMissing({ isMalformed: Boolean(authorization), anyTokenIsValid: true })
    expect(response.body).toEqual(error.toJSON())
  })

  it.each(['Bearer x', 'bearer x', 'BEARER   x'])('admits %j while no token is configured', async (authorization) => {
    const { send } = await start()
    expect(await send('GET', users, { headers: { authorization } })).toMatchObject({ status: 200 })
  })

  const tokens = [
    { token: 'tok_all' },
    { token: 'tok_acme', projects: ['acme'] },
    { token: 'tok_none', projects: [] },
    { token: 'tok_ended', expiresAt: '2025-06-01T12:00:00.000Z' },
    { token: 'tok_good', expiresAt: '2025-06-01T12:00:00.001Z' },
  ]
  const hints = {
    tokenMissing: errors.tokenMissing({ isMalformed: true, anyTokenIsValid: false }).hint,
    tokenInvalid: errors.tokenInvalid().hint,
    tokenExpired: errors.tokenExpired('2025-06-01T12:00:00.000Z').hint,
    tokenNotForProject: errors.tokenNotForProject('beta').hint,
    routeNotFound: expect.any(String),
  }
  it.each([
    ['tok_all', users, 200, undefined],
    ['tok_acme', users, 200, undefined],
    ['tok_good', users, 200, undefined],
    ['tok_none', users, 403, 'tokenNotForProject'],
    ['tok_acme', '/projects/beta/users', 403, 'tokenNotForProject'],
    ['tok_acme', '/projects', 404, 'routeNotFound'],
    ['', users, 401, 'tokenMissing'],
    ['tok_ended', users, 401, 'tokenExpired'],
    ['tok_other', users, 401, 'tokenInvalid'],
    ['tok_al', users, 401, 'tokenInvalid'],
    ['tok_alll', users, 401, 'tokenInvalid'],
  ] as const)('returns the configured token %s on %s with %i', async (token, path, status, code) => {
    const { send } = await start({ seed: { tokens } })
    const response = await send('GET', path, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(status)
    if (code) expect([response.body.code, response.body.hint]).toEqual([code, hints[code]])
  })

  it('prefers tokens of the options to those of the seed', async () => {
    const { send } = await start({ seed: { tokens }, tokens: ['tok_option'] })
    const status = async (token: string) =>
      (await send('GET', users, { headers: { authorization: `Bearer ${token}` } })).status
    expect([await status('tok_option'), await status('tok_all')]).toEqual([200, 401])
    const { get } = await start({ seed: { tokens }, tokens: [] })
    expect(await get(users)).toMatchObject({ status: 200 })
  })
})

describeMatrix('the order of error', (start) => {
  // Each request also has all the mistakes that are checked later.
  const bad = { headers: { 'content-type': 'text/plain' }, raw: '{' }
  const anonymous = { headers: { authorization: '' } }
  it.each([
    ['authentication first', 'POST', '/projects/acme/nowhere', { ...bad, ...anonymous }, 'tokenMissing'],
    ['then the route', 'POST', '/projects/acme/nowhere', bad, 'routeNotFound'],
    ['then the method', 'PUT', `${users}/usr_x`, bad, 'methodNotAllowed'],
    ['then the headers', 'PATCH', `${users}/usr_x?limit=x`, bad, 'unsupportedMediaType'],
    ['then the resource in the path', 'PATCH', `${users}/usr_x?limit=x`, { raw: '{' }, 'userNotFound'],
    ['then the query', 'POST', `${users}/search?limit=x`, { raw: '{' }, 'invalidQuery'],
    ['and its cursor', 'POST', `${users}/search?after=usr_never`, { raw: '{' }, 'cursorNotFound'],
    ['then the syntax of the body', 'POST', `${users}/search`, { raw: '{' }, 'malformedBody'],
    ['then its content', 'POST', `${users}/search`, { raw: '{"email":1}' }, 'invalidBody'],
  ])('is: %s', async (_, method, path, sending, code) => {
    const { send } = await start()
    expect((await send(method, path, sending)).body.code).toBe(code)
  })

  it.each([
    ['GET', `${users}/usr_x?colour=blue`, 'userNotFound'],
    ['GET', '/projects/acme/paymentLinks/pml_x?colour=blue', 'paymentLinkNotFound'],
    ['POST', '/projects/acme/paymentLinks/pml_x/cancel?colour=blue', 'paymentLinkNotFound'],
  ] as const)('has the record of %s %s before an unknown parameter', async (method, path, code) => {
    const { send } = await start({ behaviors: { unknownFields: 'reject' } })
    expect(await send(method, path)).toMatchObject(errorResponse(404, code))
  })

  it.each(['', 'a', 'abcdef'])('names of the existing projects %j at most five for a missing one', async (text) => {
    const names = text.split(/(?=.)/).filter(Boolean)
    const seed = { projects: Object.fromEntries(names.map((name) => [name, {}])) }
    const { get } = await start({ seed, behaviors: { unknownProject: 'notFound' } })
    const known = names.slice(0, 5)
    expect((await get(users)).body).toEqual(errors.projectNotFound({ id: 'acme', known }).toJSON())
  })

  it('shows the header to send if Accept does not allow JSON', async () => {
    const { send } = await start({ behaviors: { requestHeaders: 'required' } })
    const response = await send('GET', users, { headers: { accept: 'text/html' } })
    expect(response).toMatchObject(errorResponse(406, 'notAcceptable'))
    expect(response.body).toEqual(errors.notAcceptable('text/html').toJSON())
    const accept = 'text/html, */*;q=0.1'
    expect(await send('GET', users, { headers: { accept } })).toMatchObject({ status: 200 })
  })

  it('requires no Content-Type without a body', async () => {
    const { send } = await start({ behaviors: { requestHeaders: 'required' } })
    const headers = { accept: 'application/json' }
    expect(await send('POST', users, { headers })).toMatchObject(errorResponse(400, 'malformedBody'))
  })

  it('checks the size of the body before its syntax', async () => {
    const { send } = await start({ bodyLimit: 100 })
    expect(await send('POST', users, { raw: '{'.repeat(101) })).toMatchObject(errorResponse(413, 'bodyTooLarge'))
    expect(await send('POST', users, { raw: '{'.repeat(100) })).toMatchObject(errorResponse(400, 'malformedBody'))
  })
})

describeMatrix('the body', (start) => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'multipart/form-data; a=b']
  it.each(types)('is rejected as %s, and the message prints the header to send [§1]', async (type) => {
    const { send } = await start()
    const response = await send('POST', users, { raw: '{"email":"a@b.c"}', headers: { 'content-type': type } })
    expect(response).toMatchObject(errorResponse(415, 'unsupportedMediaType'))
    expect(response.body.hint).toMatch(/Content-type: application\/json/)
  })

  it.each([
    ['gzip', new TextEncoder().encode('{"email":"a@b.c"}')],
    ['GZip', new Uint8Array([0x1f, 0x8b, 8, 0])],
    ['identity, br', new TextEncoder().encode('{"email":"a@b.c"}')],
  ])('is rejected with the Content-Encoding %s, and the message says what to do', async (coding, raw) => {
    const { send } = await start()
    const { message, hint } = errors.unsupportedMediaType({ coding })
    const response = await send('POST', users, { raw, headers: { 'content-encoding': coding } })
    expect(response).toMatchObject(errorResponse(415, 'unsupportedMediaType', ['headers.content-encoding']))
    expect(response.body).toMatchObject({ message, hint })
    const violations = await send('GET', '/__admin/projects/acme/violations')
    expect(violations.body.items).toMatchObject([{ spec: '§5', path: 'headers.content-encoding', message }])
  })

  it.each(['identity', 'Identity', ''])('is read with the Content-Encoding %j', async (coding) => {
    const { send } = await start()
    const raw = '{"email":"a@b.c"}'
    expect(await send('POST', users, { raw, headers: { 'content-encoding': coding } })).toMatchObject({ status: 201 })
  })

  it('is read as JSON without a content type, and as any kind of JSON', async () => {
    const { send } = await start()
    const raw = new TextEncoder().encode('{"email":"a@b.c"}')
    for (const type of [undefined, 'application/merge-patch+json'])
      expect(await send('POST', users, { raw, headers: { 'content-type': type } })).toMatchObject({ status: 201 })
  })
})

describeMatrix('routes', (start) => {
  it.each([
    ['/projects', 'GET /projects/{project}/users'],
    ['/projects/acme', undefined],
    ['/projects/acme/user', 'GET /projects/{project}/users'],
    ['/projects/acme/users/', 'GET /projects/{project}/users'],
    ['/projects/acme/paymentlinks', 'GET /projects/{project}/paymentLinks'],
    ['/projects/acme/paymentLinks/pml_1/cancle', 'POST /projects/{project}/paymentLinks/{paymentLink}/cancel'],
  ])('that do not exist, such as %s, differ from a missing resource', async (path, near) => {
    const { get } = await start()
    const response = await get(path)
    expect(response).toMatchObject(errorResponse(404, 'routeNotFound'))
    if (near && path !== '/projects') expect(response.body.hint).toContain(near)
  })

  it.each([
    ['', '/v1/projects/acme/users', '--base-path /v1,'],
    ['', '/api/v2/projects', '--base-path /api/v2,'],
    ['', '/it%27s/projects/acme/users', 'The mock has no base path: its routes start with /projects.'],
    ['/v1', '/projects/acme/users', 'The base path of the mock is /v1:'],
    ['/v1', '/v2/projects/acme/users', 'The base path of the mock is /v1:'],
    ['/v1', '/v1/v1/projects/acme/users', 'The base path of the mock is /v1:'],
    ['', '/v1/__admin/nope', "Pass connect the address without '/v1'."],
    ['/v1', '/v1/__admin/nope', "Pass connect the address without '/v1'."],
    ['', '/__admin/__admin/projects', "Pass connect the address without '/__admin'."],
    ['', '/@x/@y/__admin/nope', 'A sandbox has no sandboxes.'],
  ])('with the base path %j show it to a client that calls %s', async (basePath, path, hint) => {
    const { send } = await start({ basePath })
    const { status, body } = await send('GET', path)
    expect([status, body.code, body.hint]).toEqual([404, 'routeNotFound', expect.stringContaining(hint)])
  })

  it.each([
    ['PUT', users, 'POST, GET, HEAD, OPTIONS'],
    ['DELETE', users, 'POST, GET, HEAD, OPTIONS'],
    ['POST', `${users}/usr_x`, 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['GET', '/projects/acme/paymentLinks/pml_1/cancel', 'POST, OPTIONS'],
  ])('reject %s %s with the allowed methods', async (method, path, allow) => {
    const { send } = await start()
    const response = await send(method, path)
    expect(response).toMatchObject(errorResponse(405, 'methodNotAllowed'))
    expect(response.headers.get('allow')).toBe(allow)
  })

  it('respond to OPTIONS without a token and without CORS', async () => {
    const { send } = await start()
    const { status, headers } = await send('OPTIONS', users, { headers: { authorization: undefined } })
    expect(status).toBe(204)
    expect(headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  const pages = '/ /docs /docs/style.css /pay/style.css /healthz /favicon.ico /__admin/ /__admin/dashboard/script.js'
  const readOnly = [...pages.split(' '), '/openapi.json', '/__admin/openapi.json']
  it.each(readOnly)('outside the operations, such as %s, can only be read', async (path) => {
    const { send, mock } = await start()
    const allow = 'GET, HEAD, OPTIONS'
    expect((await send('HEAD', path)).status).toBeLessThan(300)
    const options = await send('OPTIONS', path)
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow])
    const other = await send('POST', path)
    expect(other).toMatchObject(errorResponse(405, 'methodNotAllowed'))
    expect(other.headers.get('allow')).toBe(allow)
    const inSandbox = await send('POST', `/@s1${path}`)
    expect(inSandbox.body.message).toBe(`POST is not allowed for /@s1${path}.`)
    expect((await mock.requests.list()).items).toEqual([])
  })

  it('respond to HEAD like GET, without the body', async () => {
    const { send } = await start()
    expect(await send('HEAD', users)).toMatchObject({ status: 200, body: undefined })
    expect(await send('HEAD', `${users}/usr_x`)).toMatchObject({ status: 404, body: undefined })
    expect(await send('HEAD', users, { headers: { authorization: undefined } })).toMatchObject({ status: 401 })
  })
})

describeMatrix('every response', (start) => {
  it('has a unique request id, counted per project and the same in every run', async () => {
    const run = async () => {
      const { get, send } = await start()
      const responses = [await get(users), await get('/projects/beta/users'), await get(`${users}/usr_x`)]
      responses.push(await send('GET', users, { headers: { authorization: '' } }), await get('/projects/acme/nowhere'))
      return responses.map(({ headers }) => headers.get('mock-request-id'))
    }
    const ids = await run()
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-Za-z]{28}$/)
    expect(countDistinct(ids)).toBe(5)
    expect(await run()).toEqual(ids)
  })

  it('lists the assumptions that it relied on', async () => {
    const { post, get, mock } = await start()
    const first = await post(users, { email: 'a@b.c' })
    const assumed = 'createStatus=201, unknownProject=create, emailVerifiedOnCreate=true'
    expect(first.headers.get('mock-assumed')).toBe(assumed)
    const second = await post(users, { email: 'b@b.c' })
    expect(second.headers.get('mock-assumed')).toBe('createStatus=201, emailVerifiedOnCreate=true')
    expect((await get(users)).headers.get('mock-assumed')).toBe('listFreshness=immediate')
    await mock.clock.advance(2000)
    expect((await get(users)).headers.get('mock-assumed')).toBeNull()
  })
})

describeMatrix('a record that is not there', (start) => {
  const seed = {
    projects: {
      acme: { users: [{ id: 'usr_gone', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
      beta: { users: [{ id: 'usr_beta', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_beta', invoice: 'inv_1' }] },
    },
  }

  it.each([
    ['users', 'usr_gone', { is: 'deleted' }],
    ['users', 'usr_beta', { is: 'otherProject', project: 'beta' }],
    ['users', 'usr_x', undefined],
    ['users', 'x_usr_', { is: 'otherPrefix', prefix: 'usr' }],
    ['users', 'pml_1', { is: 'otherKind', prefix: 'pml', text: 'payment link', path: 'paymentLinks' }],
    ['paymentLinks', 'usr_gone', { is: 'otherKind', prefix: 'usr', text: 'user', path: 'users' }],
    ['paymentLinks', 'pml_beta', { is: 'otherProject', project: 'beta' }],
    ['paymentLinks', 'pml_x', undefined],
    ['paymentLinks', 'x_pml_', { is: 'otherPrefix', prefix: 'pml' }],
  ] as const)('of %s, %s, is explained by %j', async (kind, id, reason) => {
    const { get, delete: remove } = await start({ seed })
    await remove(`${users}/usr_gone`)
    const unknown = { id, project: 'acme', reason }
    const error =
      kind === 'users'
        ? errors.userNotFound({ ...unknown, text: 'user' })
        : errors.paymentLinkNotFound({ ...unknown, text: 'payment link' })
    expect((await get(`/projects/acme/${kind}/${id}`)).body).toEqual(error.toJSON())
  })
})

describeMatrix('a response lists only the behavior values that changed it', (start) => {
  const links = '/projects/acme/paymentLinks'
  const full = { fullName: 'Ada', email: 'a@b.c', taxNumber: '1' }
  const link = (invoice: string, user: object = full) => ({ invoice, type: 'partner', partner: { user } })
  const seed = {
    projects: {
      acme: {
        invoices: ['inv_1'],
        users: [
          { id: 'usr_1', email: 'a@b.c', metadata: { a: '1' } },
          { id: 'usr_2', email: 'unverified@b.c', emailVerified: false },
        ],
        paymentLinks: [
          { id: 'pml_1', invoice: 'inv_1' },
          { id: 'pml_2', invoice: 'inv_2', status: 'canceled' as const },
          { id: 'pml_3', invoice: 'inv_3', status: 'completed' as const },
        ],
      },
    },
  }

  const created = 'createStatus=201, emailVerifiedOnCreate=true'
  it.each<[string, string, object | undefined, string | null]>([
    ['GET', users, undefined, null],
    ['GET', `${users}?after=usr_1`, undefined, null],
    ['GET', `${users}/usr_1`, undefined, null],
    ['DELETE', `${users}/usr_1`, undefined, null],
    ['POST', users, { email: 'b@b.c', metadata: { a: '1' } }, created],
    ['POST', users, { email: 'A@b.c' }, `${created}, duplicateEmail=allow`],
    ['POST', users, { email: 'b@b.c', metadata: { a: 1 } }, `${created}, metadataLimits=none`],
    ['PATCH', `${users}/usr_1`, { fullName: 'Ada' }, null],
    ['PATCH', `${users}/usr_1`, { email: 'a@b.c' }, null],
    ['PATCH', `${users}/usr_1`, { email: 'A@b.c' }, 'emailVerifiedOnChange=keep'],
    ['PATCH', `${users}/usr_2`, { email: 'c@b.c' }, null],
    ['PATCH', `${users}/usr_1`, { metadata: { a: '2' } }, 'metadataUpdate=merge'],
    ['PATCH', `${users}/usr_1`, { metadata: { b: '2' } }, 'metadataUpdate=merge'],
    ['POST', `${users}/search`, { email: 'a@b.c' }, 'searchMatch=ignoreCase'],
    ['POST', `${users}/search`, { email: null }, 'searchWithoutEmail=all'],
    ['GET', links, undefined, 'paymentLinkOrder=newestFirst'],
    ['GET', `${links}?status=canceled,completed`, undefined, 'paymentLinkOrder=newestFirst'],
    ['GET', `${links}?invoice=inv_1`, undefined, 'paymentLinkOrder=newestFirst'],
    ['GET', `${links}/pml_1`, undefined, null],
    ['POST', links, link('inv_1'), 'createStatus=201'],
    ['POST', links, link('inv_9'), 'createStatus=201, invoiceIds=any'],
    ['POST', links, link('9'), 'createStatus=201, invoiceIds=any'],
    ['POST', links, link('inv_1', { ...full, taxNumber: undefined }), 'createStatus=201, payerFields=optional'],
    ['POST', `${links}/pml_1/cancel`, undefined, null],
    ['POST', `${links}/pml_2/cancel`, undefined, 'cancelInactive=conflict'],
    ['POST', `${links}/pml_3/cancel`, undefined, null],
  ])('%s %s %j', async (method, path, body, assumed) => {
    const { send } = await start({ seed })
    expect((await send(method, path, { body })).headers.get('mock-assumed')).toBe(assumed)
  })
})

describe('a project that no seed declares', () => {
  const created = async (method: string, path: string, sending = {}) => {
    const log: unknown[] = []
    const { send, mock } = await startApi('in process', { log: (event) => log.push(event) })
    await send(method, path, sending)
    await send(method, path, sending)
    const names = (await mock.projects()).map(({ id }) => id)
    expect(log.filter((event: any) => event.event === 'projectCreated')).toHaveLength(names.length)
    return names
  }

  it.each([
    ['a list', 'GET', users, {}],
    ['a create with an invalid body', 'POST', users, { body: {} }],
    ['an invalid query', 'GET', `${users}?limit=x`, {}],
  ])('is created by %s, and is logged once', async (_, method, path, sending) => {
    expect(await created(method, path, sending)).toEqual(['acme'])
  })

  it.each([
    ['401', 'GET', users, { headers: { authorization: '' } }],
    ['404', 'GET', '/projects/acme/nowhere', {}],
    ['405', 'PUT', users, {}],
  ])('is not created by an error with %s', async (_, method, path, sending) => {
    expect(await created(method, path, sending)).toEqual([])
  })
})

// The problems of the errors of each operation: test/api/openapi.test.ts.
describeMatrix('errorFormat=problem', (start) => {
  it('is also that of an unknown route', async () => {
    const { get } = await start({ behaviors: { errorFormat: 'problem' } })
    for (const path of ['/nowhere', '/projects/acme/nowhere']) {
      const { status, headers, body } = await get(path)
      expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      expect(body).toMatchObject({ type: 'urn:paylink-mock:error:routeNotFound', code: 'routeNotFound', status })
    }
  })

  it('has no body for HEAD, with the same content type', async () => {
    const { send } = await start({ behaviors: { errorFormat: 'problem' } })
    const { status, headers, body } = await send('HEAD', `${users}/usr_no`)
    expect([status, headers.get('content-type'), body]).toEqual([404, 'application/problem+json', undefined])
  })

  it('is that of the project if it is set for the project', async () => {
    const { mock, get } = await start({ behaviors: { errorFormat: 'problem' } })
    await mock.project('acme').behaviors.set({ errorFormat: 'object' })
    expect((await get(`${users}/usr_no`)).headers.get('content-type')).toBe('application/json')
    expect((await get('/projects/beta/users/usr_no')).headers.get('content-type')).toBe('application/problem+json')
  })
})
