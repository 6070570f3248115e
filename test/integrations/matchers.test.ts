import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/core/client/index.ts'
import { matchers, type PaylinkMatchers } from '../../src/testing/matchers/index.ts'
import { createMock, type FaultRule, type MockError, projectIdFor, formatProject } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { ask, describeControl } from '../support/control.ts'
import { toMockError } from '../support/read.ts'
import { request } from '../explore/support/service.ts'
import { closingMock } from '../support/mock.ts'

declare module 'vitest' {
  // The test runner names the parameter.
  interface Matchers<T = any> extends PaylinkMatchers<Promise<T>> {}
}

expect.extend(matchers)

const start = () => {
  const mock = closingMock({ clock: '2025-01-01T00:00:00Z' })
  const call = (method: string, path: string, body?: object, headers = {}) =>
    mock.fetch(`/projects/acme${path}`, {
      method,
      headers: {
        authorization: 'Bearer t',
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  return { mock, acme: mock.project('acme'), call }
}

/** The message of a failed assertion. */
const failure = (assertion: Promise<unknown>): Promise<string> =>
  assertion.then(
    () => 'it passed',
    (error: Error) => error.message,
  )

describe('toHaveReceived', () => {
  it('passes when an operation was called the given number of times', async () => {
    const { acme, call } = start()
    await call('POST', '/users', { email: 'ada@example.com' })
    await expect(acme).toHaveReceived('createUser')
    await expect(acme).toHaveReceived('createUser', { times: 1 })
    await expect(acme).toHaveReceived({ body: { email: 'ada@example.com' } }, { times: { atMost: 1 } })
    await expect(acme).not.toHaveReceived('deleteUser')
    await expect(acme).toHaveReceived('deleteUser', { times: 0 })
  })

  it('fails with the expected, actual and nearest requests', async () => {
    const { acme, call } = start()
    await call('POST', '/users', { email: 'ada@example.com' })
    expect(await failure(expect(acme).toHaveReceived('createUser', { times: 2 }))).toContain(
      'createUser was expected exactly 2 times and was seen once.',
    )
    expect(
      await failure(expect(acme).toHaveReceived({ operation: 'createUser', body: { email: 'eve@example.com' } })),
    ).toMatch(/was seen 0 times\. .* body\.email is 'ada@example\.com', not 'eve@example\.com'/)
    expect(await failure(expect(acme).not.toHaveReceived('createUser'))).toBe(
      'expected not toHaveReceived("createUser"): it was seen once: POST /projects/acme/users (201).',
    )
    // By default, at least once.
    await call('POST', '/users', { email: 'eve@example.com' })
    await expect(acme).toHaveReceived('createUser')
    for (let i = 0; i < 2; i++) await call('POST', '/users', {})
    const seen =
      'was seen 4 times: ' + [201, 201, 422].map((status) => `POST /projects/acme/users (${status})`).join(', ')
    expect(await failure(expect(acme).not.toHaveReceived({ method: 'POST' }, { times: 4 }))).toBe(
      `expected not toHaveReceived({"method":"POST"}, {"times":4}): it ${seen} and 1 more.`,
    )
    expect(await failure(expect(acme).toHaveReceived('createUser', { times: 1 }))).toBe(
      `createUser was expected exactly once and ${seen} and 1 more.`,
    )
    const message = 'expected not toHaveReceived("listUsers", {"times":0}): it was seen 0 times.'
    expect(await failure(expect(acme).not.toHaveReceived('listUsers', { times: 0 }))).toBe(message)
  })

  it('says where a matcher belongs that is given as options', async () => {
    const { acme } = start()
    const options: object = { body: { invoice: 'inv_7' }, times: 1 }
    await expect(matchers.toHaveReceived(acme, 'createPaymentLink', options)).rejects.toMatchObject({
      code: 'invalidOptions',
      message:
        "toHaveReceived has the unknown option 'body'. A matcher is the first argument: " +
        "toHaveReceived({ operation: 'createPaymentLink', body: ... }).",
    })
  })

  it('fails for a project without requests with the projects that have received them', async () => {
    const { mock, call } = start()
    const acem = mock.project('acem')
    const text = await failure(expect(acem).toHaveReceived('createUser'))
    const message = "createUser was expected at least once and was seen 0 times.\nProject 'acem' received no request."
    expect(text).toBe(message)
    await call('POST', '/users', {})
    for (const name of ['p1', 'p2', 'p3']) await mock.fetch(`/projects/${name}/users`, { method: 'POST' })
    const hint = "Project 'acem' received no request. Projects with matching requests: 'acme', 'p1', 'p2'."
    expect(await failure(expect(acem).toHaveReceived('createUser'))).toContain(`\n${hint}`)
    const failed = acem.requests.verify({ sequence: [{ operation: 'createUser' }] })
    await expect(failed).rejects.toMatchObject({ hint })
    await mock.fetch('/projects/acem/users')
    expect(await failure(expect(acem).toHaveReceived('createUser'))).not.toContain('no request.')
  })

  it('waits for a future request', async () => {
    const { acme, call } = start()
    const received = expect(acme).toHaveReceived('listUsers', { within: 10_000 })
    await call('GET', '/users')
    await received
  })

  it('fails a test of vitest that ends without awaiting it, unless the test has failed before', async () => {
    const { acme } = start()
    const assert = (state: string) => {
      const ends: (() => void)[] = []
      const task = { result: { state }, context: { onTestFinished: (call: () => void) => ends.push(call) } }
      // vitest reads the result, and returns a promise of it to the test.
      const assertion = matchers.toHaveReceived.call({ task }, acme, 'createUser').then(({ pass }) => pass)
      return { assertion, end: () => ends.forEach((call) => call()) }
    }
    const { assertion, end } = assert('pass')
    expect(end).toThrow('toHaveReceived was not awaited, so the test ended without its result.')
    expect(await assertion).toBe(false)
    expect(end).not.toThrow()
    expect(assert('fail').end).not.toThrow()
  })

  it('fails at the line of the test', async () => {
    const { acme, call } = start()
    await acme.faults.add({ match: { operation: 'createUser' }, effect: { status: 500 } })
    await call('GET', '/users?sort=asc')
    for (const assert of [
      () => expect(acme).toHaveReceived('createUser'),
      () => expect(acme).not.toHaveReceived('listUsers'),
      () => expect(acme).toHaveReceived('listUser' as never),
      () => expect(acme).toHaveNoViolations(),
      () => expect(acme).toHaveNoUnusedFaults(),
    ]) {
      const error = (await assert().catch((thrown: unknown) => thrown)) as Error
      const [, ...lines] = error.stack!.slice(error.message.length).split('\n')
      expect(lines.find((line) => !line.includes('/node_modules/'))).toContain('matchers.test.ts')
    }
  })

  it('throws for invalid arguments, also when negated', async () => {
    const { acme } = start()
    expect(await failure(expect(acme).not.toHaveReceived('creatUser' as never))).toContain("'createUser'")
    for (const body of [expect.any(Object), /a/, () => true])
      expect(await failure(expect(acme).not.toHaveReceived({ body }))).toContain('match.body must be JSON')
    for (const [what, got] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [1, '1'],
    ] as const)
      expect(await failure(expect(acme).not.toHaveReceived(what as never))).toBe(
        `toHaveReceived needs an operation such as 'createUser', or a matcher such as { operation: 'createUser' } (got ${got}).`,
      )
    for (const received of [{}, null, undefined, 'acme'])
      for (const assertion of [
        expect(received).not.toHaveReceived('createUser'),
        expect(received).toHaveNoViolations(),
      ])
        expect(await failure(assertion)).toMatch(/^expect\(\.\.\.\)\.to\w+ needs a mock or one of its projects/)
  })

  it.each<[unknown, string]>([
    [{ time: 1 }, "time is not a field here; did you mean 'times'?"],
    [{ foo: 1, within: 0 }, 'foo is not a field here; the fields are times, within.'],
    [{ times: { exact: 1 } }, "times.exact is not a field here; did you mean 'exactly'?"],
    [{ times: 1.5 }, 'times must be an integer (got 1.5).'],
    [{ times: 'once' }, `times must be a number or an object such as { "exactly": 1 } (got 'once').`],
    [1, 'The options of toHaveReceived must be an object, such as { times: 1 } (got 1).'],
    [null, 'The options of toHaveReceived must be an object, such as { times: 1 } (got null).'],
  ])('rejects the options %j, whatever was received', async (options, message) => {
    const { mock, acme } = start()
    const { url } = await mock.listen()
    for (const receiver of [acme, connect(url).project('acme')]) {
      expect(await failure(expect(receiver).toHaveReceived('listUsers', options as never))).toContain(message)
      expect(await failure(expect(receiver).not.toHaveReceived('listUsers', options as never))).toContain(message)
    }
  })

  it('fails if the journal has dropped requests', async () => {
    await using mock = createMock({ journalSize: 0 })
    await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer t' } })
    const message = '1 older request was dropped'
    expect(await failure(expect(mock.project('acme')).not.toHaveReceived('listUsers'))).toContain(message)
  })
})

describe('toHaveNoViolations', () => {
  it('passes while clients send what the specification allows', async () => {
    const { acme, call } = start()
    await call('POST', '/users', { email: 'ada@example.com' })
    await expect(acme).toHaveNoViolations()
    const message = 'expected a violation of the specification, but no request violates it.'
    expect(await failure(expect(acme).not.toHaveNoViolations())).toBe(message)
  })

  it('fails with the violation, its section and the nearest right name', async () => {
    const { acme, call } = start()
    await call('POST', '/users', { email: 'ada@example.com', fullNam: 'Ada' })
    const message = await failure(expect(acme).toHaveNoViolations())
    expect(message).toContain("createUser: fullNam is not a field here; did you mean 'fullName'? (§4.1)")
    await expect(acme).not.toHaveNoViolations()
  })
})

describe('toHaveNoFailures', () => {
  const failure = (message: string, schedule: string[], requests: number) => ({
    schedule,
    replay: schedule.join(),
    sleeps: [],
    events: [],
    error: new Error(message),
    requests: Array.from({ length: requests }, () => request),
  })
  const result = (...failures: ReturnType<typeof failure>[]) => ({
    runs: 7,
    calls: 14,
    exhausted: true,
    endedBy: 'complete',
    isolated: false,
    failures,
    notTried: [],
    caveats: [],
    stopped: false,
  })

  it('passes without failures', () => {
    expect(result()).toHaveNoFailures()
    expect(() => expect(result()).not.toHaveNoFailures()).toThrow('expected a failure, but found none in 7 runs.')
  })

  it.each([
    ['budget', 'its budget ended. Raise `budget`, or pass `budget: null`.'],
    ['maxRuns', 'it reached maxRuns. Raise `maxRuns`.'],
    ['signal', 'its signal was aborted.'],
  ])('fails if the search was ended by %s, unless that is accepted', (endedBy, problem) => {
    const ended = { ...result(), exhausted: false, endedBy }
    expect(() => expect(ended).toHaveNoFailures()).toThrow(
      `found no failure in 7 runs, but the search is not exhausted: ${problem} To accept that, expect toHaveNoFailures({ incomplete: true }).`,
    )
    expect(ended).toHaveNoFailures({ incomplete: true })
    expect(() => expect(ended).not.toHaveNoFailures()).toThrow('expected a failure')
    expect(() => expect(ended).toHaveNoFailures({ incomplet: true } as never)).toThrow("did you mean 'incomplete'")
  })

  it('passes for the schedules of `only`', () => {
    expect({ ...result(), exhausted: false, endedBy: 'only' }).toHaveNoFailures()
  })

  it('prints the first failure, which is the smallest', () => {
    const found = result(
      failure('smallest', ['a', 'b'], 2),
      failure('long', ['a', 'b', 'a'], 1),
      failure('many requests', ['a', 'b'], 3),
    )
    expect(() => expect(found).toHaveNoFailures()).toThrow(
      "found 3 failures in 7 runs. The smallest:\n\nsmallest\nIn this order:\n  1. 00:00:00.000  GET / -> 200\n  2. 00:00:00.000  GET / -> 200\nonly: 'a,b'",
    )
    expect(found).not.toHaveNoFailures()
  })

  it.each([undefined, null, {}, Promise.resolve(result())])('needs the result of a search, not %s', (received) => {
    const message = 'expect(...).toHaveNoFailures needs the result of `await explore(...)` or `await interleave(...)`.'
    expect(() => expect(received).toHaveNoFailures()).toThrow(message)
  })
})

// A fault that never applied is reported, with the request that came nearest to it.

const usersPath = '/projects/acme/users'
const rule: FaultRule = { match: { operation: 'listUsers', query: { limit: '6' } }, effect: { status: 503 } }
const message =
  /^A fault with {"status":503} never applied: listUsers with {"project":"acme","query":{"limit":"6"}} .* GET \/projects\/acme\/users \(200\), where query\.limit is '5', not '6'\. \(flt_\w+\)$/

const failureOf = (call: Promise<unknown>): Promise<Partial<MockError>> =>
  call.then(
    () => ({ message: 'it passed' }),
    (error: MockError) => error,
  )

describeControl('toHaveNoUnusedFaults', (start) => {
  it('names a fault that never applied, and the nearest request', async () => {
    const { mock, control, acme } = await start()
    await acme.faults.add(rule)
    await ask(mock, `${usersPath}?limit=5`)
    expect(await failureOf(expect(acme).toHaveNoUnusedFaults())).toMatchObject({
      message: expect.stringMatching(message),
    })
    expect(await failureOf(expect(control).toHaveNoUnusedFaults())).toMatchObject({
      message: expect.stringMatching(message),
    })
  })

  it('names each of several faults', async () => {
    const { acme } = await start()
    for (const status of [500, 502]) await acme.faults.add({ effect: { status } })
    const { message: text = '' } = await failureOf(expect(acme).toHaveNoUnusedFaults())
    expect(text.match(/^A fault with {"status":\d+} never applied: /gm)).toHaveLength(2)
  })

  it('passes without faults, and with one that applied', async () => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    await expect(acme).toHaveNoUnusedFaults()
    expect(await failureOf(expect(acme).not.toHaveNoUnusedFaults())).toMatchObject({
      message: 'expected a fault that never applied, but there is no fault.',
    })
    await acme.faults.add({ effect: { status: 503 } })
    expect((await ask(mock, usersPath)).status).toBe(503)
    await expect(acme).toHaveNoUnusedFaults()
    expect(await failureOf(expect(acme).not.toHaveNoUnusedFaults())).toMatchObject({
      message: 'expected a fault that never applied, but each of 1 fault applied.',
    })
  })

  it('ignores the faults and requests of other projects', async () => {
    const { mock, control } = await start()
    await control.project('beta').faults.add(rule)
    await ask(mock, `${usersPath}?limit=6`)
    await expect(control.project('acme')).toHaveNoUnusedFaults()
    const { message: text } = await failureOf(expect(control).toHaveNoUnusedFaults())
    expect(text).toContain("project is 'acme', not 'beta'")
  })

  it.each<[string, Partial<FaultRule>]>([
    ['it skipped it', { skip: 1 }],
    ['it was too early', { from: new Date(Date.parse(noon) + 1).toISOString() }],
    ['its probability is 0', { probability: 0 }],
    ['a header in the match is secret', { skip: 1, match: { headers: { authorization: 'Bearer t' } } }],
  ])('counts a request that matched although %s', async (_, part) => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    await acme.faults.add({ effect: { status: 503 }, ...part })
    await mock.fetch(usersPath, { headers: { authorization: 'Bearer t' } })
    const { message: text } = await failureOf(expect(acme).toHaveNoUnusedFaults())
    expect(text).toMatch(/never applied, although the journal has 1 request that matches\. /)
  })

  it('reports dropped requests, and other errors as they are', async () => {
    const { mock, acme } = await start({ journalSize: 1 })
    await acme.faults.add(rule)
    for (let i = 0; i < 2; i++) await ask(mock, usersPath)
    expect((await failureOf(expect(acme).toHaveNoUnusedFaults())).message).toContain('but 1 older request was dropped.')
    const broken = { ...acme, faults: { list: () => Promise.reject(new Error('offline')) } }
    expect((await failureOf(expect(broken).toHaveNoUnusedFaults())).message).toBe('offline')
  })
})

