import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLastLines } from '../../src/node/program.ts'

const read = (chunks: readonly string[]): string[] => {
  const lines = createLastLines()
  for (const chunk of chunks) lines.add(chunk)
  return lines.list()
}

/** A text, and the places at which a pipe cuts it. */
const cutText = fc
  .array(fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\t', '\u001b[31m'), { maxLength: 60 })
  .chain((parts) => fc.record({ text: fc.constant(parts.join('')), cuts: fc.array(fc.nat(80), { maxLength: 6 }) }))

it('the last lines of a program are the same wherever a pipe cuts its output', () => {
  fc.assert(
    fc.property(cutText, ({ text, cuts }) => {
      const places = [0, ...cuts.map((place) => Math.min(place, text.length)).toSorted((a, b) => a - b), text.length]
      const chunks = places.slice(1).map((end, index) => text.slice(places[index], end))
      expect(chunks.join('')).toBe(text)
      expect(read(chunks)).toEqual(read([text]))
    }),
  )
})

it.each([
  [
    ['one li', 'ne\nanother'],
    ['one line', 'another'],
  ],
  [
    ['one\r', '\ntwo\r\n'],
    ['one', 'two'],
  ],
  [['', 'a', '', 'b', '\n'], ['ab']],
  [['x'.repeat(400), 'y'.repeat(400)], [`${'x'.repeat(400)}${'y'.repeat(100)}`]],
  [Array.from({ length: 50 }, (_, index) => `${index}\n`), Array.from({ length: 20 }, (_, index) => `${index + 30}`)],
])('the last lines of %j are %j', (chunks, lines) => {
  expect(read(chunks)).toEqual(lines)
})
