// Proves: Races.
import { expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { behaviorKeys, behaviorRegistry, defaultBehaviors, profiles } from '../../src/core/schema/behavior.ts'
import { ask, describeControl } from '../support/control.ts'
import { noon, startApi } from '../support/api.ts'
import { closeSearched, token } from '../support/canary.ts'
import { readJson } from '../support/read.ts'
import { errors } from '../../src/core/schema/error.ts'

const create = { email: 'a@b.c' }
const users = (project: string) => `/projects/${project}/users`

describeControl('behaviors', (start) => {
  it('are returned with all their possible values', async () => {
    const { control } = await start({ behaviors: { createStatus: 200 } })
    const { values, registry } = await control.project('acme').behaviors.get()
    expect(values).toEqual({ ...defaultBehaviors, createStatus: 200 })
    expect(registry.map(({ key }) => key)).toEqual(behaviorKeys)
    const { spec, summary } = behaviorRegistry.createStatus
    expect(registry[0]).toEqual({ key: 'createStatus', values: [201, 200], default: 201, spec, summary })
  })

  it('are set for one project or for all projects, present and future; the last write wins', async () => {
    const { control, mock } = await start()
    const status = async (project: string) => (await ask(mock, users(project), 'POST', create)).status
    await control.project('acme').behaviors.set({ createStatus: 200, searchMatch: 'exact' })
    expect([await status('acme'), await status('beta')]).toEqual([200, 201])
    await control.behaviors.set({ createStatus: 201 })
    expect([await status('acme'), await status('beta'), await status('new')]).toEqual([201, 201, 201])
    // A write for all projects leaves the keys that it omits unchanged.
    expect((await control.project('acme').behaviors.get()).values.searchMatch).toBe('exact')
    await control.behaviors.set({ createStatus: 200 })
    expect([await status('acme'), await status('newer')]).toEqual([200, 200])
    await control.reset()
    expect((await control.behaviors.get()).values).toEqual(defaultBehaviors)
  })

  it.each([[201], { 201: 201 }, '202', null])('have no value %j', async (createStatus) => {
    const { control } = await start()
    const choice = { createStatus } as never
    await expect(control.behaviors.set(choice)).rejects.toThrow('createStatus must be 201 or 200 (got ')
  })
})

it('the seed overrides the profile, and single behaviors override the seed', async () => {
  const mock = createMock({
    profile: 'strict',
    seed: { behaviors: { searchMatch: 'contains' }, projects: { acme: { behaviors: { payerFields: 'optional' } } } },
    behaviors: { invoiceIds: 'any' },
  })
  const strict = { ...defaultBehaviors, ...profiles.strict, searchMatch: 'contains', invoiceIds: 'any' }
  expect((await mock.behaviors.get()).values).toEqual(strict)
  expect((await mock.project('acme').behaviors.get()).values).toEqual({ ...strict, payerFields: 'optional' })
  await mock.behaviors.set({ payerFields: 'optional' })
  await mock.reset()
  expect((await mock.behaviors.get()).values).toEqual(strict)
})

it('an unknown profile is rejected with the list of profiles', () => {
  expect(() => createMock({ profile: 'lax' as never })).toThrow("profile must be 'default' or 'strict' (got 'lax').")
})

const startUnused = async () => {
  const mock = createMock({
    seed: { clock: { mode: 'frozen', now: noon }, template: { users: [{ email: 'template@example.com' }] } },
  })
  closeSearched(mock)
  await mock.snapshots.save('at start')
  await mock.behaviors.set({ createStatus: 200 })
  await mock.project('other').users.create({ email: 'other@example.com' })
  return mock
}

/** Every readable part of a project that nobody has used. */
const shownBy = async (mock: Mock) => {
  const project = mock.project('acme')
  return {
    state: await project.state.get(),
    clock: await project.clock.get(),
    behaviors: (await project.behaviors.get()).values,
    users: await project.users.list(),
    summary: { ...(await project.summary()), revision: undefined },
    tokens: await project.tokens.get(),
  }
}

const template = { preferredLocale: 'de', users: [{ email: 'a@example.com' }, { email: 'b@example.com' }] }
const changes: readonly (readonly [string, (mock: Mock) => Promise<unknown>])[] = [
  ['the clock is set for all', (mock) => mock.clock.set({ mode: 'stepping', now: '2030-01-01T00:00:00Z', step: 7 })],
  ['the clock is advanced for all', (mock) => mock.clock.advance(5000)],
  ['a behavior is set for all', (mock) => mock.behaviors.set({ timestampPrecision: 'seconds' })],
  ['the template is changed', (mock) => mock.state.patch({ template })],
  ['the users of the template are removed', (mock) => mock.state.patch({ template: { users: [] } })],
  ['the state of all is replaced', (mock) => mock.state.put({ idSeed: 'new', template })],
  ['all are reset', (mock) => mock.reset()],
  ['all are restored', (mock) => mock.snapshots.restore('at start')],
  ['the tokens of all are replaced', (mock) => mock.tokens.replace([{ token: 'another' }])],
  ['its clock is set', (mock) => mock.project('acme').clock.set({ mode: 'frozen', now: '2031-01-01T00:00:00Z' })],
  ['chance is drawn from it', (mock) => drawChance(mock)],
]

const drawChance = async (mock: Mock) => {
  await mock.faults.add({ probability: 0.5, times: null, effect: { status: 503 } })
  const headers = { authorization: `Bearer ${token}` }
  for (let n = 0; n < 3; n++) await mock.fetch('/projects/acme/users/usr_none', { headers })
}

it.each(changes)('reads of an unused project return its future content, also after %s', async (_, change) => {
  const mock = await startUnused()
  const before = await shownBy(mock)
  expect((await mock.projects()).map(({ id }) => id)).toEqual(['other'])
  await mock.project('zeta').state.get()
  await change(mock)
  const unread = await startUnused()
  await change(unread)
  const shown = await shownBy(unread)
  expect(shown).not.toEqual(before)
  expect(await shownBy(mock)).toEqual(shown)

  // The created project has the same content.
  await mock.project('acme').patch({})
  expect(await shownBy(mock)).toEqual(shown)
})

it.each<readonly [string, (mock: Mock) => Promise<unknown>]>([
  ['changed', (mock) => mock.project('acme').patch({ preferredLocale: 'de' })],
  ['given a link', (mock) => mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })],
  ['used for a random draw', drawChance],
])('a deleted project that was %s reads like a new one', async (_, use) => {
  const mock = await startUnused()
  const before = await shownBy(mock)
  await use(mock)
  await mock.project('acme').users.create({ email: 'new@example.com' })
  await mock.project('acme').delete()
  expect(await shownBy(mock)).toEqual(before)
})

