/**
 * Checks every response of the control API that a test receives with `fetch` against the document of the control API.
 * A setup file: no suite has to remember it.
 */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { observed, getProblems } from './observe-control.ts'

const unobserved = globalThis.fetch

beforeAll(() => {
  globalThis.fetch = observed(unobserved)
})

afterEach(async () => {
  const problems = await getProblems()
  if (problems.length > 0)
    throw new Error(`The document of the control API does not allow these responses:\n${problems.join('\n')}`)
})

afterAll(() => {
  globalThis.fetch = unobserved
})
