import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { connectRaw } from '../cli/support/raw.ts'
import { request } from '../cli/support/request.ts'
import { within } from '../support/within.ts'
import { noon } from '../support/api.ts'
import { buildControlContract, findControlProblems } from '../support/control-contract.ts'
import { root } from '../support/installed.ts'
import { type Profile, profiles } from '../../src/core/schema/behavior.ts'
import { listeningMock } from '../support/mock.ts'

const { document, at } = await buildControlContract()
const documented = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    Object.keys(operation.responses)
      .filter((status) => Number(status) >= 400)
      .flatMap((status) => {
        const place = ['paths', path, method, 'responses', status, 'content', 'application/json', 'examples']
        const operation = { path, method: method.toUpperCase(), status: Number(status) }
        return Object.keys(at(place)).map((code) => ({ ...operation, code }))
      }),
  ),
)

const sandbox = 'checkout-1'
const seed = {
  projects: {
    acme: {
      users: [
        { id: 'usr_1', email: 'ada@example.com' },
        { id: 'usr_deleted', email: 'deleted@example.com' },
      ],
      paymentLinks: [
        { id: 'pml_1', invoice: 'inv_1' },
        { id: 'pml_deleted', invoice: 'inv_1' },
        { id: 'pml_canceled', invoice: 'inv_1', status: 'canceled' as const },
      ],
    },
  },
}

/** The request parts that cause an error. */
interface Provocation {
  readonly prefix?: string
  readonly ids?: Readonly<Record<string, string>>
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** A client of the mocked API has sent a request without `Accept`. */
  readonly asked?: boolean
}

const headers = { 'content-type': 'application/json' }
const json = (body: unknown): Provocation => ({ headers, body: JSON.stringify(body) })
const cursor = (id: string) => (path: string) => ({ query: `?after=${path.endsWith('users') ? 'usr' : 'pml'}_${id}` })

const provocations: Readonly<Record<string, Provocation | ((path: string) => Provocation)>> = {
  adminTokenMissing: { headers: { authorization: '' } },
  adminTokenWrong: { headers: { authorization: 'Bearer wrong' } },
  hostNotAllowed: { headers: { host: 'evil.example' } },
  originNotAllowed: { headers: { origin: 'https://evil.example' } },
  malformedBody: { headers, body: '{' },
  unsupportedMediaType: { headers: { 'content-type': 'text/plain' }, body: 'x' },
  invalidBody: json({ emial: 'ada@example.com' }),
  invalidQuery: { query: '?limt=10' },
  projectNotFound: { ids: { project: 'nova' } },
  userNotFound: { ids: { user: 'usr_x' } },
  paymentLinkNotFound: { ids: { paymentLink: 'pml_x' } },
  scheduledPaymentNotFound: { ids: { paymentLink: 'pml_x' } },
  snapshotNotFound: { ids: { name: 'paid' } },
  requestNotFound: { ids: { request: 'req_x' } },
  // The list of sandboxes exists only at the root.
  sandboxNotFound: (path) => ({ prefix: path.endsWith('/sandboxes') ? '/@checkout-1' : '', ids: { sandbox } }),
  faultNotFound: { ids: { fault: 'flt_x' } },
  paymentLinkNotActive: { ids: { paymentLink: 'pml_canceled' } },
  idTaken: (path) => json(path.endsWith('users') ? { id: 'usr_1', email: 'a@b.c' } : { id: 'pml_1', invoice: 'inv_1' }),
  cursorNotFound: cursor('x'),
  cursorDeleted: cursor('deleted'),
  verificationFailed: (path) =>
    json(path.endsWith('/wait') ? { within: 0 } : { match: { operation: 'createUser' }, times: { exactly: 1 } }),
  journalTruncated: { ...json({ match: { operation: 'createUser' }, times: { exactly: 1 } }), asked: true },
  violationsFound: { asked: true },
}

const start = async () => {
  const { mock, url } = await listeningMock({ clock: noon, journalSize: 1, seed }, { adminToken: 'secret' })
  await mock.project('acme').users.delete('usr_deleted')
  await mock.project('acme').paymentLinks.delete('pml_deleted')
  return { mock, url }
}

type Started = Awaited<ReturnType<typeof start>>

const addHold = (mock: Mock) =>
  mock.project('acme').faults.add({ match: { operation: 'createUser' }, effect: { hold: true } })