describeControl('a required fault', (start) => {
  it('rejects at the end of its block if it never applied, and is removed', async () => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    const block = async () => {
      await using fault = await acme.faults.add(rule, { required: true })
      expect(fault.hits).toBe(0)
      await ask(mock, `${usersPath}?limit=5`)
    }
    const error = await failureOf(block())
    expect(error).toMatchObject({ code: 'verificationFailed', message: expect.stringMatching(message) })
    expect(error.stack).toContain('matchers.test.ts')
    expect(await acme.faults.list()).toEqual([])
  })

  it.each([
    ['it applied', { required: true }, '?limit=6'],
    ['it is not required', { required: false }, ''],
    ['the option is omitted', {}, ''],
    ['the option is undefined', { required: undefined }, ''],
  ])('ends without an error if %s', async (_, options, query) => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    {
      await using fault = await acme.faults.add(rule, options)
      await ask(mock, `${usersPath}${query}`)
      expect((await fault.refresh()).hits).toBe(query === '' ? 0 : 1)
    }
    expect(await acme.faults.list()).toEqual([])
  })

  it('ends without an error after a remove', async () => {
    const { control } = await start()
    await using fault = await control.project('acme').faults.add(rule, { required: true })
    await fault.remove()
  })

  it('rejects an invalid and an unknown option, and creates no fault', async () => {
    const { faults } = (await start()).acme
    const invalid = [{ required: 'yes' }, { require: true }, 'required', null]
    const errors = await Promise.all(invalid.map((options) => failureOf(faults.add(rule, options as never))))
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['invalidOptions', "required must be true or false (got 'yes')."],
      ['invalidOptions', "require is not a field here; did you mean 'required'?"],
      ['invalidOptions', "The options of faults.add must be an object, such as { required: true } (got 'required')."],
      ['invalidOptions', 'The options of faults.add must be an object, such as { required: true } (got null).'],
    ])
    expect(await faults.list()).toEqual([])
  })
})

