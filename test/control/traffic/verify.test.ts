import { describe, expect, it } from 'vitest'
import { createMock, MockError, type Verification } from '../../../src/node/index.ts'
import { quote } from '../../../src/core/schema/problem.ts'
import { noon } from '../../support/api.ts'
import { ask, describeControl, startAdmin } from '../../support/control.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { watchTimers } from '../../cli/support/wait.ts'
import { within } from '../../support/within.ts'

const users = '/projects/a/users'
const create = { operation: 'createUser' } as const
const list = { operation: 'listUsers' } as const
const user = (n: number) => ({ email: `user${n}@example.com` })

const mockErrorFrom = async (act: Promise<unknown>): Promise<MockError> => {
  const reason: unknown = await act.catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(MockError)
  return reason as MockError
}

/** The requests that a failed verification names as the nearest. */
const nearestOf = async (act: Promise<unknown>): Promise<any[]> => {
  const { facts } = await mockErrorFrom(act)
  return (facts as { nearMisses: any[] }).nearMisses
}

describeControl('Verify', (start) => {
  const startCalled = async (options = {}) => {
    const started = await start(options)
    const { mock, control } = started
    for (let i = 0; i < 2; i++) await ask(mock, users, 'POST', user(i))
    await ask(mock, users)
    return { ...started, requests: control.project('a').requests }
  }

  const deleted = { operation: 'deleteUser' } as const

  it.each<[Verification, expected: object, actual: number]>([
    [{ match: create }, { atLeast: 1 }, 2],
    [{ match: {} }, { atLeast: 1 }, 3],
    [{ match: create, times: { exactly: 2 } }, { exactly: 2 }, 2],
    [{ match: create, times: 2 }, { exactly: 2 }, 2],
    [{ match: deleted, times: 0 }, { exactly: 0 }, 0],
    [{ match: create, times: { atLeast: 1 } }, { atLeast: 1 }, 2],
    [{ match: create, times: { atMost: 2 } }, { atMost: 2 }, 2],
    [{ match: create, times: { atLeast: 1, atMost: 3 } }, { atLeast: 1, atMost: 3 }, 2],
    [{ match: deleted, times: { atMost: 0 } }, { atMost: 0 }, 0],
    [{ match: create, times: { atLeast: 0 } }, { atLeast: 0 }, 2],
    [{ match: { body: user(1) }, times: { exactly: 1 } }, { exactly: 1 }, 1],
    [{ match: { status: 201, project: 'a', method: 'POST', path: users } }, { atLeast: 1 }, 2],
    [{ sequence: [create, list] }, { sequence: 2 }, 2],
    // Another call is between the first and the last.
    [{ sequence: [{ body: user(0) }, list] }, { sequence: 2 }, 2],
    [{ sequence: [create, create, list] }, { sequence: 3 }, 3],
  ])('succeeds for %j', async (verification, expected, actual) => {
    const { requests } = await startCalled()
    expect(await requests.verify(verification)).toEqual({ ok: true, expected, actual })
  })

  it.each<[Verification, actual: number, RegExp]>([
    [{ match: create, times: 1 }, 2, /exactly once and was seen 2 times: POST \S+ \(201\), POST \S+ \(201\)/],
    [{ match: create, times: 0 }, 2, /never and was seen 2 times/],
    [{ match: create, times: { atLeast: 3 } }, 2, /at least 3 times and was seen 2 times/],
    [{ match: create, times: { atMost: 1 } }, 2, /at most once and was seen 2 times/],
    [{ match: list, times: { atLeast: 2, atMost: 4 } }, 1, /at least 2 times and at most 4 times and was seen once/],
    [{ match: deleted }, 0, /at least once and was seen 0 times/],
    [{ sequence: [list, create] }, 1, /Step 2 of 2, createUser, was not seen after/],
    [{ sequence: [deleted] }, 0, /Step 1 of 1, deleteUser, was not seen/],
    [{ sequence: [create, create, create] }, 2, /Step 3 of 3/],
  ])('fails for %j, with the expected and the actual calls', async (verification, actual, message) => {
    const { requests } = await startCalled()
    const error = await mockErrorFrom(requests.verify(verification))
    const { times = { atLeast: 1 }, sequence } = verification
    const counts = typeof times === 'number' ? { exactly: times } : times
    const expected = sequence === undefined ? counts : { sequence: sequence.length }
    expect(error).toMatchObject({ code: 'verificationFailed', status: 409, facts: { expected, actual } })
    expect(error.message).toMatch(message)
  })

  it('checks one project or all', async () => {
    const { mock, control, requests } = await startCalled()
    await ask(mock, '/projects/b/users', 'POST', user(0))
    expect((await requests.verify({ match: create })).actual).toBe(2)
    expect((await control.requests.verify({ match: create })).actual).toBe(3)
    expect((await control.requests.verify({ match: { ...create, project: 'b' } })).actual).toBe(1)
    expect((await control.requests.verify({ sequence: [{ project: 'a' }, { project: 'b' }] })).actual).toBe(2)
  })

  it('rejects a matcher of another project than the call', async () => {
    const { control, requests } = await startCalled()
    const path = '/projects/b/users'
    const rejected = [
      ['match.project', () => requests.verify({ match: { project: 'b' }, times: 0 })],
      ['match.path', () => requests.verify({ match: { path }, times: 0 })],
      ['sequence[1].project', () => requests.verify({ sequence: [create, { project: 'b' }] })],
      ['project', () => requests.list({ project: 'b' })],
      ['path', () => requests.list({ path })],
    ] as const
    for (const [at, act] of rejected)
      expect(await mockErrorFrom(act())).toMatchObject({ status: 422, details: [{ path: at }] })
    expect((await control.requests.verify({ match: { project: 'b' }, times: 0 })).ok).toBe(true)
    expect((await requests.list({ project: 'a', path: users })).items).toHaveLength(3)
  })

  it('waits for the missing call, and succeeds with it', async () => {
    const { mock, control } = await start()
    const requests = control.project('a').requests
    const waiting = requests.verify({ match: { body: user(1) }, within: 30_000 })
    const inOrder = control.requests.verify({ sequence: [create, list, create], within: 30_000 })
    await ask(mock, users, 'POST', user(0))
    await ask(mock, users)
    await ask(mock, '/projects/b/users', 'POST', user(1))
    await ask(mock, users, 'POST', user(1))
    expect(await within('the call', waiting)).toMatchObject({ ok: true, actual: 1 })
    expect(await within('the call', inOrder)).toMatchObject({ ok: true, actual: 3 })
  })

  it('waits at most `within`', async () => {
    const { control } = await start()
    const error = await mockErrorFrom(control.requests.verify({ match: create, within: 5 }))
    expect(error).toMatchObject({ code: 'verificationFailed', facts: { actual: 0 } })
  })

  it('fails at once when it can no longer succeed', async () => {
    const { mock, requests } = await startCalled()
    const exceeded = requests.verify({ match: create, times: { exactly: 1 }, within: 30_000 })
    await mockErrorFrom(within('the error', exceeded))
    const yet = requests.verify({ match: list, times: { exactly: 3 }, within: 30_000 })
    const never = requests.verify({ sequence: [{ operation: 'deleteUser' }], within: 30_000 })
    void never.catch(() => {})
    for (let i = 0; i < 2; i++) await ask(mock, users)
    expect(await within('the third', yet)).toMatchObject({ actual: 3 })
  })

  it.each([{ atMost: 1 }, { exactly: 0 }])('waits until the end for an upper limit: %j', async (times) => {
    const { mock, control } = await start()
    const { requests } = control.project('a')
    expect(await requests.verify({ match: create, times, within: 5 })).toMatchObject({ ok: true, actual: 0 })
    const watching = mockErrorFrom(requests.verify({ match: create, times, within: 30_000 }))
    for (let i = 0; i < 2; i++) await ask(mock, users, 'POST', user(i))
    expect(await within('the call too many', watching)).toMatchObject({ code: 'verificationFailed' })
  })

  it('ends the wait when the mock is closed', async () => {
    const timers = watchTimers(599_997)
    const { mock, control } = await start()
    const rejected = mockErrorFrom(control.requests.verify({ match: create, within: 599_997 }))
    await timers.until(1)
    await mock.close()
    await timers.until(0)
    expect(await within('the end', rejected)).toMatchObject({ code: 'shuttingDown', status: 503 })
  })

  it('names the nearest requests and their differences', async () => {
    const { mock, requests } = await startCalled()
    await ask(mock, `${users}?limit=3&limit=4`)
    const match = { ...create, headers: { Authorization: 'Bearer other' }, body: { email: 'user1@example.org' } }
    const error = await mockErrorFrom(requests.verify({ match }))
    const { nearMisses } = error.facts as { nearMisses: any[] }
    const { items } = await requests.list()
    // Requests with few differences come first, newer ones before older ones, other operations last.
    expect(nearMisses.map(({ id }) => id)).toEqual([1, 0, 3, 2].map((index) => items[index]!.id))
    expect(nearMisses[0]).toMatchObject({
      method: 'POST',
      path: users,
      status: 201,
      differences: [
        expect.stringMatching(/^headers\.authorization is 'Bearer #[\da-f]{8}', not 'Bearer #[\da-f]{8}'$/),
        "body.email is 'user1@example.com', not 'user1@example.org'",
      ],
    })
    expect(error.message).toContain("body.email is 'user1@example.com', not 'user1@example.org'")
    expect(error.message).not.toContain('other')
  })

  it('names requests of the expected operation first, however much they differ', async () => {
    const { requests } = await startCalled()
    const body = { email: 'b@example.com', fullName: 'B', birthday: '1990-12-31' }
    const nearest = await nearestOf(requests.verify({ match: { ...create, body } }))
    expect(nearest.map(({ method, differences }) => `${method} ${differences.length}`)).toEqual([
      'POST 3',
      'POST 3',
      'GET 2',
    ])
  })

  it('names a request with a different value before one without it, and the nearest path first', async () => {
    const { mock, requests } = await startCalled()
    for (const path of ['/usr_no', '?limit=5', '', '?offset=1']) await ask(mock, `${users}${path}`)
    const { items } = await requests.list()
    const findNearest = async (match: Verification['match']) =>
      ((await mockErrorFrom(requests.verify({ match: match! }))).facts as { nearMisses: any[] }).nearMisses[0].id
    expect(await findNearest({ query: { limit: '6' } })).toBe(items[4]!.id)
    expect(await findNearest({ path: `${users}/usr_n` })).toBe(items[3]!.id)
    expect(await findNearest({ body: { email: 'ada@example.com' } })).toBe(items[1]!.id)
  })

  it('orders the nearest requests by their differences alone if no operation is expected', async () => {
    const { mock, requests } = await startCalled()
    await ask(mock, '/projects/a/nothing')
    const nearest = await nearestOf(requests.verify({ match: { method: 'POST', status: 500 } }))
    const { items } = await requests.list()
    expect(items[3]).toMatchObject({ operation: null, status: 404 })
    expect(nearest.map(({ id }) => id)).toEqual([1, 0, 3, 2].map((index) => items[index]!.id))
  })

  it.each<[Verification['match'], string]>([
    [{ ...create, method: 'POST', status: 422 }, 'status is 201, not 422'],
    [{ ...create, project: 'b' }, "project is 'a', not 'b'"],
    [{ ...create, query: { limit: '1' } }, "query.limit is missing, not '1'"],
    [{ ...create, headers: { 'X-Trace': '1' } }, "headers.x-trace is missing, not '1'"],
    [{ ...create, body: { email: 1 } }, "body.email is 'user1@example.com', not 1"],
    [{ ...create, body: { partner: { user: {} } } }, 'body.partner is missing, not {"user":{}}'],
    [{ ...create, body: { email: 'x'.repeat(90) } }, `body.email is 'user1@example.com', not '${'x'.repeat(79)}...`],
    [{ ...create, body: [1] }, 'body is {"email":"user1@example.com"}, not [1]'],
  ])('names the part of the nearest request that differs from %j', async (match, difference) => {
    const { control } = await startCalled()
    const [nearest] = await nearestOf(control.requests.verify({ match: match! }))
    expect(nearest.differences).toEqual([difference])
  })

  it('names at most five requests, in a message of bounded length', async () => {
    const { mock, control } = await start()
    const large = { email: 'a@example.com', fullName: 'x'.repeat(2 ** 18) }
    for (let i = 0; i < 7; i++) await ask(mock, users, 'POST', large)
    await ask(mock, `/projects/a/users/${'y'.repeat(10_000)}`)
    const match = { ...create, path: users, body: { fullName: { ['k'.repeat(10_000)]: 'z'.repeat(2 ** 18) } } }
    const error = await mockErrorFrom(control.requests.verify({ match }))
    expect((error.facts as { nearMisses: any[] }).nearMisses).toHaveLength(5)
    expect(JSON.stringify(error).length).toBeLessThan(8000)
    expect(error.message.indexOf('...')).toBe(300)
    const far = await mockErrorFrom(control.requests.verify({ match: { operation: 'retrieveUser', status: 500 } }))
    expect(JSON.stringify(far).length).toBeLessThan(8000)
    const missing = { body: { ['k'.repeat(10_000)]: { ['l'.repeat(10_000)]: 1 } } }
    expect(JSON.stringify(await mockErrorFrom(control.requests.verify({ match: missing }))).length).toBeLessThan(8000)
  })

  it('names no nearest request when it was called too often, or never', async () => {
    const { mock, control, requests } = await startCalled()
    const often = await mockErrorFrom(requests.verify({ match: create, times: { exactly: 1 } }))
    expect(often.facts).toMatchObject({ nearMisses: [] })
    await mock.reset()
    expect(await mockErrorFrom(control.requests.verify({ match: create }))).toMatchObject({ facts: { nearMisses: [] } })
  })

  describe('after requests were dropped', () => {
    it.each<[Verification, string]>([
      [{ match: create, times: { exactly: 2 } }, 'journalTruncated'],
      [{ match: create, times: { exactly: 3 } }, 'journalTruncated'],
      [{ match: create, times: { atMost: 2 } }, 'journalTruncated'],
      [{ match: { operation: 'deleteUser' } }, 'journalTruncated'],
      [{ match: { operation: 'deleteUser' }, times: { exactly: 0 } }, 'journalTruncated'],
      [{ sequence: [list, create] }, 'journalTruncated'],
      // Too many calls, whatever was dropped.
      [{ match: create, times: { exactly: 1 } }, 'verificationFailed'],
      [{ match: create, times: { atMost: 1 } }, 'verificationFailed'],
      // Enough calls, whatever was dropped.
      [{ match: create, times: { atLeast: 2 } }, 'ok'],
      [{ sequence: [create, create] }, 'ok'],
    ])('returns %j with %s', async (verification, expected) => {
      const { mock, control } = await start({ journalSize: 2 })
      for (let i = 0; i < 3; i++) await ask(mock, users, 'POST', user(i))
      const asked = control.project('a').requests.verify({ ...verification })
      if (expected === 'ok') return expect(await asked).toMatchObject({ ok: true })
      const error = await mockErrorFrom(asked)
      expect(error).toMatchObject({ code: expected, status: 409 })
      if (expected === 'journalTruncated') {
        expect(error.message).toContain('1 older request was dropped')
        expect(error.hint).toContain('--journal-size')
      }
    })

    it.each<[Verification, string]>([
      [{ match: { project: 'b' } }, 'ok'],
      [{ match: { path: '/projects/b/users' } }, 'ok'],
      [{ match: { path: '/projects/%62/users' } }, 'verificationFailed'],
      [{ sequence: [{ project: 'b' }, { project: 'b', status: 500 }] }, 'verificationFailed'],
      [{ match: { path: '/projects/*/users/usr_1' } }, 'journalTruncated'],
      [{ match: { path: '/projects/%61/users' } }, 'journalTruncated'],
      [{ sequence: [{ project: 'b' }, { project: 'a', status: 500 }] }, 'journalTruncated'],
    ])('of another project, returns %j with %s', async (verification, expected) => {
      const { mock, control } = await start({ journalSize: 1 })
      for (const path of [users, users, '/projects/b/users']) await ask(mock, path)
      const times = 'match' in verification && { times: 1 }
      const verified = control.requests.verify({ ...verification, ...times })
      expect(
        await verified.then(
          ({ ok }) => ok && 'ok',
          (error: MockError) => error.code,
        ),
      ).toBe(expected)
      expect((await control.requests.list({ project: 'b' })).dropped).toBe(0)
      expect((await control.requests.list({ path: users })).dropped).toBe(1)
    })

    it('names the nearest requests, also if the kept ones are as many as expected', async () => {
      const { mock, control } = await start({ journalSize: 2 })
      for (let i = 0; i < 2; i++) await ask(mock, users, 'POST', user(i))
      await ask(mock, users)
      const error = await mockErrorFrom(control.requests.verify({ match: create, times: { exactly: 1 } }))
      expect(error).toMatchObject({ code: 'journalTruncated', facts: { nearMisses: [{ method: 'GET' }] } })
    })

    it('fails at once when waiting cannot help', async () => {
      const { mock, control } = await start({ journalSize: 2 })
      for (let i = 0; i < 3; i++) await ask(mock, users, 'POST', user(i))
      const asked = control.requests.verify({ match: create, times: { exactly: 2 }, within: 30_000 })
      expect(await within('the error', mockErrorFrom(asked))).toMatchObject({ code: 'journalTruncated' })
    })
  })
})

