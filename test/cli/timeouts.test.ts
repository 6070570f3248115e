import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { get } from './support/client-states.ts'
import { connectRaw, expectError } from './support/raw.ts'
import { withoutDeadlines } from './support/wait.ts'

const start = async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  return connectRaw({ port: (await mock.listen()).port })
}

it('a kept connection may be idle for 65 seconds, and a header says so', async () => {
  const raw = await start()
  raw.send(get('/healthz'))
  expect((await raw.readResponse()).headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=65' })
})

it.each([
  ['a Content-Length', 'Content-Length: 9000000', ''],
  ['chunks', 'Transfer-Encoding: chunked', `200000\r\n${'x'.repeat(0x200000)}\r\n`],
])('the rest of a rejected body with %s may take half a second', async (_, header, body) => {
  withoutDeadlines()
  const raw = await start()
  const sent = performance.now()
  raw.send(
    `POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n${header}\r\n\r\n${body}`,
  )
  expectError(await raw.readResponse(), 'bodyTooLarge')
  await raw.ended()
  expect(performance.now() - sent).toBeGreaterThan(450)
})
