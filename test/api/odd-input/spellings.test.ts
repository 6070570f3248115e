import { request as startRequest } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../../src/node/index.ts'
import { noon } from '../../support/api.ts'

const user = '/projects/acme/users/usr_ada'
const link = '/projects/acme/paymentLinks/pml_open'
const paths = [
  '/projects/acme/users',
  '/projects/acme/users/search',
  user,
  `${user}/unknown`,
  '/projects/acme/paymentLinks',
  link,
  `${link}/cancel`,
  '/projects/acme',
  '/projects',
  '/__admin/health',
  '/__admin/projects/acme',
  '/__admin/state',
  '/__admin/unknown',
  '/healthz',
  '/openapi.json',
  '/docs',
  '/unknown',
]
const methods =
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE COPY LINK LOCK MKCOL MOVE PROPFIND PURGE REPORT SEARCH'.split(' ')

const seed = {
  projects: {
    acme: {
      users: [{ id: 'usr_ada', email: 'ada@example.com' }],
      paymentLinks: [{ id: 'pml_open', invoice: 'inv_1' }],
    },
  },
}

/** Escapes the last letter of a path, which changes nothing of its meaning. */
const escapeLast = (path: string): string =>
  `${path.slice(0, -1)}%${path
    .charCodeAt(path.length - 1)
    .toString(16)
    .padStart(2, '0')}`

// `fetch` sends neither all methods nor all spellings.
const send = (origin: string, method: string, path: string): Promise<string> =>
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
  })

it.each([
  ['', methods],
  // A sandbox has the same routes behind its prefix.
  ['/@x', ['GET', 'PATCH', 'PURGE']],
])('a path with an escaped letter means the same for every method, below %o', async (prefix, sent) => {
  for (const method of sent) {
    // Each method starts with the same records.
    const mock = createMock({ seed, clock: noon })
    onTestFinished(() => mock.close())
    const { url } = await mock.listen()
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
    await mock.close()
  }
})
