import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { type Profile, profiles } from '../../src/schema/behavior.ts'
import { noon } from '../support/api.ts'
import { buildControlContract, findControlProblems } from '../support/control-contract.ts'

const { document } = await buildControlContract()
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

/** A mock of the demo seed in which there is one of everything that a path can name. */
const start = async (profile: Profile) => {
  const mock = createMock({ clock: noon, seed: demo, profile })
  onTestFinished(() => mock.close())
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
  await mock.sandbox('checkout-1').reset()
  const ids = {
    project: 'acme',
    user: 'usr_grace',
    paymentLink: 'pml_open',
    name: 'paid',
    request: items[0]!.id,
    fault: fault.id,
    sandbox: 'checkout-1',
  }
  return { ...(await mock.listen()), ids }
}

// The other profiles belong to the slow tests.
const tried = process.env.SLOW_TESTS ? (Object.keys(profiles) as Profile[]) : (['default'] as const)
const cases = tried.flatMap((profile) => calls.map((call) => ({ profile, ...call })))

it.each(cases)('$id succeeds with the example $name under the profile $profile', async (one) => {
  const { path, method, operation, sent, profile } = one
  const { url, ids } = await start(profile)
  const filled = Object.entries(ids).reduce((text, [name, id]) => text.replace(`{${name}}`, id), path)
  const ending = new AbortController()
  const response = await fetch(`${url}${filled}`, {
    method,
    signal: ending.signal,
    ...(sent && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }),
  })
  const success = Object.keys(operation.responses).find((status) => status < '300')
  expect(response.status).toBe(sent && 'when' in sent ? 202 : Number(success))
  const isStream = 'text/event-stream' in (operation.responses[success!]!.content ?? {})
  const text = isStream ? undefined : await response.text()
  ending.abort()
  const { status, headers } = response
  const exchange = { method, url: new URL(response.url), sent: sent && JSON.stringify(sent), status, headers, text }
  expect(await findControlProblems(exchange)).toBe('')
})

it('every body has an example', () => {
  for (const { operation } of endpoints)
    for (const { examples } of Object.values(operation.requestBody?.content ?? {}))
      expect([operation.operationId, Object.keys(examples ?? {}).length]).not.toEqual([operation.operationId, 0])
})
