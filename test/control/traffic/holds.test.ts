import { execFileSync } from 'node:child_process'
import { expect, it, describe, onTestFinished, vi } from 'vitest'
import type { FaultRule, ProjectControl } from '../../../src/node/index.ts'
import { token } from '../../support/canary.ts'
import { ask, describeControl } from '../../support/control.ts'
import { startClient } from './support/client.ts'
import { root } from '../../support/installed.ts'

const seed = { projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }] } } }
const users = '/projects/acme/users'
const hold = { match: { operation: 'createUser' }, effect: { hold: true }, times: null } as const
const grace = { email: 'grace@example.com' }

describeControl('a held request', (given) => {
  const start = () => given({ seed })
  const startHolding = async (rule: FaultRule = hold) => {
    const started = await start()
    return { ...started, fault: await started.acme.faults.add(rule) }
  }
  /** A request that a fault holds. */
  const startHeld = async (rule?: FaultRule) => {
    const started = await startHolding(rule)
    const waiting = ask(started.mock, users, 'POST', grace)
    await started.fault.waitForHeld()
    return { ...started, waiting }
  }

  it('waits before the operation until it is released', async () => {
    const { mock, acme, fault } = await startHolding()
    // A release is for those that wait now.
    expect((await fault.release()).held).toBe(0)
    const waiting = ask(mock, users, 'POST', grace)
    expect(await fault.waitForHeld()).toMatchObject({ held: 1, hits: 1 })
    expect((await acme.summary()).users).toBe(1)
    expect(await fault.release()).toMatchObject({ held: 0, hits: 1 })
    expect((await waiting).status).toBe(201)
    expect((await acme.summary()).users).toBe(2)
  })

  it('is released with the oldest first, as many as asked', async () => {
    const { mock, fault } = await startHolding()
    const done: string[] = []
    const all = fault.waitForHeld(3)
    const create = (name: string) => ask(mock, users, 'POST', { email: `${name}@example.com` })
    const requests = ['a', 'b', 'c'].map((name) => create(name).then(() => done.push(name)))
    expect((await all).held).toBe(3)
    expect((await fault.release(2)).held).toBe(1)
    await Promise.all(requests.slice(0, 2))
    expect(done).toEqual(['a', 'b'])
    await fault.release()
    await Promise.all(requests)
    expect(done).toEqual(['a', 'b', 'c'])
  })

  it('is released when its fault is removed', async () => {
    const { mock, acme } = await start()
    for (const remove of [(id: string) => acme.faults.remove(id), () => acme.faults.remove()]) {
      const fault = await acme.faults.add(hold)
      const waiting = ask(mock, users, 'POST', { email: `${fault.id}@example.com` })
      await fault.waitForHeld()
      await remove(fault.id)
      expect((await waiting).status).toBe(201)
    }
  })

  it('gets the response of the fault after its release', async () => {
    const { acme, fault, waiting } = await startHeld({ ...hold, effect: { hold: true, status: 503 } })
    await fault.release()
    expect((await waiting).status).toBe(503)
    expect((await acme.summary()).users).toBe(1)
  })

  it('ends with its client, and nothing has happened', async () => {
    const { mock, acme, fault } = await startHolding()
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(grace), signal: leaving.signal }
    const left = expect(mock.fetch(users, init)).rejects.toThrow()
    await fault.waitForHeld()
    leaving.abort()
    await left
    expect((await fault.refresh()).held).toBe(0)
    expect((await acme.summary()).users).toBe(1)
  })

  it.each([
    [{ within: 3_600_001 }, { code: 'invalidBody', message: 'within must be at most 3600000 (got 3600001).' }],
    [{ within: null }, { code: 'invalidBody', message: 'within must be a number (got null).' }],
    [{ whithin: 1 }, { code: 'invalidOptions', message: "whithin is not a field here; did you mean 'within'?" }],
    [null, { code: 'invalidOptions', message: /^The options of waitForHeld must be an object, .* \(got null\)\.$/ }],
  ])('cannot be waited for with the options %j', async (options, { code, message }) => {
    const { fault } = await startHolding()
    const waiting = fault.waitForHeld(1, options as never)
    await expect(waiting).rejects.toMatchObject({ code })
    await expect(waiting).rejects.toThrow(message)
  })

  it('that is waited for when the mock closes is no failed check', async () => {
    const { mock, fault } = await startHolding()
    const stopped = expect(fault.waitForHeld(1, { within: 30_000 })).rejects.toMatchObject({ code: 'shuttingDown' })
    await fault.refresh()
    await mock.close()
    await stopped
  })

  it.each<[string, (acme: ProjectControl) => Promise<unknown>]>([
    ['the removal', (acme) => acme.faults.remove()],
    ['a reset', (acme) => acme.reset()],
  ])('is not waited for after %s', async (_, end) => {
    const { acme, fault } = await startHolding()
    const waiting = expect(fault.waitForHeld(1, { within: 30_000 })).rejects.toMatchObject({ code: 'faultNotFound' })
    await fault.refresh()
    await end(acme)
    await waiting
  })

  it.each([
    [{ connection: 'reset' }, 'fetch failed'],
    [{ corrupt: 'malformed' }, SyntaxError],
  ] as const)('loses its connection or its JSON after the release with %j', async (effect, error) => {
    const { acme, fault, waiting } = await startHeld({ ...hold, phase: 'after', effect: { hold: true, ...effect } })
    const failed = expect(waiting).rejects.toThrow(error)
    await fault.release()
    await failed
    expect((await acme.summary()).users).toBe(2)
  })

  it('that does not come fails the check, with the counts', async () => {
    const { fault } = await startHolding()
    await expect(fault.waitForHeld(2, { within: 0 })).rejects.toMatchObject({
      code: 'verificationFailed',
      message: `Fault '${fault.id}' was expected to hold at least 2 requests and holds 0.`,
      facts: { expected: { atLeast: 2 }, actual: 0, nearMisses: [] },
    })
  })

  it('is never one of a fault without hold', async () => {
    const { fault } = await startHolding({ effect: { status: 503 } })
    const message = `Fault '${fault.id}' holds no requests: its effect has no hold.`
    const expected = { code: 'invalidBody', status: 422, message }
    await expect(fault.release()).rejects.toMatchObject(expected)
    await expect(fault.waitForHeld()).rejects.toMatchObject(expected)
    expect(await fault.refresh()).not.toHaveProperty('held')
  })

  it.each([0, -1, 1.5, 'one'])('is not released by the count %j', async (count) => {
    const { fault, waiting } = await startHeld()
    await expect(fault.release(count as number)).rejects.toMatchObject({ details: [{ path: 'count' }] })
    await expect(fault.waitForHeld(count as number)).rejects.toMatchObject({ details: [{ path: 'held' }] })
    expect((await fault.refresh()).held).toBe(1)
    await fault.release()
    await waiting
  })
})

