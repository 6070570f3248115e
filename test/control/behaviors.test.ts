import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { behaviorKeys, behaviorRegistry, defaultBehaviors, profiles } from '../../src/schema/behavior.ts'
import { ask, describeControl } from '../support/control.ts'

const create = { email: 'a@b.c' }
const users = (project: string) => `/projects/${project}/users`

describeControl('behaviors', (start) => {
  it('are returned with all their possible values', async () => {
    const { control } = await start({ behaviors: { createStatus: 200 } })
    const { values, registry } = await control.project('acme').behaviors.get()
    expect(values).toEqual({ ...defaultBehaviors, createStatus: 200 })
    expect(registry.map(({ key }) => key)).toEqual(behaviorKeys)
    expect(registry[0]).toEqual({
      key: 'createStatus',
      values: [201, 200],
      default: 201,
      spec: behaviorRegistry.createStatus.spec,
      summary: behaviorRegistry.createStatus.summary,
    })
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

  it('are rejected with the nearest known key and the possible values', async () => {
    const { control } = await start()
    await expect(control.behaviors.set({ serchMatch: 'exact' } as never)).rejects.toMatchObject({
      message: "serchMatch is not a field here; did you mean 'searchMatch'?",
    })
    await expect(control.behaviors.set({ searchMatch: 'fuzzy' } as never)).rejects.toMatchObject({
      message: "searchMatch must be 'ignoreCase', 'exact' or 'contains' (got 'fuzzy').",
    })
    expect((await control.behaviors.get()).values).toEqual(defaultBehaviors)
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
