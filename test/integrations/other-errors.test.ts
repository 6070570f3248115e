/** Each catch of the client and the integrations ignores the error that it is for. Every other error passes through. */
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connect, MockError } from '../../src/client/index.ts'
import { warnOfUnusedFaults } from '../../src/client/fault-control.ts'
import { matchers } from '../../src/extensions/matchers/index.ts'
import { paylinkHandlers } from '../../src/extensions/msw/index.ts'
import { createMock, type LogEvent } from '../../src/node/index.ts'

const startServer = async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  const { url } = await mock.listen({ adminToken: 'secret' })
  return { mock, url, control: connect(url, { adminToken: 'secret' }), intruder: connect(url, { adminToken: 'wrong' }) }
}

describe('the end of a sandbox', () => {
  it('rejects with a wrong token, and leaves the sandbox', async () => {
    const { control, intruder } = await startServer()
    await control.sandbox('own').project('acme').users.create({ email: 'ada@example.com' })
    await expect(intruder.sandbox('own').dispose()).rejects.toMatchObject({ code: 'adminTokenWrong' })
    await expect(intruder.sandbox('own')[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'adminTokenWrong' })
    expect(await control.sandboxes.list()).toHaveLength(1)
  })

  it('ignores that the sandbox was never used', async () => {
    const { control } = await startServer()
    await expect(control.sandbox('own').dispose()).resolves.toBeUndefined()
  })

  it('rejects when the server is gone', async () => {
    const { mock, control } = await startServer()
    await mock.close()
    await expect(control.sandbox('own').dispose()).rejects.toThrow('it does not respond (ECONNREFUSED)')
  })
})

describe('the end of a fault', () => {
  /** A control whose requests are rejected from some time on. */
  const startFailing = async () => {
    const { url } = await startServer()
    let failure: Error | undefined
    const fetch = (path: string, init: RequestInit) =>
      failure === undefined ? globalThis.fetch(path, init) : Promise.reject(failure)
    const control = connect(url, { adminToken: 'secret', fetch })
    return { control, fail: (error: Error) => (failure = error) }
  }

  it.each([{}, { required: true }])('rejects if it cannot be removed, with %j', async (options) => {
    const { control, fail } = await startFailing()
    const fault = await control.project('acme').faults.add({ effect: { status: 503 } }, options)
    const error = new Error('offline')
    fail(error)
    await expect(fault[Symbol.asyncDispose]()).rejects.toBe(error)
  })

  it.each([{}, { required: true }])('ignores that a reset removed it, with %j', async (options) => {
    const { control } = await startServer()
    const fault = await control.project('acme').faults.add({ effect: { status: 503 } }, options)
    await control.reset()
    await expect(fault[Symbol.asyncDispose]()).resolves.toBeUndefined()
  })
})

it.each([new MockError('adminTokenWrong', 'The admin token is wrong.'), new Error('offline')])(
  'the warning about unused faults is for them alone: %s rejects',
  async (error) => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warned.mockRestore())
    const { faults, requests } = createMock().project('acme')
    await faults.add({ effect: { status: 503 } })
    const verify = async () => {
      throw error
    }
    const failing = { faults, requests: { ...requests, verify } }
    await expect(warnOfUnusedFaults(failing)).rejects.toBe(error)
    expect(warned).not.toHaveBeenCalled()
  },
)

it('a matcher rejects with an error that is not about its requests', async () => {
  const { intruder } = await startServer()
  for (const matcher of ['toHaveNoViolations', 'toHaveNoUnusedFaults'] as const)
    await expect(matchers[matcher](intruder)).rejects.toMatchObject({ code: 'adminTokenWrong' })
  await expect(matchers.toHaveReceived(intruder, 'listUsers')).rejects.toMatchObject({ code: 'adminTokenWrong' })
})

describe('events', () => {
  const follow = (body: ReadableStream<Uint8Array>) => {
    const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    return connect('http://mock', { fetch }).events()[Symbol.asyncIterator]()
  }
  const encode = (text: string) => new TextEncoder().encode(text)

  it('reject the reader when the connection breaks', async () => {
    let controller: ReadableStreamDefaultController<Uint8Array>
    const events = follow(new ReadableStream({ start: (given) => void (controller = given) }))
    const first = events.next()
    controller!.enqueue(encode('data: {"id":1}\n\n'))
    expect(await first).toEqual({ done: false, value: { id: 1 } })
    const second = events.next()
    controller!.error(new TypeError('terminated'))
    await expect(second).rejects.toThrow('terminated')
  })

  it('reject the reader when an event is not JSON', async () => {
    const events = follow(new Response('data: {"id":\n\n').body!)
    await expect(events.next()).rejects.toThrow(SyntaxError)
  })

  it('end without an error when the reader ends them while it waits', async () => {
    // As a real connection, the stream breaks when its request is aborted.
    const fetch = async (_: string, { signal }: RequestInit) => {
      const start = (controller: ReadableStreamDefaultController) =>
        signal?.addEventListener('abort', () => controller.error(signal.reason))
      return new Response(new ReadableStream({ start }))
    }
    const events = connect('http://mock', { fetch }).events()[Symbol.asyncIterator]()
    const waiting = events.next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await events.return?.()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })
})

it('a handler of msw turns a broken connection into a network error, and no other error', async () => {
  const failures = [new TypeError('fetch failed'), new Error('a bug')]
  const server = setupServer(
    ...paylinkHandlers({ fetch: () => Promise.reject(failures.shift()!) }, 'https://api.example.com'),
  )
  server.listen()
  onTestFinished(() => server.close())
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => silent.mockRestore())
  await expect(fetch('https://api.example.com/projects/acme/users')).rejects.toThrow(TypeError)
  const response = await fetch('https://api.example.com/projects/acme/users')
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('a bug')])
})

it('a logged request rejects with the error of its fault', async () => {
  const logged: LogEvent[] = []
  await using mock = createMock({ log: (event) => logged.push(event), now: () => 0 })
  await mock.faults.add({ effect: { connection: 'reset' } })
  await expect(mock.fetch('/projects/acme/users?limit=1')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  expect(logged.filter(({ event }) => event === 'request')).toEqual([
    {
      event: 'request',
      method: 'GET',
      path: '/projects/acme/users',
      operation: 'listUsers',
      status: null,
      code: null,
      requestId: expect.stringMatching(/^req_/),
      milliseconds: 0,
    },
  ])
})

it('a logged request that is not one to the mocked API has neither operation nor id', async () => {
  const logged: LogEvent[] = []
  await using mock = createMock({ log: (event) => logged.push(event), now: () => 0 })
  await mock.fetch('/__admin/projects')
  expect(logged).toEqual([
    {
      event: 'request',
      method: 'GET',
      path: '/__admin/projects',
      operation: null,
      status: 200,
      code: null,
      requestId: null,
      milliseconds: 0,
    },
  ])
})

it('a reader of events does not list the sandbox that it reads', async () => {
  await using mock = createMock()
  const events = mock.sandbox('own').events()[Symbol.asyncIterator]()
  const first = events.next()
  expect(await mock.sandboxes.list()).toEqual([])
  await events.return?.()
  expect(await first).toEqual({ done: true, value: undefined })
})
