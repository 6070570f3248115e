import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMistake } from '../../src/node/json-mistake.ts'

describe('findMistake', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['hello', 0],
    ['tru', 0],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[,1]', 1],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{}}', 2],
    ['1 2', 2],
    ['[01]', 2],
    ['[1.]', 2],
    ['["a\nb"]', 1],
    ['["\\x"]', 1],
    ["{'a':1}", 1],
    ['[NaN]', 1],
    ['[TRUE]', 1],
    ['[1] // note', 4],
  ])('returns the index of the mistake in %j', (text, index) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(findMistake(text)).toBe(index)
  })

  it('returns the length of JSON, and of JSON without its last bracket', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findMistake(text)).toBe(text.length)
        if (/[}\]]$/.test(text)) expect(findMistake(text.slice(0, -1))).toBe(text.length - 1)
      }),
      { numRuns: 200 },
    )
  })
})
