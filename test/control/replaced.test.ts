// Proves: Races.
import { expect, it } from 'vitest'
import type { Mock } from '../../src/node/index.ts'
import { startApi } from '../support/api.ts'
import { readJson } from '../support/read.ts'
import { errors } from '../../src/schema/error.ts'

/** A body that arrives in two parts, with an action in between. */
const slowBody = (texts: readonly [string, string], between: () => Promise<unknown>): ReadableStream<Uint8Array> => {
  const parts = texts.map((text) => new TextEncoder().encode(text))
  return new ReadableStream({
    start: (controller) => controller.enqueue(parts[0]!),
    pull: async (controller) => {
      await between()
      controller.enqueue(parts[1]!)
      controller.close()
    },
  })
}

const createSlowly = (mock: Mock, between: () => Promise<unknown>) =>
  mock.fetch('/projects/acme/users', {
    method: 'POST',
    headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    body: slowBody(['{"email":', '"late@example.com"}'], between),
    duplex: 'half',
  } as RequestInit)

it.each(['reset', 'load', 'restore', 'deletion'])(
  'a request that was begun before a %s cannot write after it',
  async (how) => {
    const { mock } = await startApi('in process')
    const acme = mock.project('acme')
    await acme.users.create({ email: 'first@example.com' })
    await acme.snapshots.save('one')
    const replace = {
      reset: () => acme.reset(),
      load: () => acme.state.put({}),
      restore: () => acme.snapshots.restore('one'),
      deletion: () => acme.delete(),
    }[how]!
    const response = await createSlowly(mock, replace)
    expect(await readJson(response, 503)).toEqual(errors.stateReplaced({ project: 'acme' }).toJSON())
    expect((await acme.users.list({ email: 'late@example.com' })).items).toEqual([])
    // The rejected request does not create the deleted project again.
    expect((await mock.projects()).map(({ id }) => id)).toEqual(how === 'deletion' ? [] : ['acme'])
  },
)

it.each(['succeeded', 'failed'])(
  'a payment that %s brings no project back that was deleted meanwhile',
  async (outcome) => {
    const template = { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
    const { mock } = await startApi('in process', { seed: { template } })
    const acme = mock.project('acme')
    await acme.patch({})
    const response = await mock.fetch('/pay/acme/pml_1', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: slowBody(['outcome=', outcome], () => acme.delete()),
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(404)
    expect(await mock.projects()).toEqual([])
  },
)

it('a request that started before a reset ignores faults that were added after it', async () => {
  const { mock } = await startApi('in process')
  const acme = mock.project('acme')
  await acme.faults.add({ match: { operation: 'deleteUser' }, effect: { status: 500 } })
  const between = async () => {
    await acme.reset()
    await acme.faults.add({ effect: { status: 418 } })
  }
  const response = await createSlowly(mock, between)
  expect((await readJson(response, 503)).code).toBe('stateReplaced')
  expect(await acme.faults.list()).toMatchObject([{ hits: 0, remaining: 1 }])
})
