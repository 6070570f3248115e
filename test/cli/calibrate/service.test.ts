import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Failure, startStandIn } from './stand-in.ts'
import { ask, settling, type StandIn } from './support/ask.ts'

const nothing = { users: 0, activeLinks: 0, harmed: [] }
const isCreateUser = (method: string, path: string) => method === 'POST' && path === '/users'

/** A service with these responses to the first creates of a user, and then the usual ones. */
const failing = (...failures: Failure[]) =>
  startStandIn({
    retryAfter: '0',
    failureOf: (method, path) => (isCreateUser(method, path) ? failures.shift() : undefined),
  })

describe('a request', () => {
  it('does not follow a redirect', async () => {
    const other = await startStandIn()
    const headers = { location: `${other.url}/projects/acme/users` }
    const service = await failing({ isDone: false, status: 307, text: '{}', headers })
    const report = await ask(service, { keys: ['duplicateEmail'] })
    expect(report.findings).toMatchObject([{ outcome: 'inconclusive', why: expect.stringMatching(/ returned 307$/) }])
    expect(other.seen).toEqual([])
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('that creates a record is not sent again after 503, which may have an effect', async () => {
    const service = await failing({ isDone: true, status: 503, text: '{}' })
    const report = await ask(service, { keys: ['duplicateEmail'] })
    expect(report.findings).toMatchObject([{ outcome: 'inconclusive', why: expect.stringMatching(/ returned 503$/) }])
    expect(service.seen.filter((line) => line === 'POST /v2/projects/acme/users')).toHaveLength(1)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it.each([
    ['60', [60_000]],
    [' 0 ', [0]],
    [new Date(Date.UTC(2024, 11, 31)).toUTCString(), [0]],
    ['soon', [1000]],
  ])('is sent again when Retry-After is %j', async (retryAfter, expected) => {
    const service = await startStandIn({ busyAt: (request) => request === 2, retryAfter })
    const waits: number[] = []
    const report = await ask(service, {
      keys: ['invalidBodyStatus'],
      now: () => Date.UTC(2025, 0, 1),
      wait: async (milliseconds) => void waits.push(milliseconds),
    })
    expect(waits).toEqual([...expected, ...settling])
    expect(report.behaviors).toEqual({ invalidBodyStatus: 400 })
  })

  it('is not sent again when the wait would be longer than a minute', async () => {
    const service = await startStandIn({ busyAt: (request) => request === 2, retryAfter: '61' })
    const report = await ask(service, { keys: ['invalidBodyStatus'] })
    expect(report.findings).toMatchObject([{ why: expect.stringMatching(/after 1 attempt, and asks to wait 61 s$/) }])
  })

  it('ends the run without a response within 30 seconds', async () => {
    const service = await startStandIn()
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    timeout.mockImplementation(() => AbortSignal.abort(new DOMException('too late', 'TimeoutError')))
    const report = await ask(service)
    expect(timeout.mock.calls.every(([milliseconds]) => milliseconds === 30_000)).toBe(true)
    expect(report.ended).toEqual({
      failure: `${service.url} does not respond to GET /projects/acme/users?limit=1 (no response for 30 s).`,
    })
  })

  it.each([
    [{ message: '', code: 'ECONNREFUSED' }, 'ECONNREFUSED'],
    [{ message: 'connect ECONNREFUSED ::1:9', code: 'ECONNREFUSED' }, 'connect ECONNREFUSED ::1:9'],
    [undefined, 'fetch failed'],
    [{ message: 'bad header: Bearer tok_real_secret' }, 'bad header: Bearer ***'],
  ])('that fails with the cause %j ends the run with that reason', async (cause, reason) => {
    const service = await startStandIn()
    const report = await ask(service, { fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) })
    expect(report.ended).toEqual({
      failure: `${service.url} does not respond to GET /projects/acme/users?limit=1 (${reason}).`,
    })
  })

  it('that fails in the middle of its response ends the run', async () => {
    const service: StandIn = await startStandIn()
    const cut = () => new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) })
    const report = await ask(service, { fetch: async () => new Response(cut()) })
    expect(report.ended).toEqual({ failure: expect.stringMatching(/ does not respond to GET \S+ \(terminated\)\.$/) })
  })

  it('is not sent again when the run is interrupted during the wait', async () => {
    const interruption = new AbortController()
    const service: StandIn = await startStandIn({
      busyAt: () => !interruption.signal.aborted && service.seen.at(-1)!.includes('/users/search'),
    })
    const report = await ask(service, {
      keys: ['searchMatch'],
      signal: interruption.signal,
      wait: async () => interruption.abort(),
    })
    expect(report).toMatchObject({ ended: 'interrupted', findings: [], leftBehind: [] })
    // The others are those of the clean-up.
    expect(service.seen.filter((line) => line.includes('/users/search'))).toHaveLength(1 + 3)
    expect(service.leftBehind()).toEqual(nothing)
  })

  it('shows no control characters of a response that is not JSON', async () => {
    const text = 'a\u001B[2J\u0007\r\nb'
    const report = await ask(await failing({ isDone: false, status: 422, text }), { keys: ['invalidBodyStatus'] })
    expect(report.findings[0]!.exchanges[0]!.response).toBe('a [2J b')
  })
})
