import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createOperations } from '../../src/core/api/operations.ts'
import type { Coverage, ErrorCode, MockOptions, ProjectControl } from '../../src/node/index.ts'
import { createMock, formatCoverage } from '../../src/node/index.ts'
import { getSituationName } from '../../src/core/schema/coverage-text.ts'
import { createCoverageCounts } from '../../src/core/traffic/coverage-counts.ts'
import { describeControl } from '../support/control.ts'
import { readJson } from '../support/read.ts'
import { startClient } from './traffic/support/client.ts'

const users = Array.from({ length: 3 }, (_, n) => ({ id: `usr_${n}`, email: `u${n}@example.com` }))
const seed = { projects: { acme: { users, paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }
const start = (options: MockOptions = {}) => startClient('in process', { seed, ...options })

/** The counts of the situations that were shown, by name. */
const getSeen = ({ items }: Coverage): Record<string, number> =>
  Object.fromEntries(items.filter(({ seen }) => seen > 0).map((item) => [getSituationName(item), item.seen]))

it('The situations have each error that an operation declares, but those that many operations share', async () => {
  const { items } = await createMock().coverage()
  for (const { id, errors = [], query } of createOperations('partner')) {
    const own = items.filter(({ operation }) => operation === id)
    const codes = new Set(own.map(({ situation }) => situation.split(' ').at(-1)))
    const isShared = (code: ErrorCode) => code.startsWith('idempotencyKey') || (code === 'invalidQuery' && !query)
    for (const code of errors) expect(codes.has(code), `${id} ${code}`).toBe(!isShared(code))
  }
})

describe('Coverage counts', () => {
  const post = (body: unknown) => ({ method: 'POST', body })

  it('the success and the errors of an operation, with the first request', async () => {
    const { mock, ask, acme } = await start()
    const first = await ask('/paymentLinks/pml_1/cancel', { method: 'POST' })
    const { headers } = await ask('/paymentLinks/pml_1/cancel', { method: 'POST' })
    await ask('/paymentLinks/pml_1/cancel', { method: 'POST' })
    const coverage = await mock.coverage()
    const find = (situation: string) => coverage.items.find((item) => item.situation === situation)
    const [situation, request] = ['409 paymentLinkNotActive', headers.get('mock-request-id')]
    expect(find(situation)).toEqual({ operation: 'cancelPaymentLink', situation, seen: 2, request })
    expect(getSeen(coverage)).toEqual({ 'cancelPaymentLink:200': 1, 'cancelPaymentLink:409 paymentLinkNotActive': 2 })
    expect(coverage).toMatchObject({ object: 'coverage', seen: 2, total: coverage.items.length })
    expect(coverage.items.find(({ seen }) => seen === 1)?.request).toBe(first.headers.get('mock-request-id'))
    expect(await acme.coverage()).toEqual(coverage)
    expect((await mock.project('other').coverage()).seen).toBe(0)
    expect(coverage.items.find(({ seen }) => seen === 0)).toMatchObject({ request: null })
  })

  it('a conflict that is replayed for its idempotency key as this conflict, not as a success', async () => {
    const { mock, ask } = await start({ behaviors: { duplicateEmail: 'conflict', idempotencyKey: 'replay' } })
    const request = { ...post({ email: 'u0@example.com' }), headers: { 'idempotency-key': 'k' } }
    for (let n = 0; n < 2; n++) expect((await ask('/users', request)).status).toBe(409)
    expect(getSeen(await mock.coverage())).toEqual({ 'createUser:409 emailTaken': 2 })
  })

  it.each([
    ['?limit=2', {}],
    ['?limit=2&after=usr_1', { 'listUsers:200 second page': 1 }],
    ['?limit=2&before=usr_1', { 'listUsers:200 page before': 1 }],
    ['?limit=2&after=usr_0', { 'listUsers:200 empty page': 1 }],
    ['?limit=2&before=usr_2', { 'listUsers:200 empty page': 1 }],
  ])('the page of GET /users%s', async (query, words) => {
    const { mock, ask } = await start()
    expect((await ask(`/users${query}`)).status).toBe(200)
    expect(getSeen(await mock.coverage())).toEqual({ 'listUsers:200': 1, ...words })
  })

  it('the pages of a search, and of a list of payment links', async () => {
    const { mock, ask } = await start()
    await ask('/users/search?limit=1&after=usr_2', post({}))
    await ask('/users/search', post({ email: 'nobody@example.com' }))
    await ask('/paymentLinks?status=canceled')
    expect(getSeen(await mock.coverage())).toEqual({
      'searchUsers:200': 2,
      'searchUsers:200 empty page': 1,
      'searchUsers:200 second page': 1,
      'listPaymentLinks:200': 1,
      'listPaymentLinks:200 empty page': 1,
    })
  })

  it('the status of a retrieved link, and once per link that it was completed after it was seen active', async () => {
    const { mock, acme, ask } = await start()
    await acme.paymentLinks.create({ id: 'pml_2', invoice: 'inv_2', status: 'completed' })
    await acme.paymentLinks.create({ id: 'pml_3', invoice: 'inv_3', status: 'canceled' })
    for (const id of ['pml_2', 'pml_3', 'pml_1', 'pml_1']) await ask(`/paymentLinks/${id}`)
    const before = { 'retrievePaymentLink:200': 4, 'retrievePaymentLink:200 active': 2 }
    const closed = { 'retrievePaymentLink:200 canceled': 1, 'retrievePaymentLink:200 completed': 1 }
    expect(getSeen(await mock.coverage())).toEqual({ ...before, ...closed })
    await acme.paymentLinks.pay('pml_1')
    for (let n = 0; n < 3; n++) await ask('/paymentLinks/pml_1')
    expect(getSeen(await mock.coverage())).toEqual({
      'retrievePaymentLink:200': 7,
      'retrievePaymentLink:200 active': 2,
      'retrievePaymentLink:200 canceled': 1,
      'retrievePaymentLink:200 completed': 4,
      'retrievePaymentLink:200 completed after active': 1,
    })
  })

  it.each<[string, (acme: ProjectControl) => Promise<unknown>]>([
    ['deleted', (acme) => acme.paymentLinks.delete('pml_1')],
    ['reset', (acme) => acme.reset()],
    ['replaced', (acme) => acme.state.put({})],
  ])('no link as seen active that was %s', async (_, change) => {
    const { mock, acme, ask } = await start()
    await ask('/paymentLinks/pml_1')
    await change(acme)
    await acme.paymentLinks.delete('pml_1').catch(() => {})
    await acme.state.patch({ paymentLinks: [{ id: 'pml_1', invoice: 'inv_1', status: 'completed' }] })
    await ask('/paymentLinks/pml_1')
    expect(getSeen(await mock.coverage())).not.toHaveProperty(['retrievePaymentLink:200 completed after active'])
  })

  it('no link as seen active whose response was lost', async () => {
    const { mock, acme, ask } = await start()
    await acme.faults.add({ phase: 'after', effect: { connection: 'reset' } })
    await ask('/paymentLinks/pml_1').catch(() => {})
    await acme.paymentLinks.pay('pml_1')
    await ask('/paymentLinks/pml_1')
    expect(getSeen(await mock.coverage())).toEqual({
      'any operation:no response': 1,
      'retrievePaymentLink:200': 1,
      'retrievePaymentLink:200 completed': 1,
    })
  })

  it('no list as stale that shows the current records, also if a delayed list would differ', async () => {
    const { mock, acme, ask } = await start()
    await acme.users.create({ email: 'ada@example.com' })
    await mock.faults.add({ effect: { evolve: true } })
    const { headers } = await ask('/users')
    expect(headers.get('mock-assumed')).toContain('listFreshness=immediate')
    expect(getSeen(await mock.coverage())).toEqual({ 'listUsers:200': 1 })
  })

  const create = post({ email: 'ada@example.com' })
  it.each([
    [{ effect: { status: 401 } }, { 'any operation:401': 1 }],
    [{ effect: { status: 403 } }, { 'any operation:403': 1 }],
    [{ effect: { status: 429 } }, {}],
    [{ effect: { status: 429, headers: { 'Retry-After': '1' } } }, { 'any operation:429 with Retry-After': 1 }],
    [{ effect: { rateLimit: { limit: 0, window: 1000 } } }, { 'any operation:429 with Retry-After': 1 }],
    [{ effect: { status: 500 } }, { 'any operation:5xx': 1 }],
    [{ phase: 'after', effect: { status: 503 } }, { 'any operation:5xx': 1 }],
    [{ effect: { status: 200, body: {} } }, { 'createUser:201': 1 }],
    [{ effect: { status: 300 } }, {}],
    [{ effect: { status: 409 } }, {}],
    [{ effect: { status: 409, body: { code: 'emailTaken' } } }, { 'createUser:409 emailTaken': 1 }],
    [{ effect: { connection: 'close' } }, { 'any operation:no response': 1 }],
    [{ phase: 'after', effect: { connection: 'reset' } }, { 'any operation:lost response after a change': 1 }],
    [{ effect: { duplicate: true, connection: 'reset' } }, { 'any operation:lost response after a change': 1 }],
    [{ effect: { corrupt: 'malformed' } }, { 'any operation:broken JSON': 1 }],
    [{ effect: { corrupt: 'truncated' } }, { 'any operation:broken JSON': 1 }],
    [{ effect: { duplicate: true } }, { 'createUser:201': 1, 'any operation:duplicate delivery': 1 }],
    [{ effect: { delay: { milliseconds: 0 } } }, { 'createUser:201': 1 }],
    [{ effect: { evolve: true } }, { 'createUser:201': 1 }],
  ] as const)('the fault %j', async (rule, seen) => {
    const { mock, ask } = await start()
    await mock.faults.add(rule)
    await ask('/users', create).catch(() => {})
    expect(getSeen(await mock.coverage())).toEqual(seen)
  })

  it.each([
    [1000, {}],
    [1001, { 'any operation:late response': 1 }],
  ])('a response as late by its delay of %i ms, and not by the time that it took', async (milliseconds, late) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { mock, ask } = await start()
    await mock.faults.add({ effect: { delay: { milliseconds } } })
    const response = ask('/users', create)
    await vi.advanceTimersByTimeAsync(1001)
    expect((await response).status).toBe(201)
    vi.useRealTimers()
    expect(getSeen(await mock.coverage())).toEqual({ 'createUser:201': 1, ...late })
  })

  it('a held response as late', async () => {
    const { mock, ask } = await start()
    const fault = await mock.faults.add({ effect: { hold: true } })
    const response = ask('/users', create)
    await fault.waitForHeld()
    await fault.release()
    await response
    expect(getSeen(await mock.coverage())).toEqual({ 'createUser:201': 1, 'any operation:late response': 1 })
  })

  it.each([
    ['before', { 'any operation:late response': 1 }],
    ['after', { 'any operation:late response': 1, 'any operation:lost response after a change': 1 }],
  ] as const)('a response that the client gave up as late, %s the operation', async (phase, seen) => {
    const { mock, ask } = await start()
    const fault = await mock.faults.add({ phase, effect: { hold: true } })
    const client = new AbortController()
    const response = ask('/users', { ...create, signal: client.signal })
    await fault.waitForHeld()
    client.abort()
    await expect(response).rejects.toThrow()
    await mock.requests.verify({ match: { operation: 'createUser' }, within: 2000 })
    expect(getSeen(await mock.coverage())).toEqual(seen)
  })

  it('a stale read, also of a record that did not exist yet', async () => {
    const { mock, acme, ask } = await start()
    await acme.paymentLinks.pay('pml_1')
    await acme.users.create({ id: 'usr_new', email: 'new@example.com' })
    await mock.faults.add({ times: 2, effect: { stale: { changes: 2 } } })
    await ask('/paymentLinks/pml_1')
    await ask('/users/usr_new')
    expect(getSeen(await mock.coverage())).toEqual({
      'retrievePaymentLink:200': 1,
      'retrievePaymentLink:200 active': 1,
      'retrieveUser:404 userNotFound': 1,
      'any operation:stale read': 2,
    })
  })

  it('a list as stale if the behavior `listFreshness` hides a change', async () => {
    const { mock, ask } = await start({ behaviors: { listFreshness: 'delayed' } })
    await ask('/users')
    expect(getSeen(await mock.coverage())).toEqual({ 'listUsers:200': 1 })
    await ask('/users', create)
    await ask('/users')
    expect(getSeen(await mock.coverage())).toEqual({
      'createUser:201': 1,
      'listUsers:200': 2,
      'any operation:stale read': 1,
    })
  })

  it('a retrieve whose response was lost as no change, although it completed a payment', async () => {
    const { mock, acme, ask } = await start()
    await acme.paymentLinks.pay('pml_1', { when: { reads: 1 } })
    await mock.faults.add({ phase: 'after', effect: { connection: 'reset' } })
    await ask('/paymentLinks/pml_1').catch(() => {})
    expect(getSeen(await mock.coverage())).toEqual({ 'any operation:no response': 1 })
  })

  const problems = { errorFormat: 'problem', invalidBodyStatus: 400 } as const
  const behaviorSets = [{ createStatus: 200 }, { createStatus: 201 }, problems] as const
  it.each(behaviorSets)('the same situations with the behaviors %j', async (behaviors) => {
    const { mock, ask } = await start({ behaviors })
    await ask('/users', create)
    await ask('/users', post({}))
    expect(getSeen(await mock.coverage())).toEqual({ 'createUser:201': 1, 'createUser:422 invalidBody': 1 })
  })

  it('a token that is missing, unknown or for another project, and no error that operations share', async () => {
    const { mock, ask } = await start()
    await mock.tokens.replace([{ token: 'other' }, { token: 'tok_b', projects: ['beta'] }])
    await ask('/users', { headers: { authorization: '' } })
    await ask('/users')
    await ask('/users', { headers: { authorization: 'Bearer tok_b' } })
    await ask('/users', { method: 'POST', raw: '{', headers: { authorization: 'Bearer other' } })
    await ask('/users', { method: 'PUT', headers: { authorization: 'Bearer other' } })
    await ask('/users/usr_1?a=b', { headers: { authorization: 'Bearer other' } })
    await ask('/users', { method: 'HEAD', headers: { authorization: 'Bearer other' } })
    expect(getSeen(await mock.coverage())).toEqual({
      'any operation:401': 2,
      'any operation:403': 1,
      'retrieveUser:200': 1,
    })
  })
})

describeControl('The counts', (start) => {
  const options: MockOptions = { seed, journalSize: 1 }
  const headers = { authorization: 'Bearer any' }

  it('survive the trimming of the journal and the reset of a project, and a reset of all clears them', async () => {
    const { mock, control, acme } = await start(options)
    for (let n = 0; n < 3; n++) await mock.fetch('/projects/acme/users', { headers })
    await acme.requests.clear()
    await acme.reset()
    for (const scope of [control, acme]) expect(getSeen(await scope.coverage())).toEqual({ 'listUsers:200': 3 })
    await control.reset()
    for (const scope of [control, acme]) expect(getSeen(await scope.coverage())).toEqual({})
  })

  it('are kept for each project until they are cleared or the project is deleted', async () => {
    const { mock, control } = await start(options)
    const projects = ['acme', 'beta', 'gone'].map((id) => control.project(id))
    for (const { id } of projects) await mock.fetch(`/projects/${id}/users`, { headers })
    await control.project('acme').clearCoverage()
    await control.project('gone').delete()
    const counts = await Promise.all(projects.map((project) => project.coverage()))
    expect(counts.map(({ seen }) => seen)).toEqual([0, 2, 0])
    expect(getSeen(await control.coverage())).toEqual({ 'listUsers:200': 3, 'listUsers:200 empty page': 2 })
    await control.clearCoverage()
    expect(await control.coverage()).toMatchObject({ seen: 0 })
    expect(await control.project('beta').coverage()).toMatchObject({ seen: 0 })
  })

  it('of rejected requests to projects that do not exist are kept for all projects only', async () => {
    const { mock, control } = await start(options)
    await mock.fetch('/projects/nobody/users')
    await mock.fetch('/projects/nobody/users/usr_1', { headers })
    expect(await control.project('nobody').coverage()).toMatchObject({ seen: 0 })
    expect(await control.projects()).toMatchObject([{ id: 'acme' }])
    expect(getSeen(await control.coverage())).toEqual({ 'retrieveUser:404 userNotFound': 1, 'any operation:401': 1 })
  })

  it('of a sandbox are its own and those of the root, which keeps them', async () => {
    const { mock, control } = await start(options)
    const path = '/projects/acme/users'
    const [one, two] = [mock.sandbox('one'), mock.sandbox('two')]
    await one.fetch(path, { headers })
    await two.fetch(path, { headers })
    const { headers: first } = await one.fetch(`${path}/usr_x`, { headers })
    await mock.fetch(path, { headers })
    const inOne = { 'listUsers:200': 1, 'retrieveUser:404 userNotFound': 1 }
    const all = { ...inOne, 'listUsers:200': 3 }
    expect(getSeen(await control.sandbox('one').coverage())).toEqual(inOne)
    expect(getSeen(await control.sandbox('two').project('acme').coverage())).toEqual({ 'listUsers:200': 1 })
    expect(getSeen(await control.coverage())).toEqual(all)
    // The projects of a sandbox are others than those of the root.
    expect(getSeen(await control.project('acme').coverage())).toEqual({ 'listUsers:200': 1 })
    expect((await control.coverage()).items.find(({ situation }) => situation === '404 userNotFound')).toEqual({
      operation: 'retrieveUser',
      situation: '404 userNotFound',
      seen: 1,
      request: first.get('mock-request-id'),
      sandbox: 'one',
    })
    await control.sandbox('one').reset()
    await control.sandboxes.delete('two')
    expect(await control.sandbox('one').coverage()).toMatchObject({ seen: 0 })
    expect(getSeen(await control.coverage())).toEqual(all)
  })
})

describe('The text', () => {
  const readText = async (mock: { fetch: (path: string) => Promise<Response> }, path = '/__admin/coverage') => {
    const response = await mock.fetch(`${path}?format=text`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=UTF-8'])
    return response.text()
  }

  it('has one line for each operation with situations that were never shown', async () => {
    const { mock, ask, acme } = await start()
    expect(await readText(mock)).toContain('\ncancelPaymentLink: never called\n')
    expect(await readText(mock)).not.toContain('# cancelPaymentLink')
    for (let n = 0; n < 14; n++) {
      await acme.paymentLinks.create({ id: `pml_a${n}`, invoice: 'inv_1' })
      await ask(`/paymentLinks/pml_a${n}/cancel`, { method: 'POST' })
    }
    await ask('/paymentLinks/pml_x/cancel', { method: 'POST' })
    await ask('/users')
    for (const path of ['/__admin/coverage', '/__admin/projects/acme/coverage']) {
      const lines = (await readText(mock, path)).split('\n')
      expect(lines).toContain('cancelPaymentLink: 200 seen 14 times; never 409 paymentLinkNotActive')
      expect(lines[1]).toMatch(/^listUsers: 200 seen 1 time; never 200 empty page, 200 second page, /)
      expect(lines[10]).toMatch(/^any operation: never 401, 403, 429 with Retry-After, 5xx, lost response /)
      expect(lines.slice(11, 13)).toEqual(['', expect.stringMatching(/^Clients were shown 3 of \d\d situations\./)])
    }
    const text = await readText(mock)
    expect(text).toMatch(/^# cancelPaymentLink: 409 paymentLinkNotActive\ncurl .*\/__admin\/projects\/acme\/faults$/m)
    expect(text).toMatch(/^createUser: never called$/m)
    const message = /^\/\/ cancelPaymentLink: 409 paymentLinkNotActive\nawait project\.faults\.add\(/m
    expect(formatCoverage(await mock.coverage())).toMatch(message)
  })

  it('has no line for an operation whose situations were all shown', () => {
    const item = { operation: 'deleteUser', situation: '200', seen: 1, request: 'req_1' }
    const message = 'Clients were shown 1 of 1 situation.'
    expect(formatCoverage({ object: 'coverage', seen: 1, total: 1, items: [item] })).toBe(message)
  })

  it('needs a coverage', () => {
    for (const value of [undefined, 'x', {}])
      expect(() => formatCoverage(value as unknown as Coverage)).toThrow(/^formatCoverage needs a coverage, such as /)
  })
})

const wrongQueries = ['/__admin/coverage?format=html', '/__admin/projects/acme/coverage?form=text']
it.each(wrongQueries)('GET %s is rejected', async (path) => {
  expect((await readJson(createMock().fetch(path), 422)).code).toBe('invalidQuery')
})

it('the counts keep nothing of a request', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const situations = Array.from({ length: 7 }, (_, n) => ({ operation: null, name: `${n}` }))
  const counts = createCoverageCounts(() => situations)
  const usedAfter = (requests: number): number => {
    for (let n = 0; n < requests; n++) {
      counts.count([situations[n % 7]!], `req_${n}`, 'acme')
      counts.noteStatus('acme', 'pml_1', n % 2 === 0 ? 'active' : 'completed')
    }
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = usedAfter(1000)
  expect(usedAfter(200_000) - before, 'bytes for 200,000 requests').toBeLessThan(1_000_000)
})
