import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { connectRaw } from './support/raw.ts'

const json = 'application/json'
const authorization = 'Authorization: Bearer secret'

/** Sends header lines as they are. Returns the status of the response. */
const start = async () => {
  const mock = createMock({ tokens: ['secret'], behaviors: { requestHeaders: 'required' } })
  onTestFinished(() => mock.close())
  const { port } = await mock.listen()
  const send = async (line: string, headers: readonly string[], body = '') => {
    const raw = await connectRaw({ port })
    raw.send([`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n'))
    return (await raw.readResponse()).status
  }
  return { acme: mock.project('acme'), send }
}

const list = 'GET /projects/acme/users'
const create = 'POST /projects/acme/users'

it.each([
  [['Accept: text/html', `Accept: ${json}`], 200],
  [[`Accept: ${json}`, 'Accept: text/html'], 200],
  [['accept: text/html', `ACCEPT: ${json}`], 200],
  [['Accept: text/html', 'Accept: text/plain'], 406],
])('both lines of a header count: %j returns %i', async (lines, status) => {
  const { send } = await start()
  expect(await send(list, [authorization, ...lines])).toBe(status)
})

it.each([
  [[`Content-Type: ${json}`, 'Content-Type: text/plain'], 415],
  [['Content-Type: text/plain', `Content-Type: ${json}`], 415],
])('both lines of a header count: %j returns %i', async (lines, status) => {
  const { send } = await start()
  const body = '{"email":"ada@example.com"}'
  const headers = [authorization, `Accept: ${json}`, `Content-Length: ${body.length}`, ...lines]
  expect(await send(create, headers, body)).toBe(status)
})

it.each([[[authorization, 'Authorization: Bearer other']], [['Authorization: Bearer other', authorization]]])(
  'a valid token does not count beside another one: %j',
  async (lines) => {
    const { send } = await start()
    expect(await send(list, [`Accept: ${json}`, ...lines])).toBe(401)
  },
)

it('a match sees both lines of a header', async () => {
  const { acme, send } = await start()
  const headers = { 'x-tag': 'a, b' }
  await acme.faults.add({ match: { headers }, effect: { status: 503 } })
  const lines = [authorization, `Accept: ${json}`, 'X-Tag: a']
  expect(await send(list, lines)).toBe(200)
  expect(await send(list, [...lines, 'X-Tag: b'])).toBe(503)
  expect(await acme.requests.verify({ match: { headers } })).toMatchObject({ actual: 1 })
})
