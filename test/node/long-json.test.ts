import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseLong, RepeatedKey } from '../../src/node/long-json.ts'
import { repeatedIn } from '../../src/wire/json.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
const most = fc.integer({ min: 1, max: 60 })
const space = fc.constantFrom(undefined, 1, '\t', '\n')

const outcome = (parse: () => unknown): unknown => {
  try {
    return { value: parse() }
  } catch (error) {
    return (error as Error).name
  }
}

it('a long text is read in parts as it is read at once', () => {
  fc.assert(
    fc.property(value, most, space, (given, parts, indent) => {
      const text = ` ${JSON.stringify(given, null, indent)}\n`
      expect(parseLong(bytesOf(text), parts)).toEqual(JSON.parse(text))
    }),
  )
})

it('what is no JSON is refused in parts as it is at once', () => {
  const spoilt = fc
    .tuple(value, fc.nat(), fc.constantFrom('', ',', ':', '"', '{', '}', '[', ']', '\\', '1', ' ', 'x'))
    .map(([given, place, char]) => {
      // By whole characters: half of one is none that bytes could hold.
      const text = Array.from(JSON.stringify(given))
      return text.with(place % text.length, char).join('')
    })
  fc.assert(
    fc.property(spoilt, most, (text, parts) => {
      // What is spoilt may be a name, and then the same as another.
      fc.pre(repeatedIn(text) === undefined)
      expect(outcome(() => parseLong(bytesOf(text), parts))).toEqual(outcome(() => JSON.parse(text)))
    }),
    { numRuns: 1000 },
  )
})

it.each(['{"a":1,"a":2}', '{"a":1,"b":{},"\\u0061":2}', '[{"b":0},{"a":1,"a":2}]', '{"b":{"c":[1,{"a":1,"a":2}]}}'])(
  'refuses a key that stands twice, in parts of any size: %s',
  (text) => {
    for (let parts = 1; parts <= text.length; parts++)
      expect(() => parseLong(bytesOf(text), parts), `${parts}`).toThrow(new RepeatedKey('"a"'))
  },
)

it.each([
  '{"a":1} {}',
  '[1] 2',
  '[1,]',
  '[,1]',
  '{"a":1,}',
  '{,}',
  '{a:1}',
  '{"a" 1}',
  '[1 2]',
  '{"a":',
  '["a',
  '[1',
  '',
])('refuses %s', (text) => {
  expect(() => parseLong(bytesOf(text), 1)).toThrow(SyntaxError)
})
