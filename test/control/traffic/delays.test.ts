// Proves: Stop, In process.
import { describe, expect, it, vi } from 'vitest'
import { createMock, type LogEvent, type Mock } from '../../../src/node/index.ts'
import { noon, transports } from '../../support/api.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { reach, watchTimers, withoutDeadlines } from '../../cli/support/wait.ts'
import { maxWait, within } from '../../support/within.ts'
import { startClient } from './support/client.ts'
import { readText, countDistinct } from '../../support/read.ts'

const hour = 3_600_000
const slow = { delay: { milliseconds: hour } }
const hang = { connection: 'hang' } as const

/** Resolves once faults have applied `count` times. */
const hits = async (mock: Mock, count: number): Promise<void> =>
  reach(`${count} hits`, async () => (await mock.faults.list()).reduce((sum, fault) => sum + fault.hits, 0) >= count)

describe.each(transports)('A request that is made to wait, %s,', (transport) => {
  const start = async (effect: object, rule: object = {}) => {
    const timers = watchTimers(hour)
    const client = await startClient(transport)
    await client.mock.faults.add({ effect, times: null, ...rule })
    return { ...client, timers }
  }

  it.each([
    [slow, 'before', 0],
    [hang, 'before', 0],
    [slow, 'after', 1],
    [hang, 'after', 1],
  ])('%j, %s the operation, ends when its client disconnects, with %i changes', async (effect, phase, count) => {
    const { mock, acme, create, timers } = await start(effect, { phase })
    const ending = new AbortController()
    const waiting = create({ signal: ending.signal })
    await hits(mock, 1)
    ending.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await acme.requests.verify({ match: {}, within: maxWait })
    const changes = { length: count }
    expect((await acme.requests.list()).items).toMatchObject([{ status: null, response: null, changes }])
    expect((await acme.summary()).revision).toBe(count)
    await timers.until(0)
  })

  const hows = ['reset', 'load', 'restore', 'deletion', 'reset of all']
  it.each(hows)('ends with a %s: it returns 503, and writes nothing', async (how) => {
    const { mock, acme, create, ask, timers } = await start(slow, { match: { operation: 'createUser' } })
    await ask('/users')
    await acme.snapshots.save('one')
    const waiting = create()
    const beside = create({ signal: AbortSignal.timeout(maxWait) })
    await hits(mock, 2)
    await {
      reset: () => acme.reset(),
      load: () => acme.state.put({}),
      restore: () => acme.snapshots.restore('one'),
      deletion: () => acme.delete(),
      'reset of all': () => mock.reset(),
    }[how]!()
    for (const response of await Promise.all([waiting, beside]))
      expect(response).toMatchObject({ status: 503, body: { code: 'stateReplaced', type: 'internal' } })
    expect((await acme.users.list()).items).toEqual([])
    expect((await mock.projects()).length).toBe(how === 'deletion' || how === 'reset of all' ? 0 : 1)
    // A request that started before a reset is not recorded after it.
    const { items } = await acme.requests.list({ operation: 'createUser' })
    expect(items.length).toBe(how === 'load' || how === 'restore' ? 2 : 0)
    await timers.until(0)
  })

  it.each(['load', 'reset', 'deletion', 'close'])('that hangs is cut without a response by a %s', async (how) => {
    const { mock, acme, create, ask } = await start(hang, { match: { operation: 'createUser' } })
    await ask('/users')
    const cut = expect(create()).rejects.toThrow(TypeError)
    await hits(mock, 1)
    const acts = { load: () => acme.state.put({}), reset: () => acme.reset(), deletion: () => acme.delete() }
    await (acts[how as keyof typeof acts] ?? (() => mock.close()))()
    await cut
    expect((await acme.users.list()).items).toEqual([])
    const { items } = await acme.requests.list({ operation: 'createUser' })
    expect(items).toMatchObject(how === 'load' || how === 'close' ? [{ status: null, response: null }] : [])
  })

  it('continues when another project is reset', async () => {
    const { mock, create, timers } = await start(slow)
    const waiting = create()
    await hits(mock, 1)
    await timers.until(1)
    await mock.project('beta').reset()
    expect(timers.running()).toBe(1)
    await mock.reset()
    expect((await waiting).status).toBe(503)
  })

  it('ends when the mock is closed', async () => {
    const { mock, create, timers } = await start(slow)
    const waiting = [create(), create()]
    await hits(mock, 2)
    await within('the mock to close', mock.close())
    for (const response of await Promise.all(waiting))
      expect(response).toMatchObject({ status: 503, body: { code: 'shuttingDown' } })
    expect(timers.running()).toBe(0)
    expect((await mock.project('acme').users.list()).items).toEqual([])
  })

  it('has a jitter within its limits, from the random draws of the project: the same after a reset', async () => {
    const spy = vi.spyOn(globalThis, 'setTimeout')
    const { acme, mock, ask } = await startClient(transport)
    const lengths = async () => {
      spy.mockClear()
      await mock.faults.add({ times: null, effect: { delay: { milliseconds: 3, jitter: 4 } } })
      for (let i = 0; i < 12; i++) await ask('/users')
      const jittered = spy.mock.calls.flatMap(([, length]) => (length! >= 3 && length! <= 7 ? [length!] : []))
      await mock.faults.remove()
      return jittered.slice(0, 12)
    }
    const first = await lengths()
    expect(countDistinct(first)).toBeGreaterThan(1)
    await acme.reset()
    expect(await lengths()).toEqual(first)
    vi.restoreAllMocks()
  })
})

