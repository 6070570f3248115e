import { expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { closeSearched, token } from '../support/canary.ts'

const start = async () => {
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
  const mock = await start()
  await shownBy(mock)
  await mock.project('zeta').state.get()
  await change(mock)
  const unread = await start()
  await change(unread)
  const shown = await shownBy(unread)
  expect(await shownBy(mock)).toEqual(shown)

  // The created project has the same content.
  await mock.project('acme').patch({})
  expect(await shownBy(mock)).toEqual(shown)
})

// Otherwise the test above would compare unchanged projects.
it.each(changes)('reads of an unused project differ after %s', async (_, change) => {
  const mock = await start()
  const before = await shownBy(mock)
  await change(mock)
  expect(await shownBy(mock)).not.toEqual(before)
})

it.each<readonly [string, (mock: Mock) => Promise<unknown>]>([
  ['changed', (mock) => mock.project('acme').patch({ preferredLocale: 'de' })],
  ['given a link', (mock) => mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })],
  ['used for a random draw', drawChance],
])('a deleted project that was %s reads like a new one', async (_, use) => {
  const mock = await start()
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

it('two unused projects have different ids', async () => {
  const mock = await start()
  const idsOf = async (project: string) => (await mock.project(project).users.list()).items.map(({ id }) => id)
  const [acme, zeta] = [await idsOf('acme'), await idsOf('zeta')]
  expect(acme).not.toEqual(zeta)
  expect([await idsOf('acme'), await idsOf('zeta')]).toEqual([acme, zeta])
})
