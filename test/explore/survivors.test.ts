import { expect, it } from 'vitest'
import type { Client, ExploreOptions, Flow } from '../../src/explore/index.ts'
import { atMostOneActive, createLink, createOneLink, keepOnly, activeLinks, cancelLink, retry } from './clients/call.js'
import type { EffectName } from '../../src/explore/effects/effect-names.ts'
import { headers, send } from './support/service.ts'
import { explore } from './support/searches.ts'

/** Sends the same key with each attempt. */
const keyed: Flow = ({ fetch, sleep }) =>
  retry(sleep, async () => {
    const response = await fetch('/projects/acme/paymentLinks', {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'inv_1' },
      body: JSON.stringify({ invoice: 'inv_1', type: 'partner', partner: { user: {} } }),
    })
    await response.json()
    if (!response.ok) throw new Error(`${response.status}`)
  })
const careful: Flow = (client) => createOneLink(client, 'inv_1')
/** Looks for other links after each create. */
const suspicious: Flow = async ({ fetch, sleep }) => {
  const link = await retry(sleep, () => createLink(fetch, 'inv_1'))
  await keepOnly(
    sleep,
    link,
    () => activeLinks(fetch, 'inv_1'),
    ({ id }: { id: string }) => cancelLink(fetch, id),
  )
}
/** Gives up on an attempt after ten seconds. */
const impatient: Flow = (client) =>
  createOneLink(
    {
      ...client,
      fetch: (input: string, init?: RequestInit) =>
        Promise.race([
          client.fetch(input, init),
          client.sleep(10_000).then(() => Promise.reject(new Error('no response in time'))),
        ]),
    },
    'inv_1',
  )
const naive: Flow = ({ fetch, sleep }: Client) => retry(sleep, () => createLink(fetch, 'inv_1'))
/** Compares the text of a response. */
const literal: Flow = async (client) => {
  const text = await (await send(client, 'GET', '/users')).text()
  if (!text.startsWith('{"object":"list"')) throw new Error('unexpected text')
}

type Effects = NonNullable<ExploreOptions['effects']>
/** Effects that every client below survives. Each more adds two runs for each pair of calls. */
const common: readonly EffectName[] = process.env.SLOW_TESTS
  ? ['reset', 'unavailable', 'malformed', 'rateLimited', 'evolve']
  : ['reset']
const keys = { behaviors: { idempotencyKey: 'replay' } } as const

const cases: [effects: Effects, client: Flow, options?: ExploreOptions['options']][] = [
  [[...common, 'stale'], careful],
  [[...common, 'stale', 'duplicate'], suspicious],
  [[...common, 'stale', 'duplicate'], keyed, keys],
  [{ closed: { connection: 'close' }, cut: { corrupt: 'truncated' }, empty: { corrupt: 'empty' } }, careful],
  [{ late: { delay: { milliseconds: 1000 } }, limited: { rateLimit: { limit: 1, window: 100 } } }, careful],
  [{ hang: { connection: 'hang' } }, impatient],
]

// One client of each kind: each effect more adds two runs for each pair of calls.
const triedCases = cases.filter((_, index) => process.env.SLOW_TESTS || index % 2 === 1)
it.each(triedCases)('a client survives two faults of %j', async (effects, flow, options = {}) => {
  const invariant = atMostOneActive
  const found = await explore({ flow, invariant, effects, options, faults: 2 })
  expect(found).toMatchObject({ failures: [], exhausted: true })
})

it.each<[effect: string, effects: Effects, client: Flow]>([
  ['close', { closed: { connection: 'close' } }, naive],
  ['truncated', { cut: { corrupt: 'truncated' } }, naive],
  ['duplicate', ['duplicate'], careful],
  ['evolve', ['evolve'], literal],
])('a client with a bug does not survive %s', async (_, effects, flow) => {
  const mustSucceed = flow === literal ? ['evolve'] : []
  expect((await explore({ flow, invariant: atMostOneActive, effects, mustSucceed })).failures).toHaveLength(1)
})
