import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { copyJson, isRecord, omitUndefined } from '../../src/core/schema/json-value.ts'

const throughJson = (value: unknown): unknown => {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : JSON.parse(text)
}

/** Any value that a caller in the same process can pass. */
const anything = fc.anything({
  key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', 'constructor', '0')),
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
  values: [
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, -0, () => 1, Symbol('s'), new String('boxed'), { toJSON: () => ['own'] }),
  ],
})

const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : [{ a: nested(depth - 1, inner) }])

describe('a copy', () => {
  it('equals a round trip through JSON for any value', () =>
    fc.assert(
      fc.property(anything, (value) => {
        expect(isDeepStrictEqual(copyJson(value), throughJson(value))).toBe(true)
      }),
    ))

  it.each([1, 8, 9, 40])('is deep: %i levels', (depth) => {
    const value = nested(depth, { date: new Date(0), none: undefined, list: [undefined, NaN] })
    expect(copyJson(value)).toStrictEqual(throughJson(value))
  })

  it('shares no object with the value', () => {
    const value = { list: [{ a: { b: 1 } }] }
    const copy = copyJson(value)
    expect([copy.list === value.list, copy.list[0] === value.list[0]]).toEqual([false, false])
    expect(copy.list[0]!.a).not.toBe(value.list[0]!.a)
  })

  it('stringifies only special values, so that no text is too long', () => {
    const stringify = vi.spyOn(JSON, 'stringify')
    const hostile = JSON.parse('{ "__proto__": "x" }') as object
    const value = { users: Array.from({ length: 100 }, () => ({ text: 'x'.repeat(1000), hostile, date: new Date(0) })) }
    try {
      copyJson(value)
      const lengths = stringify.mock.results.map(({ value: text }) => String(text).length)
      expect(Math.max(...lengths)).toBeLessThan(100)
    } finally {
      stringify.mockRestore()
    }
  })

  it('of a value without JSON throws, like JSON', () => {
    const endless: { self?: unknown } = {}
    endless.self = [endless]
    expect(() => copyJson(endless)).toThrow(TypeError)
    expect(() => copyJson({ big: 1n })).toThrow(TypeError)
  })
})

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
