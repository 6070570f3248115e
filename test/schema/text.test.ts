import { expect, it } from 'vitest'
import { MockError } from '../../src/schema/error.ts'
import { quote } from '../../src/schema/problem.ts'
import { cut, findNearest, formatSeconds, shorten, toWellFormed } from '../../src/schema/text.ts'

it.each([
  ['ada', 5, 'ada'],
  ['ada', 3, 'ada'],
  ['ada', 2, 'ad'],
  ['ada', 0, ''],
  ['a💳b', 4, 'a💳b'],
  ['a💳b', 3, 'a💳'],
  ['a💳b', 2, 'a'],
  ['💳', 1, ''],
])('cuts %o to %i characters, and never half a character', (text, max, expected) => {
  expect(cut(text, max)).toBe(expected)
  expect(shorten(text, max)).toBe(expected === text ? text : `${expected}...`)
})

it('replaces lone surrogates, and keeps pairs', () => {
  expect(toWellFormed('a\ud83d 💳 \udcb3')).toBe('a\ufffd 💳 \ufffd')
  expect(shorten('a\ud83d', 5)).toBe('a\ufffd')
  expect(quote('\udcb3')).toBe("'\ufffd'")
})

it('never has a lone surrogate in an error', () => {
  const details = [{ path: 'metadata.\ud83d', message: 'metadata.\ud83d is wrong.' }]
  const error = new MockError('invalidBody', 'No \ud83d.', { hint: 'Send no \udcb3.', details })
  expect(error.message).toBe('No \ufffd.')
  expect(error.toJSON()).toMatchObject({
    message: 'No \ufffd.',
    hint: 'Send no \ufffd.',
    details: [{ path: 'metadata.\ufffd', message: 'metadata.\ufffd is wrong.' }],
  })
})

it.each<[word: string, candidates: string[], nearest: string | undefined]>([
  ['token', ['adminToken', 'host'], 'adminToken'],
  // Two names with the same ending: either may be meant.
  ['token', ['adminToken', 'clientToken'], undefined],
  ['token', ['clientToken', 'adminToken'], undefined],
  ['tokn', ['adminToken', 'clientToken', 'token'], 'token'],
  ['nothing', ['adminToken', 'clientToken'], undefined],
])('suggests for %o among %j: %o', (word, candidates, nearest) => {
  expect(findNearest(word, candidates)).toBe(nearest)
})

it('formats a time for people', () => {
  expect(formatSeconds('2025-01-01T12:00:00.123Z')).toBe('2025-01-01 12:00:00')
})

it.each([
  ['a word of 64 characters', 'a'.repeat(64), 'a'.repeat(63), true],
  ['a longer word', 'a'.repeat(65), 'a'.repeat(64), false],
  ['a word that lacks 16 letters', 'x'.repeat(44), 'x'.repeat(44) + 'y'.repeat(16), true],
  ['a word that lacks more', 'x'.repeat(40), 'x'.repeat(40) + 'y'.repeat(20), false],
])('compares %s with a candidate, if it may be misspelled', (_, word, candidate, isFound) => {
  expect(findNearest(word, [candidate])).toBe(isFound ? candidate : undefined)
})