describeControl('a fault with a window of time', (given) => {
  const rule = { match: { operation: 'listUsers' }, effect: { status: 503 } } as const

  it('applies from its start until before its end, by the clock of the project', async () => {
    const { mock, acme } = await given({ seed, clock: '2025-01-01T11:59:59.999Z' })
    const fault = await acme.faults.add({ ...rule, from: '2025-01-01T12:00:00Z', until: '2025-01-01T12:05:00Z' })
    expect(fault.remaining).toBeNull()
    const status = async () => (await ask(mock, users)).status
    expect(await status()).toBe(200)
    await acme.clock.advance(1)
    expect([await status(), await status()]).toEqual([503, 503])
    await acme.clock.advance(299_999)
    expect(await status()).toBe(503)
    await acme.clock.advance(1)
    expect(await status()).toBe(200)
    expect((await fault.refresh()).hits).toBe(3)
  })

  it('uses neither a skip nor a random draw outside of it', async () => {
    const { mock, acme } = await given({ seed, clock: '2025-01-01T11:00:00Z' })
    await acme.faults.add({ ...rule, skip: 1, times: 1, from: '2025-01-01T12:00:00Z' })
    const status = async () => (await ask(mock, users)).status
    expect([await status(), await status()]).toEqual([200, 200])
    await acme.clock.advance(3_600_000)
    expect([await status(), await status(), await status()]).toEqual([200, 503, 200])
  })

  it.each(['2025-01-01T12:00:00Z', '2025-01-01T11:00:00Z'])('cannot end at %s before it has started', async (until) => {
    const { control } = await given()
    const message = 'until must be later than from (2025-01-01T12:00:00.000Z).'
    const adding = control.faults.add({ ...rule, from: '2025-01-01T12:00:00Z', until })
    await expect(adding).rejects.toMatchObject({ details: [{ path: 'until', message }] })
  })
})

