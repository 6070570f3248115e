import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareTexts } from '../../src/domain/ordered-set.ts'
import { sortedByText } from '../../src/domain/sorted-by-text.ts'

const elementsOf = (texts: readonly string[]) => texts.map((text, place) => ({ text, place }))

const expectSorted = (texts: readonly string[]) => {
  const elements = elementsOf(texts)
  const expected = elements.toSorted((a, b) => compareTexts(a.text, b.text))
  expect(sortedByText(elements, (element) => element.text)).toEqual(expected)
}

// Any code unit, halves of a pair included, and few of them, so that texts begin alike, or are the same.
const unit = fc.oneof(
  fc.constantFrom('a', 'b'),
  fc.nat(0x7f).map((code) => String.fromCharCode(code)),
  fc.nat(0xffff).map((code) => String.fromCharCode(code)),
  fc.constantFrom('\0', '\uD83D', '\uDE00', '\uFFFF', '😀', 'é'),
)
const anyText = (char: fc.Arbitrary<string>) => fc.array(char, { maxLength: 12 }).map((chars) => chars.join(''))
const text = fc.oneof(anyText(fc.constantFrom('a', 'b')), anyText(unit))

it('is ordered as by comparing code units, and what has the same text stays as it stood', () => {
  const texts = fc.array(text, { minLength: 0, maxLength: 150, size: 'max' })
  // What begins with the same for long, or is the same but for its end.
  const alike = fc.tuple(text, texts, text).map(([start, all, end]) => all.map((one) => start.repeat(3) + one + end))
  fc.assert(fc.property(fc.oneof(texts, alike), expectSorted), { numRuns: 300 })
})

it.each([
  ['more than one number can tell apart', (i: number) => `usr_${'x'.repeat(40)}${(i * 7919) % 5000}`],
  ['a few groups of many', (i: number) => ['canceled', 'active', 'completed', ''][i % 4]!],
  ['one within the other', (i: number) => 'a'.repeat((i * 7919) % 300)],
  ['of all units there are', (i: number) => String.fromCharCode((i * 7919) % 0x10000, (i * 31) % 0x10000)],
  ['in the order already', (i: number) => String(100_000 + i)],
  ['in the other order', (i: number) => String(100_000 - i)],
  ['all the same', () => 'same'],
  ['all empty but one', (i: number) => (i === 10 ? 'a' : '')],
])('orders thousands of texts: %s', (_, textAt) => {
  expectSorted(Array.from({ length: 5000 }, (_, i) => textAt(i)))
})

it('asks for each text once', () => {
  let asked = 0
  sortedByText(
    Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_000),
    (i) => {
      asked++
      return `row_${i}`
    },
  )
  expect(asked).toBe(10_000)
})

it.each([[[]], [['a']], [['a', 'a', 'b', 'c']]])('is what it is given where that is in order: %j', (texts) => {
  expect(sortedByText(texts, (one) => one)).toBe(texts)
})
