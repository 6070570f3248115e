import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connect, MockError } from '../../src/core/client/index.ts'
import { toMockError } from '../support/read.ts'
import { within } from '../support/within.ts'
import { startAdmin } from '../support/control.ts'
import { take } from '../control/traffic/support/client.ts'
import { createLazyIterable } from '../../src/core/client/event-subscription.ts'

describe('connect', () => {
  it.each([
    'localhost:4600',
    '127.0.0.1:4600',
    '',
    'ftp://localhost',
    undefined,
    'http://localhost:4600/?project=acme',
    'http://localhost:4600?',
    'http://localhost:4600/#acme',
  ])('rejects %j with the reason', (url) => {
    expect(() => connect(url as string)).toThrow(/^connect: ".*" is not the address of a mock\.$/)
  })

  it.each([
    'ftp://u:PASS@h',
    'http://u:PASS@localhost:4600',
    'http://PASS@localhost:4600',
    'u:PASS@localhost:4600',
    new URL('https://u:PASS@h/?a'),
  ])('rejects a URL with a password without showing it', (url) => {
    const { code, message, hint } = toMockError(() => connect(url))
    expect(code).toBe('invalidOptions')
    expect(message).toMatch(/^connect: ".*\*\*\*@.*" is not the address of a mock\.$/)
    expect(message + hint).not.toContain('PASS')
  })

  it.each<[unknown, string]>([
    [{ token: 'secret' }, "token is not a field here; did you mean 'adminToken'?"],
    [{ adminToken: '' }, 'adminToken must be one or more visible ASCII characters without spaces.'],
    [{ adminToken: 5 }, 'adminToken must be a string.'],
    [{ fetch: 'fetch' }, "fetch must be a function (got 'fetch')."],
    ['secret', "The options of connect must be an object, such as { adminToken: 'secret' } (got 'secret')."],
    [null, "The options of connect must be an object, such as { adminToken: 'secret' } (got null)."],
  ])('rejects the options %j', (options, message) => {
    const { code, message: said } = toMockError(() => connect('http://localhost:4600', options as never))
    expect([code, said]).toEqual(['invalidOptions', message])
  })

  const urlsOfPath = ['http://localhost:4600/v1//', 'http://localhost:4600/v1/', new URL('http://localhost:4600/v1')]
  it.each(urlsOfPath)('calls the control API below %s', async (url) => {
    const called: string[] = []
    const fetch = async (address: string) => {
      called.push(address)
      return Response.json({ object: 'list', items: [] })
    }
    await connect(url, { fetch }).projects()
    expect(called).toEqual(['http://localhost:4600/v1/__admin/projects'])
  })

  /** Returns this response for every call, and records the calls. */
  const respondWith = (body: BodyInit | null, status = 200) => {
    const calls: { url: string; init: RequestInit }[] = []
    const fetch = async (url: string, init: RequestInit) => {
      calls.push({ url, init })
      return new Response(body, { status })
    }
    return { fetch, calls }
  }
  const address = 'http://localhost:4600'

  it.each([200, 404])('rejects if another service responds with %s', async (status) => {
    const { fetch } = respondWith('<!doctype html>', status)
    const message = `returned ${status} with a response that is not from a mock: <!doctype html>`
    await expect(connect(address, { fetch }).projects()).rejects.toThrow(message)
  })

  // A character has up to four bytes, and a chunk may end between any of them.
  it.each([1, 2, 3, 5])('follows events that arrive %d bytes at a time', async (size) => {
    const { mock, url } = await startAdmin()
    const fetch = async (address: string, init: RequestInit) => {
      const response = await globalThis.fetch(address, init)
      const parts = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          for (let at = 0; at < chunk.length; at += size) controller.enqueue(chunk.slice(at, at + size))
        },
      })
      return new Response(response.body!.pipeThrough(parts), response)
    }
    const names = ['Zoë €', '李小龍', '💳💳', '\n\r\n\\']
    for (const fullName of names) await mock.project('acme').users.create({ email: 'ada@example.com', fullName })
    const events = await take(connect(url, { fetch }).events({ after: 0 }), names.length)
    expect(events).toEqual(await take(mock.events({ after: 0 }), names.length))
    expect(events.map((event) => event.type === 'change' && event.change.to?.fullName)).toEqual(names)
  })

  it('quotes the beginning of a long response of another service', async () => {
    const { fetch } = respondWith('x'.repeat(1000), 502)
    await expect(connect(address, { fetch }).projects()).rejects.toThrow(/: x{200}\.\.\.$/)
  })

  const unknownCodes = ['toString', 'constructor', 'noSuchCode', undefined]
  it.each(unknownCodes)('takes an error with the code %s for that of another server', async (code) => {
    const { fetch } = respondWith(JSON.stringify({ object: 'error', type: 'internal', code, message: 'No.' }), 500)
    await expect(connect(address, { fetch }).projects()).rejects.toThrow(
      'returned 500 with a response that is not from a mock: {',
    )
  })

  it('names the address and the remedy if nothing responds', async () => {
    const server = createServer()
    await within('the server to listen', once(server.listen(0, '127.0.0.1'), 'listening'))
    const { port } = server.address() as AddressInfo
    await within('the server to close', once(server.close(), 'close'))
    const url = `http://127.0.0.1:${port}`
    await expect(connect(url).projects()).rejects.toThrow(
      `Failed to call the mock at ${url}: it does not respond (ECONNREFUSED). Start it, or pass its address to connect.`,
    )
  })

  it('rejects with the whole error of the mock, also if it differs from the local error table', async () => {
    const error = {
      object: 'error',
      type: 'tooLarge',
      code: 'userNotFound',
      message: 'No.',
      hint: 'Try yes.',
      details: [{ path: 'a', message: 'a is wrong.' }],
      actual: 3,
    }
    const { fetch } = respondWith(JSON.stringify(error), 418)
    const thrown = await connect(address, { fetch })
      .projects()
      .catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(MockError)
    const { object: _, actual, ...rest } = error
    expect(thrown).toMatchObject({ ...rest, status: 418, facts: { actual } })
  })

  it('sends a content type only with a body, and a token only if it is set', async () => {
    const { fetch, calls } = respondWith('{}')
    const plain = connect(address, { fetch })
    await plain.project('a b').summary()
    await plain.project('acme').users.create({ email: 'ada@example.com' })
    await connect(address, { fetch, adminToken: 'secret' }).project('acme').delete()
    const accept = 'application/json'
    expect(calls).toEqual([
      { url: `${address}/__admin/projects/a%20b`, init: { method: 'GET', headers: { accept } } },
      {
        url: `${address}/__admin/projects/acme/users`,
        init: {
          method: 'POST',
          headers: { accept, 'content-type': 'application/json' },
          body: '{"email":"ada@example.com"}',
        },
      },
      {
        url: `${address}/__admin/projects/acme`,
        init: { method: 'DELETE', headers: { accept, authorization: 'Bearer secret' } },
      },
    ])
  })

  it('sends any project and record name as one path segment', async () => {
    const { fetch, calls } = respondWith('{}')
    await connect(address, { fetch }).project('a/b?c#d').users.get('%2F é')
    expect(calls[0]?.url).toBe(`${address}/__admin/projects/a%2Fb%3Fc%23d/users/%252F%20%C3%A9`)
  })

  it('sends the query of a list without omitted parameters', async () => {
    const { fetch, calls } = respondWith('{}')
    await connect(address, { fetch })
      .project('acme')
      .users.list({ email: 'a+b&c@example.com', limit: 0, after: undefined as never })
    expect(new URL(calls[0]!.url).search).toBe('?email=a%2Bb%26c%40example.com&limit=0')
  })
})

