import { expect, it } from 'vitest'
import { countSteps } from '../../../src/domain/seeding.ts'
import { createStore } from '../../support/store.ts'

it('reports the progress of creation in steps of ten thousand records', () => {
  const reported: number[] = []
  createStore({
    seed: { projects: { acme: { generate: { users: 20_001 } } } },
    systemNow: () => 0,
    onProgress: (records) => reported.push(records),
  })
  expect(reported.slice(0, 2)).toEqual([10_000, 10_000])
  expect(reported.slice(2, 5)).toEqual([20_001, 20_001, 20_001])
})

it('counts each record once for its creation, and once for each order', () => {
  const link = { invoice: 'inv_1' }
  const generate = { users: 10, paymentLinks: { active: 1, completed: 2, canceled: 3 } }
  const seed = { projects: { acme: { users: [{ email: 'a@b' }], paymentLinks: [link, link], generate }, other: {} } }
  const [users, links] = [1 + 10, 2 + 1 + 2 + 3]
  let reported = 0
  createStore({ seed, systemNow: () => 0, onProgress: (records) => (reported += records) })

  expect(countSteps(seed)).toBe(users * 4 + links * 5)
  // The creation of so few records is not reported.
  expect(reported).toBe(users * 3 + links * 4)
  expect(countSteps({})).toBe(0)
})
