import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { seed, unescaped } from './support/views.ts'
import { readText } from '../support/read.ts'

const run = promisify(execFile)

const start = async () => {
  const mock = createMock({ clock: noon, seed })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const newest = async () => (await mock.requests.list()).items.at(-1)!
  /** The line of curl that the dashboard shows for the newest request. */
  const line = async () => {
    const page = await readText(fetch(`${url}/__admin/dashboard/request?id=${(await newest()).id}`))
    expect(page).toContain('<p>Set TOKEN to a token of the mock first.</p>')
    return unescaped(/<div class="curl".*?<code>(.*?)<\/code>/s.exec(page)![1]!.replace(/<[^>]*>/g, ''))
  }
  return { mock, url, newest, line }
}

const headers = { authorization: 'Bearer tok_1', accept: 'application/json' }
const json = { ...headers, 'content-type': 'application/json' }

describe('the line of curl of a recorded request', () => {
  it.each<[string, string, RequestInit]>([
    ['a repeated query parameter', '/users?limit=1&x=1&x=2&y=%20%26%3D&x=', { headers }],
    ['an empty query parameter', '/users?limit=', { headers }],
    ['HEAD', '/users?limit=1', { method: 'HEAD', headers }],
    ['POST with a body', '/users', { method: 'POST', headers: json, body: `{"email":"o'hara@example.com"}` }],
    ['POST without a body', '/paymentLinks/pml_open/cancel', { method: 'POST', headers }],
    ['PATCH', '/users/usr_ada', { method: 'PATCH', headers: json, body: '{"metadata":{"a":["é",null]}}' }],
    ['DELETE', '/users/usr_ada', { method: 'DELETE', headers }],
    ['GET with brackets', '/users?x[a]={1}', { headers }],
    ['a body that is not JSON', '/users', { method: 'POST', headers: json, body: '{"$HOME\n`id`' }],
    [
      'headers of the client',
      '/users',
      { headers: { ...headers, 'x-a': `"it's" $HOME`, 'x-empty': '', accept: '*/*' } },
    ],
  ])('sends the same again: %s', async (_, path, init) => {
    const { url, newest, line } = await start()
    await fetch(`${url}/projects/acme${path}`, init)
    const first = await newest()
    const command = await line()
    await run('sh', ['-c', `${command} -s`], { env: { ...process.env, TOKEN: 'tok_1' } })
    const second = await newest()
    expect(second.id).not.toBe(first.id)
    expect([second.method, second.path, second.query]).toEqual([first.method, first.path, first.query])
    expect(second.request.body).toEqual(first.request.body)
    const sent = ({ request }: typeof first) =>
      Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) =>
            !/^(host|connection|content-length|user-agent|sec-fetch-mode|accept-(language|encoding))$/.test(name),
        ),
      )
    expect(sent(second)).toEqual(sent(first))
  })

  it('sends no hash of a secret', async () => {
    const { url, line } = await start()
    const secrets = {
      cookie: 'a=b',
      'proxy-authorization': 'Basic a',
      'x-api-key': 'k',
      'x-auth-token': 't',
      'api-key': 'k',
    }
    await fetch(`${url}/projects/acme/users`, { headers: { ...headers, ...secrets } })
    expect(await line()).not.toMatch(/cookie|proxy|key|x-auth|#/)
  })
})
