// Proves: HTTP edge.
import { describe, expect, it, vi } from 'vitest'
import { createMock, type MockOptions } from '../../../src/node/index.ts'
import { connectRaw, countResponses, expectError } from '../../cli/support/raw.ts'
import { listeningMock } from '../../support/mock.ts'

const start = async (options: MockOptions = {}) => {
  const { mock, ...server } = await listeningMock({ clock: '2025-06-01T12:00:00.000Z', ...options })
  const client = () => connectRaw({ port: server.port })
  const getResponse = async (sent: string) => {
    const raw = await client()
    raw.send(sent)
    return raw.readResponse()
  }
  return { mock, server, client, getResponse }
}

const host = 'Host: localhost\r\n'
const token = 'Authorization: Bearer any\r\n'
const request = (line: string, ...headers: string[]) =>
  `${line} HTTP/1.1\r\n${host}${token}${headers.map((header) => `${header}\r\n`).join('')}\r\n`
const get = (path: string, ...headers: string[]) => request(`GET ${path}`, ...headers)
const post = (...headers: string[]) =>
  request('POST /projects/acme/users', 'Content-Type: application/json', ...headers)
const sized = (body: string) => `${post(`Content-Length: ${body.length}`)}${body}`
const user = '{"email":"a@b.c"}'
const chunked = (...parts: string[]) => `${post('Transfer-Encoding: chunked')}${parts.join('\r\n')}\r\n\r\n`