it.each<readonly [string, (project: ReturnType<Mock['project']>) => Promise<unknown>]>([
  ['a change of the locale', (project) => project.patch({ preferredLocale: 'de' })],
  ['a new user', ({ users }) => users.create({ email: 'new@example.com' })],
  ['a change of the state', ({ state }) => state.patch({})],
  ['a replaced state', ({ state }) => state.put({})],
  ['a reset', (project) => project.reset()],
  ['a snapshot', ({ snapshots }) => snapshots.save('first')],
  ['a clock', ({ clock }) => clock.set({ mode: 'frozen' })],
  ['an advanced clock', ({ clock }) => clock.advance(0)],
  ['a behavior', ({ behaviors }) => behaviors.set({ createStatus: 200 })],
  ['tokens', ({ tokens }) => tokens.replace([])],
  ['a fault', ({ faults }) => faults.add({ effect: { status: 503 } })],
])('%s creates the project', async (_, write) => {
  const mock = createMock()
  await write(mock.project('acme'))
  expect((await mock.projects()).map(({ id }) => id)).toEqual(['acme'])
})

it('a load for all projects starts the revision of a project that it creates', async () => {
  const mock = createMock()
  await mock.state.put({ projects: { acme: {} } })
  expect(await mock.project('acme').summary()).toMatchObject({ revision: 1 })
})

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

const hows = ['reset', 'reset of all', 'load', 'restore', 'deletion']
it.each(hows)('a request that was begun before a %s cannot write after it', async (how) => {
  const { mock } = await startApi('in process')
  const acme = mock.project('acme')
  await acme.users.create({ email: 'first@example.com' })
  await acme.snapshots.save('one')
  const replace = {
    reset: () => acme.reset(),
    'reset of all': () => mock.reset(),
    load: () => acme.state.put({}),
    restore: () => acme.snapshots.restore('one'),
    deletion: () => acme.delete(),
  }[how]!
  const response = await createSlowly(mock, replace)
  expect(await readJson(response, 503)).toEqual(errors.stateReplaced({ project: 'acme' }).toJSON())
  expect((await acme.users.list({ email: 'late@example.com' })).items).toEqual([])
  // A reset and a deletion clear the journal, which does not get the rejected request afterwards.
  expect((await mock.requests.list()).items).toHaveLength(/load|restore/.test(how) ? 1 : 0)
  // The rejected request does not create the deleted project again.
  expect((await mock.projects()).map(({ id }) => id)).toEqual(/deletion|all/.test(how) ? [] : ['acme'])
})

const outcomes = ['succeeded', 'failed']
it.each(outcomes)('a payment that %s brings no project back that was deleted meanwhile', async (outcome) => {
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
})

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
