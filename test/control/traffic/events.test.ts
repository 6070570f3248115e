// Proves: Slow clients, Memory.
import { describe, expect, it } from 'vitest'
import { connect } from '../../../src/core/client/index.ts'
import type { MockEvent } from '../../../src/node/index.ts'
import { createCore } from '../../../src/core/mock/core.ts'
import { quote } from '../../../src/core/schema/problem.ts'
import { createEvents } from '../../../src/core/traffic/events.ts'
import { noon, transports } from '../../support/api.ts'
import { ask, describeControl, startAdmin } from '../../support/control.ts'
import { get } from '../../cli/support/client-states.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { withoutDeadlines } from '../../cli/support/wait.ts'
import { within } from '../../support/within.ts'
import { startClient, take } from './support/client.ts'
import { readResponse } from '../../support/read.ts'

const user = { email: 'ada@example.com' }
const users = '/projects/a/users'

/** Reads events one at a time. */
const reader = (events: AsyncIterable<MockEvent>) => {
  const iterator = events[Symbol.asyncIterator]()
  return {
    next: async () => (await within('an event', iterator.next())).value as MockEvent | undefined,
    end: () => iterator.return!(),
  }
}

describeControl('Events', (start) => {
  it('report changes, requests and faults in order', async () => {
    const { mock, control } = await start()
    const { body: created } = await ask(mock, users, 'POST', user)
    await control.project('a').users.patch(created.id, { fullName: 'Ada' })
    const fault = await control.faults.add({ effect: { status: 503 } })
    await ask(mock, users)
    const events = await take(control.events({ after: 0 }), 5)
    const { items } = await control.requests.list()
    const ofUser = { resource: 'user', id: created.id }
    const renamed = { ...ofUser, from: { fullName: null }, to: { fullName: 'Ada' } }
    expect(events).toEqual([
      { id: 1, type: 'change', project: 'a', change: { ...ofUser, from: null, to: created } },
      { id: 2, type: 'request', project: 'a', request: items[0] },
      { id: 3, type: 'change', project: 'a', change: renamed },
      { id: 4, type: 'request', project: 'a', request: items[1] },
      { id: 5, type: 'fault', project: 'a', fault: fault.id, request: items[1]!.id },
    ])
  })

  it('report failed payments, which change no record', async () => {
    const { control } = await start()
    const { paymentLinks, clock } = control.project('a')
    const link = await paymentLinks.create({ invoice: 'inv_1' })
    await paymentLinks.pay(link.id, { outcome: 'failed' })
    await paymentLinks.pay(link.id, { outcome: 'failed', when: { in: 1000 } })
    await clock.advance(1000)
    expect(await control.scheduledPayments.list()).toEqual([])
    await paymentLinks.pay(link.id)
    const events = await take(control.events({ after: 0 }), 4)
    expect(events.map(({ type }) => type)).toEqual(['change', 'payment', 'payment', 'change'])
    expect(events[1]).toEqual({ id: 2, type: 'payment', project: 'a', paymentLink: link.id, outcome: 'failed' })
    expect(events[3]).toMatchObject({ change: { resource: 'paymentLink', to: { status: 'completed' } } })
  })

  it('report replaced states, with the reason', async () => {
    const { control } = await start()
    const project = control.project('a')
    await project.users.create(user)
    for (const { snapshots } of [project, control]) await snapshots.save('one')
    const following = reader(control.events({ after: 1 }))
    const acts = [
      () => project.state.put({}),
      () => project.snapshots.restore('one'),
      () => project.reset(),
      () => project.delete(),
      () => control.state.put({}),
      () => control.snapshots.restore('one'),
      () => control.reset(),
    ]
    const seen: unknown[] = []
    for (const act of acts) {
      await act()
      seen.push(await following.next())
    }
    await following.end()
    expect(seen).toEqual([
      { id: 2, type: 'reset', project: 'a', reason: 'loaded' },
      { id: 3, type: 'reset', project: 'a', reason: 'restored' },
      { id: 4, type: 'reset', project: 'a', reason: 'reset' },
      { id: 5, type: 'reset', project: 'a', reason: 'deleted' },
      { id: 6, type: 'reset', project: null, reason: 'loaded' },
      { id: 7, type: 'reset', project: null, reason: 'restored' },
      { id: 8, type: 'reset', project: null, reason: 'reset' },
    ])
  })

  it('of one project include those of all projects', async () => {
    const { mock, control } = await start()
    await ask(mock, '/projects/b/users')
    await ask(mock, '/nowhere')
    await ask(mock, users)
    await control.state.put({})
    const events = await take(control.project('a').events({ after: 0 }), 2)
    expect(events.map(({ id, type }) => [id, type])).toEqual([
      [3, 'request'],
      [4, 'reset'],
    ])
    const all = await take(control.events({ after: 0 }), 4)
    expect(all.map((event) => 'project' in event && event.project)).toEqual(['b', null, 'a', null])
  })

  it('continue after the given id', async () => {
    const { mock, control } = await start()
    for (let i = 0; i < 4; i++) await ask(mock, users)
    expect((await take(control.events({ after: 2 }), 2)).map(({ id }) => id)).toEqual([3, 4])
    const next = take(control.events({ after: 4 }), 1)
    await ask(mock, users)
    expect((await next)[0]!.id).toBe(5)
    const following = reader(control.events({ after: 1000 }))
    const seen: MockEvent[] = []
    const first = (async () => void seen.push((await following.next())!))()
    // No event follows that id yet: the next one is the first.
    while (seen.length === 0) {
      await ask(mock, users)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await first
    await following.end()
    expect(seen[0]!.id).toBeGreaterThan(5)
  })

  it('are delivered although a reset follows at once', async () => {
    const { mock, control } = await start()
    const project = mock.project('a')
    const { users: records } = project
    const following = reader(control.events({ after: 0 }))
    const first = following.next()
    await records.create(user)
    await first
    await Promise.all([records.create(user), records.create(user), records.create(user), project.reset(), mock.reset()])
    const types: unknown[] = []
    while (types.length < 5) types.push((await following.next())!.type)
    await following.end()
    expect(types).toEqual(['change', 'change', 'change', 'reset', 'reset'])
    // A new reader gets no events from before the reset, and no report of missed ones.
    expect(await take(control.events({ after: 0 }), 1)).toMatchObject([{ id: 6, type: 'reset', reason: 'reset' }])
  })

  it('report the number of missed events', async () => {
    const { mock, control } = await start()
    const { users: records } = mock.project('a')
    for (let i = 0; i < 1500; i++) records.create(user).catch(() => {})
    await ask(mock, users)
    const [dropped, next] = await take(control.events({ after: 0 }), 2)
    expect(dropped).toEqual({ id: 501, type: 'dropped', count: 501 })
    expect(next).toMatchObject({ id: 502, type: 'change' })
    expect(await take(control.events({ after: 400 }), 1)).toEqual([{ id: 501, type: 'dropped', count: 101 }])
    expect(await take(control.events({ after: 501 }), 1)).toMatchObject([{ id: 502, type: 'change' }])
  })

  it('reject an invalid project name on the first read', async () => {
    const { control } = await start()
    const events = control.project('..').events()
    await expect(take(events, 1)).rejects.toMatchObject({ code: 'projectNotFound' })
  })

  it('end when the mock closes, read or not', async () => {
    const { mock, control } = await start()
    await ask(mock, users)
    const [waiting, behind] = [reader(control.events({ after: 0 })), reader(control.events({ after: 0 }))]
    for (const one of [waiting, behind]) await one.next()
    const next = waiting.next()
    await within('the mock to close', mock.close())
    expect(await next).toBeUndefined()
    expect(await behind.next()).toBeUndefined()
  })

  it('end when the reader stops, also while it waits', async () => {
    const { mock, control } = await start()
    await ask(mock, users)
    for await (const { id } of control.events({ after: 0 })) {
      expect(id).toBe(1)
      break
    }
    const following = reader(control.events({ after: 0 }))
    await following.next()
    const waiting = following.next()
    await within('the end', following.end())
    expect(await waiting).toBeUndefined()
    expect(await following.next()).toBeUndefined()
  })
})

describe('Server-sent events', () => {
  /** Parses a stream as the HTML standard says: lines, fields, and a blank line that dispatches. */
  const parsed = (text: string) =>
    text.split(/\r\n|\r|\n/).reduce<{ fields: Record<string, string>; events: Record<string, string>[] }>(
      ({ fields, events }, line) => {
        if (line === '') return { fields: {}, events: 'data' in fields ? [...events, fields] : events }
        const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line)!
        if (name === '') return { fields, events }
        return { fields: { ...fields, [name]: name in fields ? `${fields[name]}\n${value}` : value }, events }
      },
      { fields: {}, events: [] },
    ).events

  it('parse as the standard says, whatever they contain', async () => {
    const { mock, url } = await startAdmin({ clock: noon })
    const fullName = 'a\nb\r\nc\rd\u2028e\u2029f\u0085\u0000: data: id: 7\n\nevent: x'
    await ask(mock, users, 'POST', { ...user, fullName })
    const response = await fetch(`${url}/__admin/events`, { headers: { 'last-event-id': '0', accept: 'text/html' } })
    const shown = ['content-type', 'cache-control'].map((name) => response.headers.get(name))
    expect([response.status, ...shown]).toEqual([200, 'text/event-stream', 'no-store'])
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true })
      if (parsed(text).length === 2) break
    }
    const [change, request] = parsed(text)
    expect([change!.id, change!.event, request!.id, request!.event]).toEqual(['1', 'change', '2', 'request'])
    expect(JSON.parse(change!.data!)).toMatchObject({ id: 1, type: 'change', change: { to: { fullName } } })
    expect(JSON.parse(request!.data!)).toMatchObject({ request: { request: { body: { fullName } } } })
  })

  const invalidIds = ['x', 'x1', '1x', '-1', '1.5', '', '9'.repeat(16), '1 2', 'x'.repeat(50)]
  it.each(invalidIds)('reject Last-Event-ID %j', async (id) => {
    const { url } = await startAdmin()
    const response = await fetch(`${url}/__admin/events`, { headers: { 'last-event-id': id } })
    expect(Object.values(await readResponse(response))).toMatchObject([
      422,
      { code: 'invalidQuery', message: `Last-Event-ID must be the id of an event (got ${quote(id)}).` },
    ])
  })

  it('leave nothing open: a server without readers stops at once', async () => {
    const { mock, url } = await startAdmin()
    await ask(mock, users)
    const control = connect(url)
    for (let i = 0; i < 20; i++) expect(await take(control.events({ after: 0 }), 1)).toHaveLength(1)
    withoutDeadlines()
    await within('the server to stop', mock.close())
  })

  // It sends more than the sockets of two processes hold.
  it.runIf(process.env.SLOW_TESTS)('disconnect a client that never reads, while others still get events', async () => {
    const { mock, url } = await startAdmin()
    const raw = await connectRaw({ port: Number(new URL(url).port) })
    raw.send(get('/__admin/events'))
    await raw.until(/: events/)
    raw.socket.pause()
    const closed = new Promise((resolve) => raw.socket.once('close', resolve))
    const body = { ...user, fullName: 'x'.repeat(400_000) }
    const { users: records } = mock.project('a')
    const { id } = await records.create(user)
    const attentive = reader(connect(url).events({ after: 0 }))
    await attentive.next()
    for (let i = 0; i < 60; i++) {
      await records.patch(id, { fullName: `${i}${body.fullName}` })
      expect((await attentive.next())!.type).toBe('change')
    }
    await attentive.end()
    // The first events are in the buffers of the system, followed by the end of the connection.
    raw.socket.resume()
    await within('the end of the connection', closed)
    expect(raw.received().split('event: change').length).toBeLessThan(30)
  })
})

