import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { readUrl } from '../../src/node/socket-request.ts'
import { connectRaw } from './support/raw.ts'

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
    // Its client expects another protocol or server.
    expect(await raw.readResponse()).toMatchObject({ status: 400, headers: { connection: 'close' } })
    expect(await mock.projects()).toEqual([])
    expect((await mock.requests.list()).items).toEqual([])
  },
)

it('the URL of an accepted host is the parsed one, also where none is parsed', () => {
  const label = fc.string({ unit: fc.constantFrom(...Array.from('ab019x_-')), maxLength: 5 })
  const host = fc.oneof(
    fc.array(label, { maxLength: 5 }).map((labels) => labels.join('.')),
    fc.ipV4(),
  )
  const port = fc.oneof(
    fc.constant(''),
    fc.nat(70_000).map((number) => `:${number}`),
  )
  const target = fc.string({ unit: fc.constantFrom(...Array.from('/a.?%#@:\\ü[]^"~')), maxLength: 8 })
  fc.assert(
    fc.property(host, port, target, (name, number, rest) => {
      const url = readUrl(name + number, `/${rest}`)
      if (url !== '') expect(url).toBe(new URL(`http://${name}${number}/${rest}`).href)
    }),
    { numRuns: 3000 },
  )
})