const provoke = async ({ mock, url }: Started, path: string, method: string, code: string) => {
  const provocation = provocations[code]!
  const known = typeof provocation === 'function' ? provocation(path) : provocation
  const { prefix = '', ids, query = '', asked } = known
  if (asked)
    for (let i = 0; i < 3; i++) await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer any' } })
  const fault = path.endsWith('/wait') && code === 'verificationFailed' ? (await addHold(mock)).id : 'flt_1'
  const records = { user: 'usr_1', paymentLink: 'pml_1', request: 'req_1', fault }
  const names = { project: 'acme', name: 'paid', ...records, ...ids }
  const filled = Object.entries(names).reduce((text, [name, id]) => text.replace(`{${name}}`, id), path)
  const [example] = Object.values<any>(
    at(['paths', path, method.toLowerCase()]).requestBody?.content['application/json'].examples ?? {},
  )
  const { headers, body } = { ...(example && json(example.value)), ...known }
  return request(`${url}${prefix}${filled}${query}`, {
    method,
    // Node sets no Content-Length for the body of a GET.
    headers: { authorization: 'Bearer secret', ...(body && { 'content-length': `${body.length}` }), ...headers },
    ...(body && { body }),
  })
}

const codes = Object.keys(provocations)

// Every endpoint documents these: a step of CI tries them all.
const accessCodes = new Set(['adminTokenMissing', 'adminTokenWrong', 'hostNotAllowed', 'originNotAllowed'])

const triedCodes = codes.filter((code) => process.env.SLOW_TESTS || !accessCodes.has(code))
it.each(triedCodes)('%s occurs wherever it is documented', async (code) => {
  const places = documented.filter((one) => one.code === code)
  // A rejected command changes nothing: one mock does for all places.
  const started = await start()
  for (const { path, method, status } of places) {
    const response = await provoke(started, path, method, code)
    expect([method, path, response.status, response.body.code]).toEqual([method, path, status, code])
  }
})

it('every documented error is tested here or below, except that of a stopping server', () => {
  const left = documented.map(({ code }) => code).filter((code) => !codes.includes(code))
  // Those of the server and of sandboxes have tests of their own, in `test/quality/declared-errors.test.ts` and beside their rule.
  const ofTheServer = 'malformedRequest requestTimeout expectationFailed headersTooLarge internal shuttingDown'
  const beside = new Set([...ofTheServer.split(' '), 'tooManySandboxes', 'controlApiClosed'])
  expect([...new Set(left)].filter((code) => !beside.has(code))).toEqual(['bodyTooLarge', 'stateReplaced'])
})

it('an oversized body is rejected by every command that documents the error', async () => {
  const { url } = await start()
  for (const { path, method } of documented.filter((one) => one.code === 'bodyTooLarge')) {
    const announced = await connectRaw({ port: Number(new URL(url).port) })
    announced.send(
      `${method} ${path.replace('{project}', 'acme')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nContent-Length: 1000000000\r\n\r\n`,
    )
    const { status, body } = await announced.readResponse()
    expect([method, path, status]).toEqual([method, path, 413])
    expect(JSON.parse(body).code).toBe('bodyTooLarge')
  }
})

it('a body that arrives after its sandbox was deleted is rejected by every command that documents the error', async () => {
  const { mock, url } = await start()
  for (const { path, method } of documented.filter((one) => one.code === 'stateReplaced')) {
    const late = await connectRaw({ port: Number(new URL(url).port) })
    const sandbox = mock.sandbox('x')
    await sandbox.project('acme').patch({})
    const received = new Promise<void>((resolve) => {
      late.socket.once('data', () => resolve())
    })
    const [head, rest] = [`${method} /@x${path.replace('{project}', 'acme')} HTTP/1.1\r\nHost: localhost\r\n`, '{}']
    late.send(
      `${head}Expect: 100-continue\r\nAuthorization: Bearer secret\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`,
    )
    // The server asks for the body once it handles the request.
    await within('100 Continue', received)
    await sandbox.dispose()
    late.send(rest)
    await late.until(/"code":"stateReplaced"/)
    expect([method, path, late.received().match(/HTTP\/1.1 (\d{3}) S/)?.[1]]).toEqual([method, path, '503'])
    expect(await mock.sandboxes.list()).toEqual([])
  }
})

