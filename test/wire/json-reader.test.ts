import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../support/refusal-of.ts'
import { documentDepth, refusing, repeatedIn, WrongJson } from '../../src/wire/json.ts'
import { JsonReader } from '../../src/wire/json-reader.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Cut {
  /** The bytes of a part. */
  readonly most: number
  /** The bytes that come at once. */
  readonly chunk: number
  readonly mostDepth?: number
}

const read = (bytes: Uint8Array, { most, chunk, mostDepth = Infinity }: Cut): unknown => {
  const reader = new JsonReader({ mostDepth, most })
  for (let at = 0; at < bytes.length; at += chunk) reader.take(bytes.subarray(at, at + chunk))
  return reader.end()
}

const cuts = fc.record({ most: fc.integer({ min: 1, max: 60 }), chunk: fc.integer({ min: 1, max: 80 }) })
const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })

/** Every way to cut a short text. */
const allCuts = (length: number): Cut[] =>
  Array.from({ length }, (_, most) =>
    Array.from({ length }, (__, chunk) => ({ most: most + 1, chunk: chunk + 1 })),
  ).flat()

describe('what comes in chunks', () => {
  it('is read as it is read at once, however it is cut', () => {
    fc.assert(
      fc.property(value, cuts, fc.constantFrom(undefined, 1, '\t', '\r\n'), (given, cut, indent) => {
        const text = ` ${JSON.stringify(given, null, indent)}\n`
        expect(JSON.stringify(read(bytesOf(text), cut))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })

  it('is refused as it is at once, however it is cut', () => {
    const spoilt = fc
      .tuple(value, fc.nat(), fc.constantFrom('', ',', ':', '"', '{', '}', '[', ']', '\\', '1', ' ', 'x'))
      .map(([given, place, char]) => {
        // By whole characters: half of one is none that bytes could hold.
        const text = Array.from(JSON.stringify(given))
        return text.with(place % text.length, char).join('')
      })
    fc.assert(
      fc.property(spoilt, cuts, (text, cut) => {
        // What is spoilt may be a name, and then the same as another.
        fc.pre(repeatedIn(text) === undefined)
        expect(outcome(() => read(bytesOf(text), cut))).toEqual(outcome(() => JSON.parse(text)))
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    '{"a":1} {}',
    '[1] 2',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    '{1:1}',
    '{[]:1}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '[1 2]',
    '[1:2]',
    '{"a":',
    '{"a":1',
    '{"a"',
    '["a',
    '["a\\',
    '[1',
    '[{]}',
    '\u{feff}\u{feff}1',
    '[\u{feff}1]',
    ' ',
  ])('is refused however it is cut: %s', (text) => {
    const bytes = bytesOf(text)
    for (const cut of allCuts(bytes.length))
      expect(() => read(bytes, cut), JSON.stringify(cut)).toThrow(new WrongJson('notJson'))
  })

  it.each(['{"a":1,"a":2}', '{"a":1,"b":{},"\\u0061":2}', '[{"b":0},{"a":1,"a":2}]', '{"b":{"c":[1,{"a":1,"a":2}]}}'])(
    'has no key twice, however it is cut: %s',
    (text) => {
      for (const cut of allCuts(text.length))
        expect(
          outcome(() => read(bytesOf(text), cut)),
          JSON.stringify(cut),
        ).toEqual({ why: 'keyTwice', key: '"a"' })
    },
  )

  it.each(['{"tokens":[{"a":1,"a":2}]}', '{"b":{"headers":{"x":[[{"a":{},"a":2}]]}}}', '{"token":{"a":1,"a":2}}'])(
    'does not name a duplicate key that may be a secret, however it is cut: %s',
    (text) => {
      for (const cut of allCuts(text.length))
        expect(
          outcome(() => read(bytesOf(text), cut)),
          JSON.stringify(cut),
        ).toEqual({ why: 'keyTwice', key: '' })
    },
  )

  it.each(['{"tokens":[],"a":1,"a":2}', '{"b":{"tokens":{}},"a":{"a":1,"a":2}}', '[{"tokens":1},{"a":1,"a":2}]'])(
    'names a duplicate key beside secrets, however it is cut: %s',
    (text) => {
      for (const cut of allCuts(text.length))
        expect(
          outcome(() => read(bytesOf(text), cut)),
          JSON.stringify(cut),
        ).toEqual({ why: 'keyTwice', key: '"a"' })
    },
  )

  it.each([
    ['[[[1]]]', 3],
    ['{"a":{"b":{}}}', 3],
    ['[1,[{"a":[2]}],3]', 4],
  ])('nests as deep as it may, and no deeper, however it is cut: %s', (text, depth) => {
    for (const cut of allCuts(text.length)) {
      expect(read(bytesOf(text), { ...cut, mostDepth: depth })).toEqual(JSON.parse(text))
      expect(outcome(() => read(bytesOf(text), { ...cut, mostDepth: depth - 1 }))).toEqual({ why: 'tooDeep', key: '' })
    }
  })

  it('is refused in no time when it nests a million levels deep', () => {
    const bytes = bytesOf('{"a":['.repeat(2e6))
    const reader = new JsonReader({ mostDepth: 128 })
    reader.take(bytes)
    expect(() => reader.end()).toThrow(new WrongJson('tooDeep'))
  })

  it('is refused when it is not UTF-8, wherever that stands', () => {
    const bytes = Uint8Array.of(...bytesOf('["a","b'), 0xff, ...bytesOf('","c"]'))
    for (const cut of allCuts(bytes.length)) {
      expect(outcome(() => read(bytes, cut))).toEqual({ why: 'notUtf8', key: '' })
    }
  })

  it('may begin with a byte order mark, and may have one in a text', () => {
    const bytes = bytesOf('\u{feff}{"a":"\u{feff}b"}')
    for (const cut of allCuts(bytes.length)) expect(read(bytes, cut)).toEqual({ a: '\u{feff}b' })
  })

  it('is refused as a body in words that name what is wrong, and quotes what it is given', () => {
    const said = (wrong: WrongJson, text?: string) => {
      const refused = refusalOf(() => refusing(() => throwIt(wrong), documentDepth, text))
      return [refused.code, refused.message]
    }
    expect(said(new WrongJson('notUtf8'))).toEqual(['malformedBody', 'The request body is not UTF-8.'])
    expect(said(new WrongJson('tooDeep'))).toEqual(['malformedBody', 'The request body nests deeper than 128 levels.'])
    expect(said(new WrongJson('notJson'))).toEqual(['malformedBody', 'The request body is not JSON.'])
    expect(said(new WrongJson('notJson'), '{')).toEqual(['malformedBody', 'The request body is not JSON (got {).'])
    expect(said(new WrongJson('keyTwice', '"a"'))[1]).toBe('The request body has the key "a" twice in one object.')
    expect(new WrongJson('notJson').name).toBe('WrongJson')
  })

  it('keeps a key named __proto__ as data', () => {
    const read1 = read(bytesOf('{"__proto__":{"polluted":true}}'), { most: 1, chunk: 1 }) as object
    expect(Object.keys(read1)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(read1)).toBe(Object.prototype)
  })

  it('is parsed by whoever asks for it where it is no longer than a part', () => {
    const readerOf = () => new JsonReader({ mostDepth: 1, most: 4, whole: (bytes) => `${bytes.length} bytes` })
    const [short, long] = [readerOf(), readerOf()]
    for (const char of '[12]') short.take(bytesOf(char))
    for (const char of '[123]') long.take(bytesOf(char))
    expect([short.end(), long.end()]).toEqual(['4 bytes', [123]])
  })
})

function throwIt(wrong: WrongJson): never {
  throw wrong
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof WrongJson && error.why !== 'notJson') return { why: error.why, key: error.key }
    return 'not JSON'
  }
}
