import * as fc from 'fast-check'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sha256 } from '../../../src/domain/sha256.ts'

const expected = (text: string) => createHash('sha256').update(text).digest('hex')

// Around the ends of the first blocks the padding differs.
it.each(Array.from({ length: 130 }, (_, length) => length))('returns the SHA-256 of a text of %i bytes', (length) => {
  const text = 'a'.repeat(length)
  expect(sha256(text)).toBe(expected(text))
})

it('returns the SHA-256 of any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256(text) === expected(text)))
})
