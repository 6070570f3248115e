// Proves: HTTP edge.
import { request as startRequest } from 'node:http'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LogEvent } from '../../../src/node/index.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { within } from '../../support/within.ts'
import { noon } from '../../support/api.ts'
import { listeningMock } from '../../support/mock.ts'

// `EDGE_RUNS` sets the number of requests.
const numRuns = Number(process.env.EDGE_RUNS ?? 150)

const words = [
  ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT', 'FETCH'],
  [' ', '\r\n', '\r\n\r\n', '\n', ':', '0', '2', '-1', '{}'],
  ['/', '/healthz', '/projects/acme/users', '/__admin/state', '/pay/acme/pml_1', '?limit=', '%', '%00', '%ff', '..'],
  ['HTTP/1.1', 'HTTP/1.0', 'HTTP/9', 'Host: localhost', 'Host:'],
  ['Authorization: Bearer t', 'Accept: */*', '\0', '\xff'],
  ['Content-Type: application/json', 'Content-Length: ', 'Transfer-Encoding: chunked', 'Connection: close'],
  ['Expect: 100-continue', 'Upgrade: h2c', '{"email":"a@b.c"}', '11\r\n{"email":"a@b.c"}\r\n0\r\n\r\n'],
].flat()
const tokens = fc.constantFrom(...words)
const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some).toString('latin1'))
const body = '{"email":"a@b.c"}'
const head = 'HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n'
const good = fc.constantFrom(
  `GET /projects/acme/users?limit=2 ${head}\r\n`,
  `POST /projects/acme/users ${head}Content-Length: 17\r\n\r\n${body}`,
  `POST /projects/acme/users ${head}Transfer-Encoding: chunked\r\n\r\n11;a=b\r\n${body}\r\n0\r\nX: y\r\n\r\n`,
  `PUT /__admin/projects/acme/state ${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
)
/** Valid requests with a part replaced. */
const spoiled = fc
  .tuple(fc.array(good, { minLength: 1, maxLength: 3 }), fc.nat(400), fc.nat(20), fc.oneof(bytes, tokens))
  .map(([requests, at, length, part]) => {
    const text = requests.join('')
    return text.slice(0, at % text.length) + part + text.slice((at % text.length) + length)
  })
const soup = fc.array(tokens, { minLength: 1, maxLength: 25 }).map((parts) => parts.join(''))

/** Splits the received text into complete responses. */
const listResponses = (received: string): { status: number; type: string; body: string }[] => {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return []
  const text = received.slice(0, end)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(text)?.[1]?.trim()
  if (status === 100) return listResponses(received.slice(end + 4))
  const length = Number(header('content-length') ?? 0)
  const rest = received.slice(end + 4)
  const one = { status, type: header('content-type') ?? '', body: rest.slice(0, length) }
  return rest.length < length ? [] : [one, ...listResponses(rest.slice(length))]
}

it('any bytes get valid responses: no 5xx except 501, and the error object for each error', async () => {
  const errors: LogEvent[] = []
  const { port, url } = await listeningMock({ log: (event) => void (event.event === 'error' && errors.push(event)) })
  const statuses = new Set<number>()
  const property = fc.asyncProperty(fc.oneof(bytes, soup, spoiled), async (sent) => {
    const raw = await connectRaw({ port })
    raw.send(sent)
    raw.socket.end()
    const received = await raw.ended()
    expect(received).toMatch(/^(?:HTTP\/1\.1 |$)/)
    for (const { status, type, body: text } of listResponses(received)) {
      statuses.add(status)
      expect(status).toBeGreaterThanOrEqual(200)
      if (status !== 501) expect(status).toBeLessThan(500)
      if (status < 400 || type.startsWith('text/html')) continue
      expect(type).toBe('application/json')
      expect(JSON.parse(text)).toMatchObject({ object: 'error', code: expect.any(String) })
    }
  })
  await fc.assert(property, { numRuns })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(errors).toEqual([])
  // The bytes cause more than one status.
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400]))
})

const user = '/projects/acme/users/usr_ada'
const link = '/projects/acme/paymentLinks/pml_open'
const paths = [
  ['/projects', '/projects/acme', '/projects/acme/users', '/projects/acme/users/search', user, `${user}/unknown`],
  ['/projects/acme/paymentLinks', link, `${link}/cancel`, '/openapi.json', '/docs', '/healthz', '/unknown'],
  ['/__admin/health', '/__admin/projects/acme', '/__admin/state', '/__admin/unknown'],
].flat()
const methods =
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE COPY LINK LOCK MKCOL MOVE PROPFIND PURGE REPORT SEARCH'.split(' ')

const users = [{ id: 'usr_ada', email: 'ada@example.com' }]
const seed = { projects: { acme: { users, paymentLinks: [{ id: 'pml_open', invoice: 'inv_1' }] } } }

/** Escapes the last letter of a path, which changes nothing of its meaning. */
const escapeLast = (path: string): string =>
  `${path.slice(0, -1)}%${path
    .charCodeAt(path.length - 1)
    .toString(16)
    .padStart(2, '0')}`

// `fetch` sends neither all methods nor all spellings.
const send = (origin: string, method: string, path: string): Promise<string> =>
  within(
    `the response to ${method} ${path}`,
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(origin)
      const headers = { authorization: 'Bearer any', accept: 'application/json' }
      const outgoing = startRequest({ hostname, port, method, path, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part))
        response.on('end', () => {
          const { code = null } = /"code":"(?<code>\w+)"/.exec(text)?.groups ?? {}
          resolve(`${response.statusCode} ${response.headers.allow ?? ''} ${code ?? ''}`)
        })
      })
      outgoing.on('error', reject).end()
    }),
  )

it.each([
  ['', process.env.SLOW_TESTS ? methods : ['GET', 'PATCH', 'PURGE']],
  // A sandbox has the same routes behind its prefix.
  ['/@x', ['GET', 'PATCH', 'PURGE']],
])('a path with an escaped letter means the same for every method, below %o', async (prefix, sent) => {
  for (const method of sent) {
    // Each method starts with the same records.
    const { mock, url } = await listeningMock({ seed, clock: noon })
    for (const path of paths) {
      const responses: string[] = []
      for (const spelled of [path, escapeLast(path)]) {
        responses.push(await send(url, method, prefix + spelled))
        await mock.reset()
        await mock.sandboxes.delete()
      }
      const [plain, escaped] = responses
      expect(Number.parseInt(plain!, 10), `${method} ${path}`).toBeLessThan(500)
      expect(escaped, `${method} ${escapeLast(path)}`).toBe(plain)
    }
  }
})
