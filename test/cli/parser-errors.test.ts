import { expect, it, onTestFinished } from 'vitest'
import { createMock, type BehaviorChoices, type ErrorCode } from '../../src/node/index.ts'
import { errorDefinitions } from '../../src/schema/error.ts'
import { connectRaw } from './support/raw.ts'

const start = async (behaviors: BehaviorChoices = {}) => {
  const mock = createMock({ behaviors })
  onTestFinished(() => mock.close())
  const { port } = await mock.listen()
  const getResponse = async (sent: string) => {
    const client = await connectRaw({ port })
    client.send(sent)
    const { status, headers, body } = await client.readResponse()
    return { status, type: headers['content-type'], connection: headers.connection, body: JSON.parse(body) }
  }
  return { mock, getResponse }
}

const post = 'POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n'

const rejected: readonly (readonly [what: string, sent: string, code: ErrorCode])[] = [
  ['a line that is not HTTP', 'what is this\r\n\r\n', 'malformedRequest'],
  ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 'headersTooLarge'],
  ['an unknown transfer coding', `${post}Transfer-Encoding: gzip\r\n\r\n`, 'malformedRequest'],
]

it.each(rejected)('errorFormat=problem returns %s as in RFC 9457', async (_, sent, code) => {
  const { getResponse } = await start({ errorFormat: 'problem' })
  const { status, summary: title } = errorDefinitions[code]
  const { connection, ...response } = await getResponse(sent)
  expect(response).toMatchObject({ status, type: 'application/problem+json' })
  expect(response.body).toMatchObject({ type: `urn:paylink-mock:error:${code}`, title, status, code })
  expect(response.body.detail).toMatch(/\.$/)
  if (!sent.includes('/healthz')) expect(connection).toBe('close')
})

it('the behavior of all projects applies to parser errors as soon as it is set', async () => {
  const { mock, getResponse } = await start()
  const typeOf = async () => (await getResponse('what is this\r\n\r\n')).type
  await mock.project('acme').behaviors.set({ errorFormat: 'problem' })
  expect(await typeOf()).toBe('application/json')
  await mock.behaviors.set({ errorFormat: 'problem' })
  expect(await typeOf()).toBe('application/problem+json')
  await mock.reset()
  expect(await typeOf()).toBe('application/json')
})