describe('a request', () => {
  it.each([
    ['that is not HTTP', 'what is this\r\n\r\n', 'malformedRequest'],
    ['of random bytes', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 'malformedRequest'],
    ['with a method that does not exist', request('FETCH /'), 'malformedRequest'],
    ['in a version that does not exist', 'GET / HTTP/7.7\r\nHost: localhost\r\n\r\n', 'malformedRequest'],
    ['with a header without a colon', get('/', 'X a'), 'malformedRequest'],
    ['with a control character in a header', get('/', 'X: a\x00b'), 'malformedRequest'],
    ['with a Host that is none', 'GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n', 'malformedRequest'],
    ['without a Host', `GET /healthz HTTP/1.1\r\n\r\n`, 'malformedRequest'],
    ['with an empty Host', 'GET /healthz HTTP/1.1\r\nHost: \r\n\r\n', 'malformedRequest'],
    ['with two Hosts', get('/healthz', 'HOST: localhost'), 'malformedRequest'],
    ['with two Hosts, the first one empty', `GET /healthz HTTP/1.1\r\nHost:\r\n${host}\r\n`, 'malformedRequest'],
    ['with two Hosts in HTTP/1.0', get('/healthz', host.trim()).replace('1.1', '1.0'), 'malformedRequest'],
    ['for a whole address, without a Host', 'GET http://localhost/healthz HTTP/1.1\r\n\r\n', 'malformedRequest'],
    [
      'to Expect other',
      `${post('Expect: something-else', 'Content-Length: 17')}{"email":"a@b.c"}`,
      'expectationFailed',
    ],
    ['with a CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 'methodNotAllowed'],
    ['with userinfo in its Host', 'GET /healthz HTTP/1.1\r\nHost: user@localhost\r\n\r\n', 'malformedRequest'],
    ['with a path in its Host', 'GET /healthz HTTP/1.1\r\nHost: localhost/path\r\n\r\n', 'malformedRequest'],
    ['for a path without a slash', request('GET healthz'), 'malformedRequest'],
    ['for an address that is none', request('GET http://['), 'malformedRequest'],
    ['with headers over 16 KiB', get('/', `X: ${'x'.repeat(17_000)}`), 'headersTooLarge'],
    ['for a path over 16 KiB', get(`/${'x'.repeat(17_000)}`), 'headersTooLarge'],
    ['with a length that is none', post('Content-Length: ten'), 'malformedRequest'],
    ['with a length and chunks', chunked('0').replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\n'), 'malformedRequest'],
    ['with two lengths', `${post('Content-Length: 2', 'Content-Length: 3')}{}`, 'malformedRequest'],
    ['with an invalid chunk', chunked('xyz'), 'malformedRequest'],
    ['with an invalid chunk after a valid one', chunked('1', '{', 'xyz'), 'malformedRequest'],
    ['in the form of an asterisk', request('OPTIONS *'), 'malformedRequest'],
    ['in the form of an authority', request('GET localhost:80'), 'malformedRequest'],
    ['for another scheme', request('GET ftp://localhost/healthz'), 'malformedRequest'],
    ['with a path in bytes beyond ASCII', request('GET /projects/\xc3\xa9/users'), 'malformedRequest'],
    ['with a backslash in its path', get('/projects\\acme'), 'malformedRequest'],
    ['with two slashes at its start', get('//evil.example/healthz'), 'routeNotFound'],
    ['for a port that is none', 'GET / HTTP/1.1\r\nHost: localhost:99999\r\n\r\n', 'malformedRequest'],
    ['with a header on two lines', get('/healthz', 'X: a', ' b'), 'malformedRequest'],
    ['with lines that end in no carriage return', 'GET /healthz HTTP/1.1\nHost: localhost\n\n', 'malformedRequest'],
    ['with a negative length', post('Content-Length: -1'), 'malformedRequest'],
    ['with a length beyond all numbers', post(`Content-Length: ${'9'.repeat(30)}`), 'malformedRequest'],
    ['with the largest length there is', post('Content-Length: 18446744073709551615'), 'bodyTooLarge'],
    ['with the same length twice', post('Content-Length: 2', 'Content-Length: 2'), 'malformedRequest'],
    ['with a chunk beyond all numbers', chunked('f'.repeat(18)), 'malformedRequest'],
    ['with 20 KB behind the size of a chunk', chunked(`2;x=${'x'.repeat(20_000)}`, '{}', '0'), 'malformedRequest'],
    ['with 20 KB of trailers', chunked('2', '{}', '0', `X: ${'x'.repeat(20_000)}`), 'headersTooLarge'],
    ['whose body is no UTF-8', sized('{"email":"\xff"}'), 'malformedBody'],
    ['whose body is compressed', sized('\x1f\x8b\x08\x00'), 'malformedBody'],
    ['to trace its way', request('TRACE /projects/acme/users'), 'methodNotAllowed'],
    ['with a method of another protocol', request('PROPFIND /projects/acme/users'), 'methodNotAllowed'],
  ] as const)('%s is rejected with the error object, once', async (_, sent, code) => {
    const { client, getResponse } = await start()
    const raw = await client()
    raw.send(sent)
    expectError(await raw.readResponse(), code)
    expect((await getResponse(get('/healthz'))).status, 'the next client').toBe(200)
    raw.socket.end()
    expect(countResponses(await raw.ended())).toBe(1)
  })

  it.each([
    ['with extensions of its chunks', chunked('11;a=b;c', user, '0')],
    ['with trailers', chunked('11', user, '0', 'X: y')],
    ['with its coding in capitals', chunked('11', user, '0').replace('chunked', 'CHUNKED')],
    ['with a byte order mark', sized(`\xef\xbb\xbf${user}`)],
    ['in HTTP/1.0 that expects 100', sized(user).replace('1.1', '1.0').replace(host, 'Expect: 100-continue\r\n')],
  ])('%s is served', async (_, sent) => {
    const { getResponse } = await start()
    expect(await getResponse(sent)).toMatchObject({ status: 201 })
  })

  it.each([
    ['to go over to another protocol', get('/healthz', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c')],
    ['with a fragment', get('/healthz#x')],
    ['whose Host is in capitals', 'GET /healthz HTTP/1.1\r\nHOST: LOCALHOST:80\r\n\r\n'],
    ['with a header called __proto__', get('/healthz', '__proto__: x')],
    ['behind an empty line', `\r\n${get('/healthz')}`],
    ['through a project', get('/projects/%2e%2e/healthz')],
    ['for a whole address in another place', request('GET https://evil.example/healthz')],
  ])('%s is served like one without', async (_, sent) => {
    const { getResponse } = await start()
    const { status, body } = await getResponse(sent)
    expect({ status, body: JSON.parse(body) as unknown }).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  it('in HTTP/1.0 needs no Host, which defaults to the server address', async () => {
    const { getResponse, server } = await start({
      seed: { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } },
    })
    const at = (path: string) => getResponse(`GET ${path} HTTP/1.0\r\n${token}\r\n`)
    for (const path of ['/healthz', '/__admin/projects', '/nowhere'])
      expect((await at(path)).status).toBe(path === '/nowhere' ? 404 : 200)
    const { body } = await at('/projects/acme/paymentLinks/pml_1')
    expect(JSON.parse(body)).toMatchObject({ paymentUrl: `${server.url}/pay/acme/pml_1` })
  })

  it.each([
    ['the token', `GET /projects/acme/users HTTP/1.1\r\n${host}`, token],
    ['the Host', 'GET /healthz HTTP/1.1\r\n', host],
  ])('may have thousands of headers, and %s after them is respected', async (_, head, last) => {
    const { getResponse } = await start()
    expect((await getResponse(`${head}${'A:b\r\n'.repeat(2500)}${last}\r\n`)).status).toBe(200)
  })

  it('with an error in a callback of the user is not a malformed request', async () => {
    const log = vi.fn<(event: unknown) => void>()
    let times = 0
    const now = () => {
      if (times++ > 0) throw new Error('No clock.')
      return 0
    }
    const { getResponse } = await start({ log, now })
    expectError(await getResponse(get('/healthz')), 'internal')
    expect(log).toHaveBeenCalledWith({ event: 'error', error: new Error('No clock.') })
  })
})

describe('a name in a path', () => {
  it.each([
    ['/projects/%61cme/users', 'acme'],
    ['/projects/a%2Fb/users', 'a/b'],
    ['/projects/a%00b/users', 'a\0b'],
    ['/projects/%C3%A9/users', 'é'],
    ['/projects/%F0%9F%92%B3/users', '💳'],
    ['/projects/__proto__/users', '__proto__'],
    ['/projects/constructor/users', 'constructor'],
    ['/projects/%5F%5Fadmin/users', '__admin'],
    ['/projects/%25zz/users', '%zz'],
  ])('%s is %j, over HTTP as in process', async (path, name) => {
    const { mock, getResponse } = await start()
    expect((await getResponse(get(path))).status).toBe(200)
    expect((await mock.fetch(path, { headers: { authorization: 'Bearer any' } })).status).toBe(200)
    expect((await mock.projects()).map(({ id }) => id)).toEqual([name])
    expect((await mock.requests.list()).items.map(({ project }) => project)).toEqual([name, name])
  })

  it('with an encoded slash reaches no other route', async () => {
    const { getResponse } = await start()
    expectError(await getResponse(get('/projects%2Facme%2Fusers')), 'routeNotFound')
    expectError(await getResponse(get('/projects/acme/users/..%2f..%2f..%2f__admin%2fstate')), 'userNotFound')
  })
})

describe('requests on one connection', () => {
  const delayed = async () => {
    const started = await start()
    await started.mock.project('slow').faults.add({ times: null, effect: { delay: { milliseconds: 30 } } })
    return started
  }

  it.each([
    ['a request', get('/healthz'), 200],
    ['a request with a body', sized(user), 201],
    ['a rejected request', get('/nowhere'), 404],
    ['a delayed request', get('/projects/slow/users'), 200],
    ['two delayed requests', get('/projects/slow/users').repeat(2), 200],
  ])('before invalid bytes get their response first: %s', async (_, sent, status) => {
    const { client } = await delayed()
    const raw = await client()
    const count = sent.split('HTTP/1.1').length - 1
    // Everything after invalid bytes is part of them.
    raw.send(`${sent}what is this\r\n\r\n${get('/healthz')}`)
    for (let i = 0; i < count; i++) expect((await raw.readResponse()).status).toBe(status)
    expectError(await raw.readResponse(), 'malformedRequest')
    expect(countResponses(await raw.ended())).toBe(count + 1)
  })

  it('continue after a rejected one that was read completely', async () => {
    const { client } = await start()
    const raw = await client()
    raw.send(sized('{') + get('/nowhere') + sized('{"email":7}') + request('PUT /projects/acme/users') + sized(user))
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await raw.readResponse()).status)
    expect(statuses).toEqual([400, 404, 422, 405, 201])
  })

  it('take effect in order, whatever their duration', async () => {
    const { client } = await delayed()
    const raw = await client()
    const slow = sized(user).replace('acme', 'slow')
    raw.send(slow + get('/projects/slow/users') + sized(user) + get('/projects/acme/users') + get('/__admin/projects'))
    const counts = []
    for (let i = 0; i < 5; i++) {
      const { items } = JSON.parse((await raw.readResponse()).body) as { items?: object[] }
      counts.push(items?.length)
    }
    expect(counts).toEqual([undefined, 1, undefined, 1, 2])
  })
})

describe('a body that is empty in chunks', () => {
  const empty = (line: string) => `${request(line, 'Content-Type: text/plain', 'Transfer-Encoding: chunked')}0\r\n\r\n`

  it('counts as no body for an operation without one, whatever its content type', async () => {
    const acme = { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
    const seed = { projects: { acme } }
    const { mock, getResponse } = await start({ seed })
    expect((await getResponse(empty('POST /projects/acme/paymentLinks/pml_1/cancel'))).status).toBe(200)
    expect((await getResponse(empty('DELETE /projects/acme/users/usr_1'))).status).toBe(200)
    expect((await mock.violations.list()).items.map(({ path }) => path)).not.toContain('body')
  })

  it('is rejected by an operation with a body', async () => {
    const { getResponse } = await start()
    expectError(await getResponse(`${post('Transfer-Encoding: chunked')}0\r\n\r\n`), 'malformedBody')
  })
})

it('a closed mock cannot listen again, but still responds in process', async () => {
  const mock = createMock()
  await (await mock.listen()).close()
  await mock.close()
  await expect(mock.listen()).rejects.toThrow(/^Failed to listen: the mock is closed\. /)
  expect((await mock.fetch('/healthz')).status).toBe(200)
})
