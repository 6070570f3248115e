// Proves: Stop, In process.
import { describe, expect, it, vi } from 'vitest'
import { createMock, type Mock } from '../../../src/node/index.ts'
import { noon, transports } from '../../support/api.ts'
import { noDeadlines, startCli, stopWith } from '../../cli/support/cli.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { maxWait, within, withoutDeadlines } from '../../cli/support/wait.ts'
import { startClient } from './support/client.ts'
import { watchTimers } from './support/timers.ts'
import { readJson, readText } from '../../support/read.ts'
import { reach } from './support/timers.ts'
import { countDistinct } from '../../support/count-distinct.ts'

const hour = 3_600_000
const slow = { delay: { milliseconds: hour } }
const hang = { connection: 'hang' } as const

/** Resolves once faults have applied `count` times. */
const hits = async (mock: Mock, count: number): Promise<void> => {
  const look = async (): Promise<void> => {
    const sum = (await mock.faults.list()).reduce((total, fault) => total + fault.hits, 0)
    if (sum >= count) return
    await new Promise((resolve) => setImmediate(resolve))
    await look()
  }
  await within(`${count} hits`, look())
}

describe.each(transports)('A request that is made to wait, %s,', (transport) => {
  const start = async (effect: object, rule: object = {}) => {
    const timers = watchTimers(hour)
    const client = await startClient(transport)
    await client.mock.faults.add({ effect, times: null, ...rule })
    return { ...client, timers }
  }

  it.each([[slow], [hang]])('%j, ends when its client disconnects, and changes nothing', async (effect) => {
    const { mock, acme, create, timers } = await start(effect)
    const ending = new AbortController()
    const waiting = create({ signal: ending.signal })
    await hits(mock, 1)
    ending.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await acme.requests.verify({ match: {}, within: maxWait })
    expect((await acme.requests.list()).items).toMatchObject([{ status: null, response: null, changes: [] }])
    expect((await acme.summary()).revision).toBe(0)
    await timers.until(0)
  })

  it.each([[slow], [hang]])(
    '%j, after the operation, ends when its client disconnects, and keeps the change',
    async (effect) => {
      const { mock, acme, create } = await start(effect, { phase: 'after' })
      const ending = new AbortController()
      const waiting = create({ signal: ending.signal })
      await hits(mock, 1)
      ending.abort()
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
      await acme.requests.verify({ match: {}, within: maxWait })
      expect((await acme.users.list()).items).toHaveLength(1)
    },
  )

  it.each(['reset', 'load', 'restore', 'deletion', 'reset of all'])(
    'ends with a %s: it returns 503, and writes nothing',
    async (how) => {
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
    },
  )

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
    const mock = createMock({
      clock: noon,
      log: (event) => void (event.event === 'error' && failures.push(event.error)),
    })
    await mock.faults.add({ effect: effect as never })
    const gone = mock.fetch('/projects/acme/users', {
      headers: { authorization: 'Bearer t' },
      signal: AbortSignal.abort(),
    })
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' })
    expect(failures).toEqual([])
    await mock.close()
  })

  it('a closed mock never waits', async () => {
    const mock = createMock({ clock: noon })
    await mock.close()
    await mock.faults.add({ effect: slow })
    const response = await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer t' } })
    expect(response.status).toBe(503)
    await expect(mock.requests.verify({ match: { operation: 'createUser' }, within: hour / 10 })).rejects.toMatchObject(
      {
        code: 'shuttingDown',
      },
    )
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

describe('A server that stops', () => {
  it('ends a hundred requests that hang, fast and without a warning', async () => {
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

  it('exits at once despite hanging and delayed requests and event streams', async () => {
    const mock = await startCli(['--log', 'silent'], noDeadlines)
    const post = (path: string, body: unknown) =>
      fetch(`${mock.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await readText(post('/__admin/faults', { times: null, effect: hang }), 201)
    const events = await fetch(`${mock.url}/__admin/events`)
    const reader = events.body!.getReader()
    await reader.read()
    const hanging = Array.from({ length: 20 }, () =>
      fetch(`${mock.url}/projects/acme/users`).catch(({ name }: Error) => name),
    )
    const verifying = post('/__admin/requests/verify', { match: {}, within: 600_000 })
    // All requests have arrived when the fault has counted them all.
    await reach('twenty hits', async () => {
      const { items } = (await readJson(fetch(`${mock.url}/__admin/faults`))) as { items: { hits: number }[] }
      return items[0]!.hits === 20
    })
    expect((await stopWith(mock, 'SIGTERM')).code).toBe(0)
    expect(await Promise.all(hanging)).toEqual(Array(20).fill('TypeError'))
    await verifying.catch(() => {})
    await reader.read().catch(() => {})
  })
})
