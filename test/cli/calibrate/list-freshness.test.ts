import { expect, it, onTestFinished } from 'vitest'
import { createMock, type Mock } from '../../../src/index.ts'
import { readJson } from '../../support/read.ts'
import { calibrateMock } from './support/calibrate-mock.ts'

type Shows = (nth: number, ids: readonly string[]) => readonly string[] | number

const isList = (url: string, method = 'GET') => method === 'GET' && url.endsWith('/users?limit=200')

/** Probes a mock. `shows` changes the ids on the nth list, from one, or returns an error status. */
const probe = async (mock: Mock, shows: Shows = (_, ids) => ids) => {
  onTestFinished(() => mock.close())
  const asked: string[] = []
  const waits: number[] = []
  let lists = 0
  const { findings, leftBehind } = await calibrateMock(
    {
      fetch: async (url, init) => {
        asked.push(`${init?.method ?? ''} ${new URL(url as string).pathname.replace('/projects/acme', '')}`)
        const response = await mock.fetch(url, init)
        if (!isList(url as string, init?.method)) return response
        const body = (await readJson(response)) as { readonly items: readonly { readonly id: string }[] }
        const shown = shows(++lists, body.items.map(({ id }) => id)) // prettier-ignore
        if (typeof shown === 'number') return Response.json({}, { status: shown })
        return Response.json({ ...body, items: shown.map((id) => ({ id })) })
      },
    },
    {
      keys: ['listFreshness'],
      wait: async (milliseconds) => {
        waits.push(milliseconds)
        await mock.clock.advance(milliseconds)
      },
    },
  )
  const [finding] = findings
  const { users } = await mock.project('acme').state.get()
  return {
    outcome: finding?.outcome === 'observed' ? finding.value : finding?.outcome === 'inconclusive' ? finding.why : '',
    asked,
    polls: waits.filter((milliseconds) => milliseconds === 500).length,
    lists,
    left: [users, leftBehind],
  }
}

const clock = '2025-01-01T00:00:00Z'
const start = (listFreshness: 'immediate' | 'delayed' = 'immediate') =>
  createMock({ clock, behaviors: { listFreshness } })

it('lists at once after each of three creates, before any other request', async () => {
  const { outcome, asked, polls, lists, left } = await probe(start())
  expect(outcome).toBe('immediate')
  const creates = asked.flatMap((line, index) => (line === 'POST /users' ? [asked[index + 1]] : []))
  expect(creates).toEqual(['GET /users', 'GET /users', 'GET /users'])
  expect([polls, lists, left]).toEqual([0, 6, [[], []]])
})

it('finds a list that lags behind, and polls until it shows the user', async () => {
  expect(await probe(start('delayed'))).toMatchObject({ outcome: 'delayed', polls: 4, left: [[], []] })
})

it.each([1, 3, 5])('finds a list that misses a user only once, on list %d', async (missing) => {
  const { outcome, polls } = await probe(start(), (nth, ids) => (nth === missing ? [] : ids))
  expect([outcome, polls]).toEqual(['delayed', 1])
})

it('polls for ten seconds', async () => {
  const shows: Shows = (nth, ids) => (nth <= 20 ? [] : ids)
  expect(await probe(start(), shows)).toMatchObject({ outcome: 'delayed', polls: 20 })
})

it('is inconclusive for a user that no list shows', async () => {
  const { outcome, polls, left } = await probe(start(), () => [])
  expect([outcome, polls]).toEqual(['the list does not show a user that was created 10 s ago', 20])
  expect(left).toEqual([[], []])
})

it.each([
  ['at once', 2],
  ['while it polls', 4],
])('is inconclusive for lists that show the user %s, and then not', async (_, flip) => {
  const { outcome, left } = await probe(start(), (nth, ids) => (nth === flip || (flip === 4 && nth < 3) ? [] : ids))
  expect([outcome, left]).toEqual(['a list shows a new user, and the next one does not', [[], []]])
})

it.each([1, 2])('is inconclusive for a list %d that fails, and deletes the user', async (failing) => {
  const { outcome, left } = await probe(start(), (nth, ids) => (nth === failing ? 500 : ids))
  expect(outcome).toMatch(/^the list has no page: GET .* returned 500$/)
  expect(left).toEqual([[], []])
})

it('changes only its own users, among those of others', async () => {
  const mock = start('delayed')
  const acme = mock.project('acme')
  for (let n = 0; n < 5; n++) await acme.users.create({ email: `zoe${n}@customer.example` })
  const before = await acme.state.get()
  const { asked } = await probe(mock)
  expect((await acme.state.get()).users).toEqual(before.users)
  expect(asked.some((line) => line.startsWith('PATCH'))).toBe(false)
})

it('waits before lists of payment links too, once lists are known to lag behind', async () => {
  const mock = start('delayed')
  onTestFinished(() => mock.close())
  const { findings } = await calibrateMock(
    { fetch: mock.fetch },
    {
      keys: ['listFreshness', 'paymentLinkOrder'],
      wait: async (milliseconds) => void (await mock.clock.advance(milliseconds)),
    },
  )
  expect(findings.map(({ key, outcome }) => [key, outcome])).toEqual([
    ['paymentLinkOrder', 'observed'],
    ['listFreshness', 'observed'],
  ])
})