/** The rule for project ids, as test vectors for other languages. */
const vectors = JSON.parse(readFileSync(new URL('../../examples/project-ids.json', import.meta.url), 'utf8')) as {
  names: string[]
  id: string
}[]

it.each([
  [[5, 6], 'projectIdFor: a name must be a string (got 5).'],
  [['file', undefined], 'projectIdFor: a name must be a string (got undefined).'],
  [[], 'projectIdFor needs the names of a test, such as its file and its title (got undefined).'],
  [[''], "projectIdFor needs the names of a test, such as its file and its title (got '')."],
])('a project id is created from names only, not from %j', (names, message) => {
  const error = toMockError(() => projectIdFor(...(names as string[])))
  expect([error.code, error.message]).toEqual(['invalidOptions', message])
})

it.each([
  ['the file', ['a', 'suite', 'test'], ['b', 'suite', 'test']],
  ['the suite', ['file', 'a', 'test'], ['file', 'b', 'test']],
  ['the test', ['file', 'suite', 'a'], ['file', 'suite', 'b']],
  ['where a name ends, at a space', ['a b', 'c', 't'], ['a', 'b c', 't']],
  ['where a name ends, without a space', ['ab', 'c', 't'], ['a', 'bc', 't']],
  ['where a name ends, at a comma', ['a,b', 'c', 't'], ['a', 'b,c', 't']],
  ['where a name ends, at a quote', ['a","b', 'c', 't'], ['a', 'b","c', 't']],
  ['an empty name', ['a', '', 't'], ['a', 't']],
  ['the order', ['a', 'b', 't'], ['b', 'a', 't']],
  ['the case of a letter', ['f', 'T'], ['f', 't']],
  ['what lies beyond ASCII', ['f', 'é'], ['f', 'è']],
  ['what lies behind the part that is shown', ['f', `${'x'.repeat(50)}a`], ['f', `${'x'.repeat(50)}b`]],
])('project ids differ with %s', (_, one, other) => {
  expect(projectIdFor(...one)).not.toBe(projectIdFor(...other))
  expect(projectIdFor(...one)).toBe(projectIdFor(...one))
})

it('a project id is readable, and needs no escaping in a path', () => {
  expect(projectIdFor('file', ' Is paid, ÄND completed! ')).toMatch(/^is-paid-nd-completed-[0-9a-f]{16}$/)
  expect(projectIdFor('file', '🙂')).toMatch(/^test-[0-9a-f]{16}$/)
  expect(projectIdFor('x'.repeat(100))).toMatch(/^x{40}-[0-9a-f]{16}$/)
})

it.each(vectors)('the project id of $names is $id', ({ names, id }) => {
  expect(projectIdFor(...names)).toBe(id)
})

it.each<[unknown, string]>([
  ['acme', "'acme'"],
  [undefined, 'undefined'],
  [null, 'null'],
  [createMock(), 'an object'],
])('a report needs a project, not %j', async (project, got) => {
  const message = `formatProject needs a project, such as mock.project('acme') (got ${got}).`
  await expect(formatProject(project as never)).rejects.toMatchObject({ code: 'invalidOptions', message })
})