describe.each(transports)('A stream of events, %s,', (transport) => {
  it('starts with new events, and continues', async () => {
    const { call, ask } = await startClient(transport)
    const response = await call('/__admin/projects/acme/events')
    const stream = response.body!.getReader()
    const read = async () => new TextDecoder().decode((await within('a chunk', stream.read())).value)
    expect(await read()).toBe(': events\n\n')
    await ask('/users')
    expect(await read()).toMatch(/^event: request\ndata: \{.*\}\nid: 1\n\n$/)
    await stream.cancel()
  })

  it('has only headers in response to a HEAD', async () => {
    const { call } = await startClient(transport)
    const response = await call('/__admin/events', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('A stream of events, in process', () => {
  it('ends its subscription when its reader stops, and has none for a HEAD', async () => {
    const { respond, root } = createCore()
    const isStreaming = () => root.traffic.events.isStreaming()
    const ask = (method: string) => respond(new Request('http://mock/__admin/events', { method }), {})
    await ask('HEAD')
    expect(isStreaming()).toBe(false)
    const { body } = await ask('GET')
    expect(isStreaming()).toBe(true)
    await body!.cancel()
    expect(isStreaming()).toBe(false)
  })

  it('ends for a reader that is too far behind', async () => {
    const { mock } = await startClient('in process')
    const stream = (await mock.fetch('/__admin/events')).body!.getReader()
    await stream.read()
    const { users: records } = mock.project('a')
    const { id } = await records.create(user)
    for (let i = 0; i < 60; i++) await records.patch(id, { fullName: `${i}${'x'.repeat(400_000)}` })
    const readOn = async (count = 0): Promise<number> => ((await stream.read()).done ? count : readOn(count + 1))
    expect(await within('the end', readOn())).toBeLessThan(60)
  })
})

describe('The event buffer', () => {
  const reset = { type: 'reset', project: null, reason: 'reset' } as const
  const never = () => () => {}
  const megabyte = 1024 * 1024

  it.each([
    [16, megabyte, { id: 1, type: 'reset' }],
    [17, megabyte, { type: 'dropped', count: 1 }],
    [1, 17 * megabyte, { id: 1, type: 'reset' }],
    [2, 17 * megabyte, { type: 'dropped', count: 1 }],
  ])('keeps 16 MiB of events, or the newest: %i of %i bytes', async (count, size, first) => {
    const events = createEvents()
    for (let i = 0; i < count; i++) events.publish(reset, size)
    const [event] = await take(events.follow({ after: 0, onEnd: never }), 1)
    expect(event).toMatchObject(first)
  })

  it('keeps what is published after it dropped events to make room', async () => {
    const events = createEvents()
    for (let i = 0; i < 17; i++) events.publish(reset, megabyte)
    for (let i = 0; i < 100; i++) events.publish(reset, 100)
    const [dropped, next] = await take(events.follow({ after: 0, onEnd: never }), 2)
    expect(dropped).toMatchObject({ type: 'dropped', count: 2 })
    expect(next!.id).toBe(3)
  })

  it('converts a change only when it is read', async () => {
    const events = createEvents()
    let read = 0
    const to = {
      createdAt: '2025-01-01T00:00:00.000Z',
      sequence: 0,
      get id() {
        read++
        return 'usr_1'
      },
    }
    const change = { kind: 'users', from: undefined, to, at: to.createdAt, size: 0 } as const
    for (let i = 0; i < 100; i++) events.publish({ type: 'change', project: 'a', change })
    expect(read).toBe(0)
    await take(events.follow({ after: 90, onEnd: never }), 5)
    expect(read).toBe(5)
  })
})