/** An iterable of 1, 2 and so on, and a log of its calls. */
const counting = () => {
  const done: string[] = []
  let end = () => {}
  const events = createLazyIterable(() => {
    done.push('begin')
    let count = 0
    return {
      next: async () => ({ done: false, value: ++count as never }),
      return: () => {
        done.push('return')
        return new Promise<IteratorReturnResult<undefined>>((resolve) => {
          end = () => resolve({ done: true, value: undefined })
        })
      },
    }
  })
  return { done, events, end: () => end() }
}

it('starts with the first read, separately for each reader', async () => {
  const { done, events } = counting()
  const [one, other] = [events[Symbol.asyncIterator](), events[Symbol.asyncIterator]()]
  expect(done).toEqual([])
  expect([await one.next(), await one.next(), await other.next()].map(({ value }) => value)).toEqual([1, 2, 1])
  expect(done).toEqual(['begin', 'begin'])
})

it.each([true, false])('stays finished after its end, also before its first read: %j', async (hasStarted) => {
  const { done, events, end } = counting()
  const reader = events[Symbol.asyncIterator]()
  if (hasStarted) await reader.next()
  const ended = reader.return?.()
  end()
  const over = { done: true, value: undefined }
  expect([await within('the end', ended!), await within('the next read', reader.next())]).toEqual([over, over])
  expect(done).toEqual(hasStarted ? ['begin', 'return'] : [])
})

it('ends with its source', async () => {
  const { events, end } = counting()
  const reader = events[Symbol.asyncIterator]()
  await reader.next()
  const order: string[] = []
  const ended = reader.return?.().then(() => order.push('reader'))
  await within('the read after the end', reader.next())
  order.push('reading')
  end()
  await within('the end', ended!)
  expect(order).toEqual(['reading', 'reader'])
})

it('rejects the first read when it cannot start', async () => {
  const events = createLazyIterable(() => {
    throw new Error('no')
  })
  await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow('no')
})