describe('In process', () => {
  it.each([[slow], [hang], [{ connection: 'reset' }]])('an aborted call never waits: %j', async (effect) => {
    const failures: unknown[] = []
    const log = (event: LogEvent) => void (event.event === 'error' && failures.push(event.error))
    await using mock = createMock({ clock: noon, log })
    await mock.faults.add({ effect: effect as never })
    const headers = { authorization: 'Bearer t' }
    const gone = mock.fetch('/projects/acme/users', { headers, signal: AbortSignal.abort() })
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' })
    expect(failures).toEqual([])
  })

  it('a closed mock never waits', async () => {
    const mock = createMock({ clock: noon })
    await mock.close()
    await mock.faults.add({ effect: slow })
    const response = await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer t' } })
    expect(response.status).toBe(503)
    const verified = mock.requests.verify({ match: { operation: 'createUser' }, within: hour / 10 })
    await expect(verified).rejects.toMatchObject({ code: 'shuttingDown' })
  })

  it('no fault and no disconnect prints or leaves an unhandled rejection', async () => {
    const printed = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
    const unheard: unknown[] = []
    const hear = (reason: unknown) => void unheard.push(reason)
    process.on('unhandledRejection', hear)
    const { mock, port, create, call } = await startClient('over HTTP')
    const effects = [slow, hang, { connection: 'reset' }, { connection: 'close' }, { corrupt: 'truncated' }]
    for (const effect of effects) {
      await mock.faults.add({ effect: effect as never })
      const ending = new AbortController()
      const ended = create({ signal: ending.signal }).catch(() => {})
      await hits(mock, 1)
      ending.abort()
      await ended
      await mock.faults.remove()
    }
    const raw = await connectRaw({ port })
    raw.send('GET /__admin/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await raw.until(/: events/)
    raw.socket.destroy()
    await readText(call('/users'))
    const stream = await mock.fetch('/__admin/events')
    await stream.body!.cancel()
    await mock.close()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})

it('A server that stops ends a hundred requests that hang, fast and without a warning', async () => {
  const warnings: Error[] = []
  const hear = (warning: Error) => void warnings.push(warning)
  process.on('warning', hear)
  const { mock, create } = await startClient('over HTTP')
  await mock.faults.add({ times: null, effect: hang })
  const hanging = Array.from({ length: 100 }, () => create().catch(({ name }: Error) => name))
  await hits(mock, 100)
  withoutDeadlines()
  await within('the server to stop', mock.close())
  expect(await Promise.all(hanging)).toEqual(Array(100).fill('TypeError'))
  process.off('warning', hear)
  expect(warnings).toEqual([])
})
