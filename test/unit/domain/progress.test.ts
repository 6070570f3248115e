import { expect, it } from 'vitest'
import { counting, workOf } from '../../../src/domain/progress.ts'
import { createStore } from '../../support/store.ts'

it('counts one by one, and tells of ten thousand at a time', () => {
  const told: number[] = []
  const tell = counting((rows) => told.push(rows))
  for (let i = 0; i < 9_999; i++) tell()
  expect(told).toEqual([])
  for (let i = 0; i < 10_001; i++) tell()
  expect(told).toEqual([10_000, 10_000])
})

it('counts for nobody, too', () => {
  const tell = counting(undefined)
  for (let i = 0; i < 10_000; i++) tell()
  expect(tell()).toBeUndefined()
})

it('knows how much there is to tell of: each row once by itself, and once for each order it stands in', () => {
  const link = { invoice: 'inv_1' }
  const generate = { users: 10, paymentLinks: { active: 1, completed: 2, canceled: 3 } }
  const seed = { projects: { acme: { users: [{ email: 'a@b' }], paymentLinks: [link, link], generate }, other: {} } }
  const [users, links] = [1 + 10, 2 + 1 + 2 + 3]
  let told = 0
  createStore({ seed, systemNow: () => 0, onProgress: (rows) => (told += rows) })

  expect(workOf(seed)).toBe(users * 4 + links * 5)
  // To make so few rows is not told of by itself.
  expect(told).toBe(users * 3 + links * 4)
  expect(workOf({})).toBe(0)
})
