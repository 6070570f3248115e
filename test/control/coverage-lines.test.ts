import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type CoverageItem, createMock, type Mock } from '../../src/node/index.ts'
import { getSituationName } from '../../src/schema/coverage-text.ts'
import { token } from '../support/canary.ts'
import { type LineScope, runLine } from '../support/run-line.ts'

// A late response is as late as its line says.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Calls an operation as a client of it does: it reads a link twice, and a list to its end and back. */
const callOperation = async (
  { fetch, serviceUrl }: LineScope,
  operation: string | null,
  id: string | undefined,
): Promise<void> => {
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${serviceUrl}/projects/acme${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => undefined)
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
  // The line of any operation applies to whichever comes next.
  if (operation === null) for (const one of ['createPaymentLink', 'listPaymentLinks']) await calls[one]!()
  else await calls[operation]!()
}

const { items } = await createMock().coverage()
const isCall = ({ show = '' }: CoverageItem) => show.startsWith('await fetch(')

const getCount = async (mock: Mock, { operation, situation }: CoverageItem) =>
  (await mock.coverage()).items.find((item) => item.operation === operation && item.situation === situation)!

const call = async (scope: LineScope, item: CoverageItem, id: string | undefined) => {
  const called = callOperation(scope, item.operation, id)
  await vi.advanceTimersByTimeAsync(10_000)
  await called
}

it.each(items.map((item) => [getSituationName(item), item] as const))('the line shows %s', async (_, item) => {
  const mock = createMock({ seed: { projects: { acme: {} } } })
  const scope = { project: mock.project('acme'), serviceUrl: 'http://mock', fetch: mock.fetch }
  const id = await runLine(item.show!, scope)
  expect(item.show).not.toContain('\n')
  if (!isCall(item)) {
    expect(await getCount(mock, item)).toMatchObject({ seen: 0 })
    await call(scope, item, id)
  }
  const { seen, show } = await getCount(mock, item)
  expect(seen).toBeGreaterThan(0)
  expect(show).toBeUndefined()
})

it('the line of an error sends all that the error has', () => {
  const { show } = items.find(({ situation }) => situation === '409 emailTaken')!
  for (const field of ['object', 'type', 'code', 'message']) expect(show).toMatch(new RegExp(`\\b${field}: '`))
})

it.each([
  [
    'createUser:409 emailTaken',
    `await project.faults.add({ match: { operation: 'createUser' }, effect: { status: 409, body: { object: 'error', type: 'conflict', code: 'emailTaken', message: 'Another user of the project has this email.' } } })`,
  ],
  ['listUsers:200 second page', 'await project.state.put({ generate: { users: 11 } })'],
  [
    'listUsers:200 page before',
    'await project.state.put({ generate: { users: 11 } }) // then list with after, and with before',
  ],
  ['listPaymentLinks:200 second page', 'await project.state.put({ generate: { paymentLinks: { active: 11 } } })'],
])('the line of %s has all that its reader needs', (name, line) => {
  expect(items.find((item) => getSituationName(item) === name)!.show).toBe(line)
})

/** Situations that the calls show without a line as well: there is no record. */
const isShownAnyway = ({ situation }: CoverageItem) => /^404 |^200 empty page$/.test(situation)

it.each(
  items.filter((item) => !isCall(item) && !isShownAnyway(item)).map((item) => [getSituationName(item), item] as const),
)('the same calls without the line do not show %s', async (_, item) => {
  const mock = createMock({ seed: { projects: { acme: {} } } })
  await call({ project: mock.project('acme'), serviceUrl: 'http://mock', fetch: mock.fetch }, item, 'none')
  expect(await getCount(mock, item)).toMatchObject({ seen: 0 })
})
