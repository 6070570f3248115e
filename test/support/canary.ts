// Proves: Tokens.
import { expect, onTestFinished } from 'vitest'
import type { Mock } from '../../src/node/index.ts'

/** The token of the tests: it is unique, and must not be in any output. */
export const token = 'canary-suite'

// The part of the base64 text that is the same for every position of the secret.
const inBase64 = [0, 1, 2].map((before) => {
  const whole = btoa(`${'x'.repeat(before)}canary`)
  return whole.slice(before === 0 ? 0 : before + 1, Math.floor((before + 6) / 3) * 4)
})
const anyForm = new RegExp([`[Cc][Aa][Nn][Aa][Rr][Yy]|63616[Ee]617279`, ...inBase64].join('|'), 'g')

/** The excerpts of a text with a secret in any encoding. */
export const findLeaks = (text: string): string[] =>
  [...text.matchAll(anyForm)].map(({ index }) => text.slice(Math.max(0, index - 60), index + 60))

/** Expects a response to contain no secret. */
export const expectNoLeak = (headers: Headers, text: string): void => {
  expect(findLeaks(`${JSON.stringify([...headers])} ${text}`), 'a token in a response').toEqual([])
}

// To export and search more than this would take longer than the test that made it.
const manyRecords = 1000

/** Closes a mock after its test, and searches all its output for the token. */
export const closeSearched = (mock: Mock): void =>
  onTestFinished(async () => {
    const parts = [
      mock.requests.list(),
      mock.violations.list(),
      mock.assumptions(),
      mock.faults.list(),
      mock.tokens.get(),
    ]
    const records = (await mock.projects()).reduce((sum, { users, paymentLinks }) => sum + users + paymentLinks, 0)
    const state = records < manyRecords ? [mock.state.get(), mock.snapshots.list()] : []
    const documents: unknown = await Promise.all<unknown>([...parts, ...state])
    expect(findLeaks(JSON.stringify(documents)), 'a token in a document of the mock').toEqual([])
    await mock.close()
  })