const body = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }

describe('The effect `duplicate`', () => {
  const start = async (rule: Partial<FaultRule> = {}, options: Parameters<typeof startClient>[1] = {}) => {
    const client = await startClient('in process', options)
    const fault = await client.acme.faults.add({ ...rule, effect: { ...rule.effect, duplicate: true } })
    const create = (headers = {}) => client.ask('/paymentLinks', { method: 'POST', body, headers })
    return { ...client, fault, create }
  }

  it('names the behaviors that decided either delivery', async () => {
    const { mock, acme, ask } = await startClient('in process')
    const { id } = await acme.users.create({ email: 'a@b.c' })
    await mock.faults.add({ times: null, effect: { duplicate: true } })
    const list = await ask('/projects/new/users')
    expect(list.headers.get('mock-assumed')).toBe('unknownProject=create')
    const update = await ask(`/users/${id}`, { method: 'PATCH', body: { email: 'new@b.c' } })
    expect(update.headers.get('mock-assumed')).toBe('emailVerifiedOnChange=keep')
  })

  it('processes the request twice, records both, and returns the second response', async () => {
    const { acme, fault, create } = await start()
    const { headers, body: second } = await create()
    const { items: links } = await acme.paymentLinks.list()
    expect([links.length, links[0]!.id]).toEqual([2, second.id])
    expect(await fault.refresh()).toMatchObject({ hits: 1, remaining: 0 })
    const { items } = await acme.requests.list()
    expect(items).toMatchObject([
      { status: 201, fault: fault.id, superseded: true, changes: [{ from: null, to: { id: links[1]!.id } }] },
      { status: 201, fault: fault.id, changes: [{ from: null, to: { id: second.id } }] },
    ])
    expect(items[1]).not.toHaveProperty('superseded')
    expect(items[1]!.id).toBe(headers.get('mock-request-id'))
    expect(items[0]!.id).not.toBe(items[1]!.id)
  })

  it('has one effect with an idempotency key under replay', async () => {
    const { acme, create } = await start({}, { behaviors: { idempotencyKey: 'replay' } })
    const { status, body: second } = await create({ 'idempotency-key': 'order-1' })
    const { items: links } = await acme.paymentLinks.list()
    expect([status, links.map(({ id }) => id)]).toEqual([201, [second.id]])
  })

  it('returns the conflict of the second cancel', async () => {
    const { acme, ask } = await start({ match: { operation: 'cancelPaymentLink' } })
    const { id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    const { status, body: error } = await ask(`/paymentLinks/${id}/cancel`, { method: 'POST' })
    expect([status, error.code]).toEqual([409, 'paymentLinkNotActive'])
    expect(await acme.paymentLinks.get(id)).toMatchObject({ status: 'canceled' })
  })

  it('is not matched by other faults the second time', async () => {
    const { acme, create } = await start({ times: 1 })
    await acme.faults.add({ skip: 1, effect: { status: 503 } })
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(503)
  })

  it('happens before the response is lost', async () => {
    const { acme, create } = await start({ effect: { connection: 'reset' } })
    await expect(create()).rejects.toThrow(TypeError)
    expect((await acme.paymentLinks.list()).items).toHaveLength(2)
  })

  it('happens after a hold is released', async () => {
    const { acme, fault, create } = await start({ effect: { hold: true } })
    const response = create()
    await fault.waitForHeld(1)
    expect((await acme.paymentLinks.list()).items).toEqual([])
    await fault.release()
    expect((await response).status).toBe(201)
    expect((await acme.paymentLinks.list()).items).toHaveLength(2)
  })

  it('returns the rejection of an invalid request, and records both', async () => {
    const { acme, ask } = await start()
    expect((await ask('/paymentLinks', { method: 'POST', body: {} })).status).toBe(422)
    const { items } = await acme.requests.list()
    expect(items.map(({ status, superseded }) => [status, superseded])).toEqual([
      [422, true],
      [422, undefined],
    ])
  })

  it('publishes the events of both deliveries', async () => {
    const { acme, fault, create } = await start()
    await create()
    const events = []
    for await (const event of acme.events({ after: 0 })) {
      events.push(event)
      if (events.filter(({ type }) => type === 'fault').length === 2) break
    }
    expect(events).toMatchObject([
      { type: 'change', change: { from: null } },
      { type: 'request', request: { superseded: true } },
      { type: 'fault', fault: fault.id },
      { type: 'change', change: { from: null } },
      { type: 'request', request: { fault: fault.id } },
      { type: 'fault', fault: fault.id },
    ])
    expect(events[4]).not.toHaveProperty('request.superseded')
  })

  it('corrupts the second response only', async () => {
    const { acme, create } = await start({ effect: { corrupt: 'malformed' } })
    expect(await create()).toMatchObject({ status: 201, body: undefined })
    const { items } = await acme.requests.list()
    expect(items.map(({ response }) => typeof response!.body)).toEqual(['object', 'string'])
  })

  it('waits once for a delay, before both deliveries', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => setTimer.mockRestore())
    const { acme, create } = await start({ effect: { delay: { milliseconds: 7 } } })
    expect((await create()).status).toBe(201)
    expect(setTimer.mock.calls.filter(([, milliseconds]) => milliseconds === 7)).toHaveLength(1)
    const { items } = await acme.requests.list()
    expect(items.map(({ changes }) => changes.length)).toEqual([1, 1])
  })

  it('counts two reads for a scheduled payment', async () => {
    const { acme, ask } = await start({ match: { operation: 'retrievePaymentLink' } })
    const { id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    await acme.paymentLinks.pay(id, { when: { reads: 2 } })
    expect((await ask(`/paymentLinks/${id}`)).body.status).toBe('completed')
  })
})

