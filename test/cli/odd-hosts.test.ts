import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { connectRaw, expectError } from './support/raw.ts'

it.each(['a.1', 'foo.256', '1.2.3.999', '4294967296', 'a.0x1', 'xn--a', 'a.xn--a.b'])(
  'a request to the Host %s, which is invalid in a URL, is rejected and changes nothing',
  async (host) => {
    const mock = createMock()
    onTestFinished(() => mock.close())
    const { port } = await mock.listen()
    const raw = await connectRaw({ port })
    const body = '{"email":"ada@example.com"}'
    const headers = `Authorization: Bearer any\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    raw.send(`POST /projects/acme/users HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n\r\n${body}`)
    expectError(await raw.readResponse(), 'malformedRequest')
    expect(await mock.projects()).toEqual([])
    expect((await mock.requests.list()).items).toEqual([])
  },
)
