import { describe, expect, it } from 'vitest'
import { transports } from '../../support/api.ts'
import { startClient } from './support/client.ts'

const names = ['limit', 'remaining', 'reset'].map((name) => `ratelimit-${name}`)

describe.each(transports)('Under a rate limit, %s,', (transport) => {
  const start = async () => {
    const client = await startClient(transport)
    const getHeaders = async (path = '/users') => {
      const { status, headers } = await client.ask(path)
      return [status, ...[...names, 'ratelimit', 'ratelimit-policy', 'retry-after'].map((name) => headers.get(name))]
    }
    return { ...client, getHeaders }
  }

  it('every response has the headers of the limit, in both forms', async () => {
    const { acme, getHeaders } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 2, window: 1500 } } })
    expect(await getHeaders()).toEqual([200, '2', '1', '2', '"default";r=1;t=2', '"default";q=2;w=2', null])
    await acme.clock.advance(600)
    expect(await getHeaders('/users/usr_x')).toEqual([
      404,
      '2',
      '0',
      '1',
      '"default";r=0;t=1',
      '"default";q=2;w=2',
      null,
    ])
    expect(await getHeaders()).toEqual([429, '2', '0', '1', '"default";r=0;t=1', '"default";q=2;w=2', '1'])
    await acme.clock.advance(900)
    expect(await getHeaders()).toEqual([200, '2', '1', '2', '"default";r=1;t=2', '"default";q=2;w=2', null])
  })

  it('a response of another fault has them too, and is not counted', async () => {
    const { acme, getHeaders } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 5, window: 1000 } } })
    await acme.faults.add({ effect: { status: 503 } })
    expect(await getHeaders()).toEqual([503, '5', '5', '1', '"default";r=5;t=1', '"default";q=5;w=1', null])
    expect((await getHeaders())[2]).toBe('4')
  })

  it('of two limits, the newest is shown, unless the other one is exceeded', async () => {
    const { acme, getHeaders } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 1, window: 1000 } } })
    await acme.faults.add({ effect: { rateLimit: { limit: 7, window: 1000 } } })
    expect((await getHeaders()).slice(0, 3)).toEqual([200, '7', '6'])
    expect((await getHeaders()).slice(0, 3)).toEqual([429, '1', '0'])
  })

  it('of two limits, a response of another fault shows the newest', async () => {
    const { acme, getHeaders } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 3, window: 1000 } } })
    await acme.faults.add({ effect: { rateLimit: { limit: 7, window: 1000 } } })
    await acme.faults.add({ effect: { status: 503 } })
    expect((await getHeaders()).slice(0, 3)).toEqual([503, '7', '7'])
  })

  it('requests that the rule does not match have none', async () => {
    const { acme, getHeaders } = await start()
    await acme.faults.add({ match: { operation: 'createUser' }, effect: { rateLimit: { limit: 2, window: 1000 } } })
    expect(await getHeaders()).toEqual([200, null, null, null, null, null, null])
  })

  it.each([
    ['GET', '/users', {}, 200],
    ['HEAD', '/users', {}, 200],
    ['POST', '/users', { body: { email: 'ada@example.com' } }, 201],
    ['POST', '/users', { body: {} }, 422],
    ['POST', '/users', { raw: '{' }, 400],
    ['GET', '/users/usr_x', {}, 404],
    ['GET', '/users', { headers: { authorization: '' } }, 401],
    ['POST', '/users', { raw: 'a', headers: { 'content-type': 'text/plain' } }, 415],
  ])('a response to %s %s with %j has them, too', async (method, path, sending, status) => {
    const { acme, ask } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 2, window: 1000 } } })
    const response = await ask(path, { method, ...sending })
    expect([response.status, response.headers.get('ratelimit-remaining')]).toEqual([status, '1'])
  })

  it('both deliveries of a request have those of one request', async () => {
    const { acme, ask } = await start()
    await acme.faults.add({ effect: { rateLimit: { limit: 5, window: 1000 } } })
    await ask('/users')
    await acme.faults.add({ effect: { duplicate: true } })
    expect((await ask('/users')).headers.get('ratelimit-remaining')).toBe('4')
  })
})