const runScript = (code: string): string => {
  const script = `
    import { createMock } from './dist/node/index.js'
    const mock = createMock()
    const call = (signal) => mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer t' }, signal })
    // Modules that load later would keep the process alive too.
    await call()
    ${code}`
  const args = ['--input-type=module', '--eval', script]
  return execFileSync(process.execPath, args, { encoding: 'utf8', cwd: root, timeout: 30_000 })
}

describe('a process whose only work is a request in the mock', () => {
  it('lives until the request times out, held or hanging', () => {
    const output = runScript(`
      for (const effect of [{ hold: true }, { connection: 'hang' }]) {
        await mock.faults.add({ effect })
        await call(AbortSignal.timeout(50)).catch((error) => console.log(error.name))
      }`)
    expect(output).toBe('TimeoutError\nTimeoutError\n')
  })

  it('ends with the request, after a release, a reset, an abort and the end of the mock', () => {
    const output = runScript(`
      const controller = new AbortController()
      let fault
      for (const end of [
        () => fault.release(),
        () => mock.project('acme').reset(),
        () => controller.abort(),
        () => mock.close(),
      ]) {
        fault = await mock.faults.add({ effect: { hold: true } })
        const signal = controller.signal.aborted ? undefined : controller.signal
        const waiting = call(signal).then(({ status }) => status, ({ name }) => name)
        await fault.waitForHeld()
        await end()
        console.log(await waiting)
      }`)
    expect(output).toBe('200\n503\nAbortError\n503\n')
  })
})

it('a wait for held requests ends after two seconds by default', async () => {
  const { acme } = await startClient('in process')
  const fault = await acme.faults.add(hold)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let hasEnded = false
  const waiting = fault.waitForHeld().catch((error: unknown) => {
    hasEnded = true
    return error
  })
  await vi.advanceTimersByTimeAsync(1999)
  expect(hasEnded).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toMatchObject({ code: 'verificationFailed' })
})
