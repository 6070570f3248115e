import { expect, it, onTestFinished, describe, vi } from 'vitest'
import { setupServer } from 'msw/node'
import { connect, MockError } from '../../src/core/client/index.ts'
import { createMock } from '../../src/node/index.ts'
import { describeControl } from '../support/control.ts'
import { errors } from '../../src/core/schema/error.ts'
import { warnOfUnusedFaults } from '../../src/core/client/fault-control.ts'
import { matchers } from '../../src/testing/matchers/index.ts'
import { paylinkHandlers } from '../../src/testing/msw/index.ts'
import { listeningMock } from '../support/mock.ts'

// The errors of control commands show the line of the test that called them.

/** The functions of a control, with those of a project, a sandbox and a fault, by their path. */
const listMethods = (api: object, at = ''): [path: string, method: (...args: unknown[]) => unknown][] =>
  Reflect.ownKeys(api).flatMap((key) => {
    const path = `${at}.${String(key)}`
    const value: unknown = Reflect.get(api, key)
    if (typeof value === 'object' && value !== null) return listMethods(value, path)
    return typeof value === 'function' ? [[path, value as (...args: unknown[]) => unknown]] : []
  })

const getCallingLine = ({ stack = '' }: Error) => stack.split('\n').find((line) => line.startsWith('    at '))
const catchError = async (call: () => unknown): Promise<Error> => {
  try {
    await call()
  } catch (error) {
    return error as Error
  }
  throw new Error('The call did not reject.')
}

/** A control whose calls all reject, and a fault that was created before. */
const connectToRejecting = async () => {
  const fault = { id: 'flt_1', effect: { status: 503 }, hits: 0, remaining: 1, project: null }
  const responses = [Response.json(fault)]
  const rejection = new MockError('adminTokenMissing', 'The control API requires a token.', { hint: 'Send one.' })
  const fetch = async () => responses.shift() ?? Response.json(rejection, { status: 401 })
  const mock = connect('http://mock', { fetch })
  return { mock, fault: await mock.faults.add({ effect: { status: 503 } }) }
}

const { mock, fault } = await connectToRejecting()
const methods = [
  ...listMethods(mock, 'mock'),
  ...listMethods(mock.project('acme'), 'project'),
  ...listMethods(mock.sandbox('own'), 'sandbox'),
  ...listMethods(fault, 'fault'),
].filter(([path]) => !/^\w+\.(project|sandbox|events)$/.test(path))

it.each(methods)('a rejected call of %s shows the line of its caller first', async (_, method) => {
  const error = await catchError(() => method('x'))
  expect(error).toBeInstanceOf(MockError)
  expect(getCallingLine(error)).toContain('errors.test.ts')
})

it.each(['mock', 'project'])('a rejected event subscription of a %s shows the line of its reader', async (which) => {
  const events = (which === 'mock' ? mock : mock.project('acme')).events()[Symbol.asyncIterator]()
  expect(getCallingLine(await catchError(() => events.next()))).toContain('errors.test.ts')
})

it('covers the control', () => expect(methods.length).toBeGreaterThan(100))

describeControl('an error of a control command', (start) => {
  it('shows the caller, the message and the hint', async () => {
    const { control } = await start()
    await control.project('acme').snapshots.save('full')
    const restoreUnknown = () => control.project('acme').snapshots.restore('empty')
    const { stack } = await catchError(restoreUnknown)
    const [first, second, third] = stack!.split('\n')
    const { message, hint } = errors.snapshotNotFound({ name: 'empty', project: 'acme', known: ['full'] })
    expect(first).toBe(`MockError: ${message}`)
    expect(second).toBe(hint)
    expect(third).toMatch(/at restoreUnknown \(.*errors\.test\.ts:\d+:\d+\)/)
  })
})

it('an error without facts has none, in process and over HTTP', async () => {
  await using embedded = createMock()
  for (const control of [embedded, connect((await embedded.listen()).url)])
    expect(await catchError(() => control.faults.remove('flt_none'))).toMatchObject({ facts: undefined })
})

it('an error of fetch is the cause of the error, which has the line of the caller', async () => {
  const failure = new TypeError('fetch failed')
  const failing = connect('http://mock', { fetch: () => Promise.reject(failure) })
  const error = await catchError(() => failing.project('acme').summary())
  expect(error.cause).toBe(failure)
  expect(error.stack).toContain('errors.test.ts')
})

it.each([
  ['a text', 'text'],
  ['nothing', undefined],
  ['a frozen error', Object.freeze(new Error('frozen'))],
])('a fetch that rejects with %s rejects the call with it', async (_, reason) => {
  const failing = connect('http://mock', { fetch: () => Promise.reject(reason) })
  await expect(failing.projects().catch((error: unknown) => [error])).resolves.toEqual([reason])
})

it('the error of an invalid argument shows the line of the caller', async () => {
  const { users } = createMock().project('acme')
  const error = await catchError(() => users.get(undefined as never))
  expect(getCallingLine(error)).toContain('errors.test.ts')
})

// Each catch of the client and the integrations ignores the error that it is for. Every other error passes through.

const startServer = async () => {
  const { mock, url } = await listeningMock({}, { adminToken: 'secret' })
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

const rejections = [new MockError('adminTokenWrong', 'The admin token is wrong.'), new Error('offline')]
it.each(rejections)('the warning about unused faults is for them alone: %s rejects', async (error) => {
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
})

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
  const failing = { fetch: () => Promise.reject(failures.shift()!) }
  const server = setupServer(...paylinkHandlers(failing, 'https://api.example.com'))
  server.listen()
  onTestFinished(() => server.close())
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => silent.mockRestore())
  await expect(fetch('https://api.example.com/projects/acme/users')).rejects.toThrow(TypeError)
  const response = await fetch('https://api.example.com/projects/acme/users')
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('a bug')])
})

it('a reader of events does not list the sandbox that it reads', async () => {
  await using mock = createMock()
  const events = mock.sandbox('own').events()[Symbol.asyncIterator]()
  const first = events.next()
  expect(await mock.sandboxes.list()).toEqual([])
  await events.return?.()
  expect(await first).toEqual({ done: true, value: undefined })
})