it('the reference has the status of every documented error', () => {
  const page = readFileSync(join(root, 'docs/reference.md'), 'utf8')
  for (const { code, status } of new Map(documented.map((one) => [`${one.code} ${one.status}`, one])).values()) {
    const [, statuses = ''] = new RegExp(`^\\| ([\\d, ]+) \\| .* \\| \`${code}\` +\\|`, 'm').exec(page) ?? []
    expect(statuses.split(',').map(Number), code).toContain(status)
  }
})

const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)
const calls = endpoints.flatMap(({ path, method, operation }) => {
  const examples = Object.entries<any>(operation.requestBody?.content['application/json']!.examples ?? {})
  const bodies = examples.map(([name, { value }]) => ({ name, sent: value as object }))
  const known = { path, method, operation, id: operation.operationId }
  return (bodies.length === 0 ? [{ name: 'nothing', sent: undefined }] : bodies).map((body) => ({ ...known, ...body }))
})

const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

/** The year of the clock of all projects but `acme`. */
const yearOfOthers = '2019'

/** A mock of the demo seed in which there is one of everything that a path can name. */
const startWithEverything = async (profile: Profile) => {
  // Two clocks that are equal would hide that a project reads the wrong one.
  const [own, others] = [noon, `${yearOfOthers}-06-01T12:00:00.000Z`].map((now) => ({ mode: 'frozen', now }))
  const projects = { ...demo.projects, acme: { ...demo.projects.acme, clock: own } }
  const mock = createMock({ seed: { ...demo, clock: others, projects }, profile })
  const acme = mock.project('acme')
  const send = (path: string, body: object) =>
    mock.fetch(`/projects/acme${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const user = { fullName: 'Alan Turing', email: 'alan@example.com', taxNumber: '12345678909' }
  await send('/users', { email: user.email })
  await send('/paymentLinks', { invoice: 'inv_1', type: 'partner', partner: { user } })
  await mock.snapshots.save('paid')
  await acme.snapshots.save('paid')
  await acme.paymentLinks.pay('pml_open', { when: { reads: 3 } })
  const { items } = await acme.requests.list()
  const fault = await acme.faults.add({ match: { operation: 'searchUsers' }, effect: { hold: true } })
  send('/users/search', { email: 'ada@example.com' }).catch(() => {})
  await fault.waitForHeld()
  await mock.sandbox(sandbox).reset()
  const created = { request: items[0]!.id, fault: fault.id, sandbox }
  const ids = { project: 'acme', user: 'usr_grace', paymentLink: 'pml_open', name: 'paid', ...created }
  return { mock, ids }
}

/** Commands that only read share a mock. */
const reading = new Map<Profile, ReturnType<typeof startWithEverything>>()
afterAll(async () => {
  for (const started of reading.values()) await (await started).mock.close()
})

const startFor = async (method: string, profile: Profile) => {
  const started = (method === 'GET' && reading.get(profile)) || startWithEverything(profile)
  if (method === 'GET') reading.set(profile, started)
  else onTestFinished(async () => (await started).mock.close())
  return started
}

// The other profiles belong to the slow tests.
const tried = process.env.SLOW_TESTS ? (Object.keys(profiles) as Profile[]) : (['default'] as const)
const cases = tried.flatMap((profile) => calls.map((call) => ({ profile, ...call })))

it.each(cases)('$id succeeds with the example $name under the profile $profile', async (one) => {
  const { path, method, operation, sent, profile } = one
  const { mock, ids } = await startFor(method, profile)
  const filled = Object.entries(ids).reduce((text, [name, id]) => text.replace(`{${name}}`, id), path)
  const ending = new AbortController()
  const response = await mock.fetch(filled, { method, signal: ending.signal, ...(sent && json(sent)) })
  const success = Object.keys(operation.responses).find((status) => status < '300')
  expect(response.status).toBe(sent && 'when' in sent ? 202 : Number(success))
  const isStream = 'text/event-stream' in (operation.responses[success!]!.content ?? {})
  const text = isStream ? undefined : await response.text()
  ending.abort()
  if (path.includes('{project}')) expect(text ?? '').not.toContain(`"${yearOfOthers}-`)
  const { status, headers } = response
  const url = new URL(filled, 'http://mock')
  expect(await findControlProblems({ method, url, sent: sent && JSON.stringify(sent), status, headers, text })).toBe('')
})

it('every body has an example', () => {
  for (const { operation } of endpoints)
    for (const { examples } of Object.values(operation.requestBody?.content ?? {}))
      expect([operation.operationId, Object.keys(examples ?? {}).length]).not.toEqual([operation.operationId, 0])
})
