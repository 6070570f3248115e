import { expect, it } from 'vitest'
import { isRecord, omitUndefined } from '../../../src/schema/json-value.ts'

it.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['a', false],
])('whether %j is a record: %s', (value, expected) => {
  expect(isRecord(value)).toBe(expected)
})

it('omits fields that are undefined, and keeps those that are null or empty', () => {
  expect(Object.entries(omitUndefined({ a: undefined, b: null, c: '', d: 0 }))).toEqual([
    ['b', null],
    ['c', ''],
    ['d', 0],
  ])
})

it('returns the same object if no field is undefined', () => {
  const fields = { a: null }
  expect(omitUndefined(fields)).toBe(fields)
})