describe('Over HTTP,', () => {
  it('a client that disconnects leaves no waiting verification', async () => {
    const timers = watchTimers(599_999)
    const { url } = await startAdmin({ clock: noon })
    const body = JSON.stringify({ match: create, within: 599_999 })
    const headers = { 'content-type': 'application/json' }
    const ending = new AbortController()
    const waiting = fetch(`${url}/__admin/requests/verify`, { method: 'POST', headers, body, signal: ending.signal })
    const raw = await connectRaw({ port: Number(new URL(url).port) })
    raw.send(
      `POST /__admin/requests/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await timers.until(2)
    raw.socket.destroy()
    await timers.until(1)
    ending.abort()
    await expect(waiting).rejects.toThrow('abort')
    await timers.until(0)
  })

  it('a verification of a client that disconnected early never waits', async () => {
    const timers = watchTimers(599_998)
    const { mock } = await startAdmin({ clock: noon })
    const body = JSON.stringify({ match: create, within: 599_998 })
    const headers = { 'content-type': 'application/json' }
    const gone = { method: 'POST', headers, body, signal: AbortSignal.abort() }
    await expect(mock.fetch('/__admin/requests/verify', gone)).rejects.toThrow(DOMException)
    expect(timers.running()).toBe(0)
  })
})

const partly = '/projects/a/*s'
it.each<[unknown, string[], string]>([
  [{}, [''], "must have 'match' or 'sequence'"],
  [{ match: create, sequence: [create] }, ['sequence'], 'cannot be combined with match or times'],
  [{ sequence: [] }, ['sequence'], 'must not be empty'],
  [{ match: create, times: {} }, ['times'], "must have 'exactly', 'atLeast' or 'atMost'"],
  [{ match: create, times: { atLeast: 3, atMost: 2 } }, ['times.atLeast'], 'must not exceed atMost'],
  [{ match: create, times: { exactly: 1, atLeast: 1 } }, ['times.exactly'], 'cannot be combined with atLeast'],
  [{ match: create, times: { exactly: -1 } }, ['times.exactly'], 'must be at least 0'],
  ...['once', true, null, [1]].map((times): [unknown, string[], string] => [
    { match: create, times },
    ['times'],
    `times must be a number or an object such as { "exactly": 1 } (got ${quote(times)}).`,
  ]),
  [{ match: create, times: -1 }, ['times'], 'times must be at least 0 (got -1).'],
  [{ match: create, times: 1.5 }, ['times'], 'times must be an integer (got 1.5).'],
  [{ match: create, times: { exactly: 'x' } }, ['times.exactly'], "times.exactly must be a number (got 'x')."],
  [{ match: create, times: { exact: 1 } }, ['times', 'times.exact'], "did you mean 'exactly'?"],
  [{ match: create, times: { exactly: 1, more: 2 } }, ['times.more'], 'times.more is not a field here'],
  [{ sequence: [create], times: 1 }, ['sequence'], 'cannot be combined with match or times'],
  [{ match: create, within: 600_001 }, ['within'], 'must be at most 600000'],
  [{ match: { op: 'createUser' } }, ['match.op'], 'the fields are operation'],
  [{ match: { ...create, path: '/projects/a/paymentLinks' } }, ['match.path'], '/projects/{project}/users'],
  [{ match: { path: partly }, times: 0 }, ['match.path'], `'*' must be a whole segment (got '${partly}')`],
  [{ match: { query: { limit: 1 } } }, ['match.query.limit'], 'must be a string'],
  [{ match: create, time: { exactly: 1 } }, ['time'], "did you mean 'times'"],
  [{ sequence: [create, { method: 'get' }], within: -1 }, ['sequence[1].method', 'within'], "must be spelled 'GET'"],
])('a verification is rejected, with a path and the reason: %j', async (verification, paths, message) => {
  const control = createMock({ clock: noon })
  const error = await mockErrorFrom(control.requests.verify(verification as never))
  expect(error).toMatchObject({ code: 'invalidBody', status: 422 })
  expect(error.details?.map(({ path }) => path)).toEqual(paths)
  expect(error.message).toContain(message)
})
