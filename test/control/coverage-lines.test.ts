import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type CoverageItem, createMock, formatCoverage, type Mock } from '../../src/node/index.ts'
import { getSituationName } from '../../src/core/schema/coverage-text.ts'
import { token } from '../support/canary.ts'
import { closingMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

// A late response is as late as its fault says.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Makes the calls that prepare a situation. Returns the id of the record that the first one creates. */
const prepareSituation = async ({ fetch }: Mock, calls: CoverageItem['show'] = []): Promise<string | undefined> => {
  const ids: (string | undefined)[] = []
  for (const { method, path, body } of calls) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`/__admin/projects/acme${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
    ids.push((await response.json()).id)
  }
  return ids[0]
}

/** Calls an operation as a client of it does: it reads a link twice, and a list to its end and back. */
const callOperation = async ({ fetch }: Pick<Mock, 'fetch'>, operation: string | null, id: string | undefined) => {
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sending = { method, headers, body: JSON.stringify(body) }
    const response = await fetch(`http://mock/projects/acme${path}`, sending).catch(() => undefined)
    return response?.json().catch(() => undefined)
  }
  const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
  const list = async (method: string, path: string, body?: unknown) => {
    const first = await send(method, path, body)
    if (!first?.moreItemsAfter) return
    const second = await send(method, `${path}?after=${first.moreItemsAfter}`, body)
    await send(method, `${path}?before=${second.items[0].id}`, body)
  }
  const calls: Record<string, () => Promise<unknown>> = {
    createUser: () => send('POST', '/users', { email: 'grace@example.com' }),
    listUsers: () => list('GET', '/users'),
    searchUsers: () => list('POST', '/users/search', {}),
    retrieveUser: () => send('GET', `/users/${id}`),
    updateUser: () => send('PATCH', `/users/${id}`, { fullName: 'Grace' }),
    deleteUser: () => send('DELETE', `/users/${id}`),
    createPaymentLink: () => send('POST', '/paymentLinks', link),
    listPaymentLinks: () => list('GET', '/paymentLinks'),
    retrievePaymentLink: async () => [
      await send('GET', `/paymentLinks/${id}`),
      await send('GET', `/paymentLinks/${id}`),
    ],
    cancelPaymentLink: () => send('POST', `/paymentLinks/${id}/cancel`),
  }
  // A fault of any operation applies to whichever comes next.
  if (operation === null) for (const one of ['createPaymentLink', 'listPaymentLinks']) await calls[one]!()
  else await calls[operation]!()
}

const { items } = await createMock().coverage()
const seed = { projects: { acme: {} } }
/** The situations that need a call of the control API. Any call of the operation shows the others. */
const prepared = items.filter(({ show }) => show !== undefined)

const getCount = async (mock: Mock, { operation, situation }: CoverageItem) =>
  (await mock.coverage()).items.find((item) => item.operation === operation && item.situation === situation)!

type Called = Pick<Mock, 'fetch' | 'faults'>

const call = async (mock: Called, item: CoverageItem, id: string | undefined) => {
  const called = callOperation(mock, item.operation, id)
  await vi.advanceTimersByTimeAsync(10_000)
  await called
}

it.each(items.map((item) => [getSituationName(item), item] as const))('its calls show %s', async (_, item) => {
  const mock = createMock({ seed })
  const id = await prepareSituation(mock, item.show)
  expect(await getCount(mock, item)).toMatchObject({ seen: 0 })
  await call(mock, item, id)
  const { seen, show } = await getCount(mock, item)
  expect(seen).toBeGreaterThan(0)
  expect(show).toBeUndefined()
})

/** Situations that the calls show without preparation as well: there is no record. */
const isShownAnyway = ({ situation }: CoverageItem) => /^404 |^200 empty page$/.test(situation)

const hidden = prepared.filter((item) => !isShownAnyway(item)).map((item) => [getSituationName(item), item] as const)
it.each(hidden)('the same calls without preparation do not show %s', async (_, item) => {
  const mock = createMock({ seed })
  await call(mock, item, 'none')
  expect(await getCount(mock, item)).toMatchObject({ seen: 0 })
})

it('prepares an error with all that it has', () => {
  const { show } = items.find(({ situation }) => situation === '409 emailTaken')!
  const error = { object: 'error', type: 'conflict', code: 'emailTaken', message: expect.any(String) }
  const fault = { match: { operation: 'createUser' }, effect: { status: 409, body: error } }
  expect(show).toEqual([{ method: 'POST', path: '/faults', body: fault }])
})

/** The coverage of a mock whose client has called each operation, so that the text has lines for all its situations. */
const startCalled = async () => {
  const mock = closingMock({ seed })
  await callAll(mock)
  return mock
}

const callAll = async (mock: Called) => {
  for (const operation of new Set(items.map((item) => item.operation)))
    await call(mock, { ...items[0]!, operation }, 'none')
  await mock.faults.remove()
}

const getLines = (text: string, comment: string) =>
  text
    .split(`\n${comment} `)
    .slice(1)
    .map((part) => part.trimEnd().split('\n') as [name: string, line: string])

it('prints lines that run as pasted in a test with the fixture `project`', async () => {
  const called = await startCalled()
  const lines = getLines(formatCoverage(await called.coverage()), '//')
  expect(lines.length).toBeGreaterThan(30)
  for (const [name, line] of lines) {
    const mock = createMock({ seed })
    // oxlint-disable-next-line no-implied-eval -- the lines are made to be pasted into a test
    const run = new Function('project', `return (async () => { ${line} })()`) as (project: unknown) => Promise<void>
    await expect(run(mock.project('acme')), name).resolves.toBeUndefined()
  }
})

// Each line starts a process.
const places: [prefix: string, adminToken?: string][] = [
  ['/@one', 'admin-secret'],
  ...(process.env.SLOW_TESTS ? [[''] as [string]] : []),
]
it.each(places)('prints lines of curl that run over HTTP at %j with the admin token %s', async (prefix, adminToken) => {
  const root = await startCalled()
  const called = prefix === '' ? root : root.sandbox('one')
  if (prefix !== '') await callAll(called)
  vi.useRealTimers()
  const { url } = await root.listen({ adminToken })
  const headers = { authorization: `Bearer ${adminToken}` }
  const text = await (await fetch(`${url}${prefix}/__admin/coverage?format=text`, { headers })).text()
  expect(text.includes('Set PAYLINK_MOCK_ADMIN_TOKEN to the admin token.')).toBe(adminToken !== undefined)
  const lines = getLines(text, '#')
  expect(lines.map(([name]) => name)).toEqual(
    getLines(formatCoverage(await called.coverage()), '//').map(([name]) => name),
  )
  const script = lines.map(([, line]) => line.replaceAll('curl ', 'curl -sf ')).join(' &&\n')
  await exec('sh', ['-c', script], { env: { ...process.env, PAYLINK_MOCK_ADMIN_TOKEN: adminToken } })
  expect((await called.project('acme').faults.list()).length).toBeGreaterThan(20)
  expect((await called.project('acme').paymentLinks.get('pml_paidlater')).status).toBe('active')
})
