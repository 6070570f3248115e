/** Zero and empty values never fall back to a default. */
import { describe, expect, it } from 'vitest'
import { createMock, type MockOptions } from '../../../src/node/index.ts'
import { deriveId } from '../../../src/core/domain/ids.ts'
import { noon } from '../../support/api.ts'
import { closeSearched, token } from '../../support/canary.ts'
import { ask } from '../../support/control.ts'

const start = (options: MockOptions = {}) => {
  const mock = createMock({ clock: noon, ...options })
  closeSearched(mock)
  const send = (method: string, path: string, body?: unknown) => ask(mock, `/projects/acme${path}`, method, body)
  return { mock, acme: mock.project('acme'), send }
}

const users = [1, 2, 3].map((n) => ({ id: `usr_${n}`, email: `u${n}@example.com` }))
const seed = { projects: { acme: { users, paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }

it('a number of 0 is a value of metadata, and of a body matcher', async () => {
  const { acme, send } = start({ seed })
  const metadata = { zero: 0, no: false, empty: '' }
  expect((await send('PATCH', '/users/usr_1', { metadata })).body.metadata).toEqual(metadata)
  for (const part of [{ zero: 0 }, { no: false }, { empty: '' }])
    await acme.requests.verify({ match: { body: { metadata: part } }, times: { exactly: 1 } })
  for (const part of [{ zero: false }, { no: 0 }, { empty: null }])
    await acme.requests.verify({ match: { body: { metadata: part } }, times: { exactly: 0 } })
})

describe('an empty value', () => {
  it('is a valid id seed', async () => {
    const idOf = async (options: MockOptions) => (await start(options).acme.users.create({ email: 'a@example.com' })).id
    const id = deriveId('', 'acme', 'usr', 0)
    expect(await idOf({ seed: { idSeed: 'seed', projects: { acme: { idSeed: 'project' } } }, idSeed: '' })).toBe(id)
    expect(await idOf({ seed: { idSeed: 'seed', projects: { acme: { idSeed: '' } } } })).toBe(id)
  })

  it('is a valid header and parameter of a matcher', async () => {
    const { mock, acme } = start({ seed })
    const headers = { authorization: `Bearer ${token}`, 'x-empty': '' }
    await mock.fetch('/projects/acme/users?invoice=', { headers })
    const count = async (match: object) => (await acme.requests.verify({ match, times: { atLeast: 0 } })).actual
    expect([await count({ headers: { 'x-empty': '' } }), await count({ headers: { 'x-other': '' } })]).toEqual([1, 0])
    expect([await count({ query: { invoice: '' } }), await count({ query: { after: '' } })]).toEqual([1, 0])
  })
})
