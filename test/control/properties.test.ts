import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMock, type NodeMock } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'

const seed = {
  idSeed: 'properties',
  clock: { mode: 'stepping' as const, now: noon, step: 7 },
  template: { users: [{ email: 'template@example.com' }], paymentLinks: [{ invoice: 'inv_0' }] },
  projects: { a: { users: [{ id: 'usr_pinned', email: 'pinned@example.com' }], generate: { users: 3 } } },
}

/** A step of a history. Rows are named by their place in the list, so that every step can be taken. */
const step = fc.record({
  project: fc.constantFrom('a', 'b', '__proto__'),
  nth: fc.nat(5),
  deed: fc.constantFrom(
    'create',
    'update',
    'delete',
    'link',
    'cancel',
    'pay',
    'plan',
    'read',
    'advance',
    'search',
    'refused',
  ),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const take = async (mock: NodeMock, { project, nth, deed }: Step): Promise<string> => {
  const at = `/projects/${project}`
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const response = await mock.fetch(`${at}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`
  }
  const control = mock.project(project)
  const user = (await control.users.list()).items[nth]?.id ?? 'usr_none'
  const link = (await control.paymentLinks.list()).items[nth]?.id ?? 'pml_none'
  switch (deed) {
    case 'create':
      return send('POST', '/users', { email: `user${nth}@example.com`, metadata: { nth } })
    case 'update':
      return send('PATCH', `/users/${user}`, { fullName: `Name ${nth}`, metadata: { more: nth } })
    case 'delete':
      return send('DELETE', `/users/${user}`)
    case 'link':
      return send('POST', '/paymentLinks', { invoice: `inv_${nth}`, type: 'partner', partner: { user: {} } })
    case 'cancel':
      return send('POST', `/paymentLinks/${link}/cancel`)
    case 'pay':
      return control.paymentLinks.pay(link).then(JSON.stringify, JSON.stringify)
    case 'plan':
      return control.paymentLinks
        .pay(link, { when: nth % 2 ? { reads: nth } : { in: nth * 10 } })
        .then(JSON.stringify, JSON.stringify)
    case 'read':
      return send('GET', `/paymentLinks/${link}`)
    case 'advance':
      return JSON.stringify(await control.clock.advance(nth * 5))
    case 'search':
      return send('POST', `/users/search?limit=2&after=${user}`, { email: 'USER1@example.com' })
    case 'refused':
      return send('GET', `/users?limit=${nth}x`)
  }
}

const takeAll = async (mock: NodeMock, steps: readonly Step[]): Promise<string[]> => {
  const answers: string[] = []
  for (const one of steps) answers.push(await take(mock, one))
  return [...answers, JSON.stringify(await mock.state.get())]
}

const history = fc.array(step, { maxLength: 20 })

it('a reset equals a fresh start, whatever came before it', () =>
  fc.assert(
    fc.asyncProperty(history, history, async (before, after) => {
      const used = createMock({ seed })
      await takeAll(used, before)
      await used.reset()
      expect(await takeAll(used, after)).toEqual(await takeAll(createMock({ seed }), after))
    }),
    { numRuns: 60 },
  ))

it('a reset of one project equals a fresh start of it', () =>
  fc.assert(
    fc.asyncProperty(history, history, async (before, after) => {
      const ofOne = after.map((one) => ({ ...one, project: 'a' as const }))
      const used = createMock({ seed })
      await takeAll(used, before)
      await used.project('a').reset()
      const fresh = createMock({ seed })
      expect((await takeAll(used, ofOne)).slice(0, -1)).toEqual((await takeAll(fresh, ofOne)).slice(0, -1))
      expect(await used.project('a').state.get()).toEqual(await fresh.project('a').state.get())
    }),
    { numRuns: 40 },
  ))

// Request ids are the key of the journal, not part of the state: they go on where they were.
const withoutRequestIds = (answers: readonly string[]) => answers.map((text) => text.replace(/req_\w{28}/g, 'req'))

it('an export that is loaded, here or in a new mock, goes on as if never interrupted', () =>
  fc.assert(
    fc.asyncProperty(history, history, history, async (before, between, after) => {
      const mock = createMock({ seed })
      await takeAll(mock, before)
      const exported = await mock.state.get()
      const snapshot = await mock.snapshots.save('here')
      const loaded = createMock({ seed: exported })
      expect(JSON.stringify(await loaded.state.get())).toBe(JSON.stringify(exported))
      const expected = withoutRequestIds(await takeAll(createMock({ seed: exported }), after))
      expect(withoutRequestIds(await takeAll(loaded, after))).toEqual(expected)

      await takeAll(mock, between)
      await mock.state.put(exported)
      expect(JSON.stringify(await mock.state.get())).toBe(JSON.stringify(exported))
      expect(withoutRequestIds(await takeAll(mock, after))).toEqual(expected)
      await mock.snapshots.restore(snapshot.name)
      expect(withoutRequestIds(await takeAll(mock, after))).toEqual(expected)
    }),
    { numRuns: 40 },
  ))
