import { describe, expect, it } from 'vitest'
import type { FaultRule } from '../../src/node/index.ts'
import { runMain } from '../cli/support/main.ts'
import { requestText } from '../cli/support/request.ts'
import { fileWith } from '../cli/support/cli.ts'
import { findLeaks } from '../support/canary.ts'
import { startAdmin } from '../support/control.ts'
import { startClient, take } from './traffic/support/client.ts'
import { transports } from '../support/api.ts'

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** Sends a body unchanged. */
const put = (url: string, path: string, body: unknown, method = 'PUT') => {
  const headers = { 'content-type': 'application/json' }
  return requestText(`${url}/__admin${path}`, { method, headers, body: textOf(body) })
}

const expectRejectionWithoutSecret = async (paths: readonly string[], body: unknown, method = 'PUT') => {
  const { url } = await startAdmin()
  for (const path of paths) {
    const { status, text } = await put(url, path, body, method)
    expect([400, 422]).toContain(status)
    expect(findLeaks(text), `${path}: ${text}`).toEqual([])
  }
}

const misplacedTokens: readonly unknown[] = [
  '"canary-alone"',
  ['canary-in-a-list'],
  { tokens: 'canary' },
  { tokens: ['canary'] },
  { tokens: { canary: ['acme'] } },
  { tokens: { 'canary-1': ['acme'], token: 'canary-2' } },
  { tokens: [['canary']] },
  { tokens: [{ canary: ['acme'] }] },
  { tokens: [{ token: ['canary'] }] },
  { tokens: [{ token: { canary: true } }] },
  { tokens: [{ token: 'canary with spaces' }] },
  { tokens: [{ token: 'a', projects: 'canary' }] },
  { tokens: [{ token: 'a', projects: [{ token: 'canary' }] }] },
  { tokens: [{ token: 'a', projects: { canary: true } }] },
  { tokens: [{ token: 'a', expiresAt: 'canary' }] },
  { tokens: [{ token: 'a', expiresAt: ['canary'] }] },
  { tokens: [{ token: 'a', 'canary-of-another': true }] },
  { tokens: [{ token: 'canary' }, { token: 'canary' }] },
  '{"tokens":[{"token":"a","canary":1,"canary":2}]}',
  '{"tokens":{"canary":["acme"],"canary":["other"]}}',
  '{"tokens":[{"token":{"a":[{"canary":1,"canary":2}]}}]}',
  '{"\\u0074okens":[{"canary":1,"canary":2}]}',
  '{"tokens":[{"token":"canary"},]}',
]

describe('A token in the wrong place', () => {
  it.each(misplacedTokens)('is in no error message of the tokens and the state: %j', async (body) => {
    await expectRejectionWithoutSecret(['/tokens', '/projects/acme/tokens', '/state', '/projects/acme/state'], body)
  })

  const misnamed = ['{"canary":["acme"]}', '{"canary":1,"canary":2}', '{"tokens":[],"canary":1,"canary":2}']
  it.each(misnamed)('is in no message of the tokens where it is the name of a field: %s', async (body) => {
    await expectRejectionWithoutSecret(['/tokens', '/projects/acme/tokens'], body)
  })

  it.each(misplacedTokens)('is in no error message of a seed: %j', async (seed) => {
    const file = fileWith(textOf(seed))
    for (const argv of [
      ['validate', file],
      ['--seed', file],
    ]) {
      const { outcome, out, err } = await runMain(argv)
      expect(outcome).toEqual({ exitCode: 1 })
      expect(err).not.toBe('')
      expect(findLeaks(out + err), err).toEqual([])
    }
  })

  it('is reported with its path and the right shape', async () => {
    const { url } = await startAdmin()
    const said = async (body: unknown) => JSON.parse((await put(url, '/tokens', body)).text)
    expect((await said({ tokens: [{ token: 'a', canary: true }] })).details).toEqual([
      { path: 'tokens[0]', message: 'tokens[0] has an unknown field; the fields are token, projects, expiresAt.' },
    ])
    const message = 'The value has an unknown field; the fields are tokens.'
    expect((await said({ canary: [] })).details).toContainEqual({ path: '', message })
    expect((await said('"canary"')).message).toBe('The value must be an object.')
  })
})

const faultsWithSecrets: readonly { match: object }[] = [
  { match: { headers: 'authorization: Bearer canary' } },
  { match: { headers: ['authorization', 'Bearer canary'] } },
  { match: { headers: { 'Bearer canary': 'authorization' } } },
  { match: { headers: { authorization: ['Bearer canary'] } } },
  { match: { headers: { authorization: { canary: 1 } } } },
]
const effectsWithSecrets: readonly { effect: object }[] = [
  { effect: { status: 401, headers: 'authorization: canary' } },
  { effect: { status: 401, headers: { 'Bearer canary': 'x' } } },
  { effect: { status: 401, headers: { authorization: 'canary\n' } } },
  { effect: { status: 401, headers: { authorization: 'Bearer canary-\u00e9' } } },
]

describe('A header in the wrong shape', () => {
  it.each([...faultsWithSecrets, ...effectsWithSecrets])('is not quoted for a fault: %j', async (rule) => {
    const body = { effect: { status: 503 }, ...rule }
    await expectRejectionWithoutSecret(['/faults', '/projects/acme/faults'], body, 'POST')
  })

  it.each(faultsWithSecrets)('is not quoted for a verification: %j', async (rule) => {
    for (const body of [rule, { sequence: [rule.match] }])
      await expectRejectionWithoutSecret(['/requests/verify'], body, 'POST')
  })
})

describe.each(transports)('A secret in the headers that a fault responds with, %s,', (transport) => {
  const headers = {
    Authorization: 'Bearer canary-a',
    'Proxy-Authorization': 'Basic canary-b',
    cookie: 'session=canary-c',
    'Set-Cookie': 'session=canary-d; HttpOnly',
    'X-Api-Key': 'canary-e',
    'X-Auth-Token': 'canary-f',
    'Api-Key': 'canary-g',
    'x-trace': 'one',
  }
  const lower = (given: object = {}) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value as unknown]))
  const hashed = expect.stringMatching(/^(?:Bearer )?#[\da-f]{8}$/)
  const shown = { ...Object.fromEntries(Object.keys(lower(headers)).map((name) => [name, hashed])), 'x-trace': 'one' }
  const rule: FaultRule = { times: null, effect: { status: 401, headers } }

  it('is sent to the client, and shown nowhere', async () => {
    const { mock, acme, call } = await startClient(transport)
    const events = acme.events()
    const taken = take(events, 2)
    const fault = await acme.faults.add(rule)
    const response = await call('/users')
    expect(response.headers.get('authorization')).toBe('Bearer canary-a')
    expect(response.headers.get('proxy-authorization')).toBe('Basic canary-b')
    expect(response.headers.get('set-cookie')).toBe('session=canary-d; HttpOnly')
    const { items } = await acme.requests.list()
    expect(items[0]!.response!.headers).toMatchObject(shown)
    expect((await acme.requests.get(items[0]!.id)).response!.headers).toMatchObject(shown)
    for (const { effect } of [fault, await fault.refresh(), ...(await acme.faults.list())])
      expect(lower(effect.headers)).toEqual(shown)
    const [request] = await taken
    expect(request).toMatchObject({ type: 'request', request: { response: { headers: shown } } })
    for (const view of ['faults', 'journal', 'request']) {
      const page = await mock.fetch(`/__admin/dashboard/${view}?project=acme&id=${items[0]!.id}`)
      expect([page.status, findLeaks(await page.text())]).toEqual([200, []])
    }
  })
})
