// Stands in for the search for tokens where the tests are run thousands of times: it takes longer than many a test.
import { onTestFinished } from 'vitest'

export const token = 'canary-suite'
export const leaksIn = () => []
export const expectNoLeak = () => {}
export const closeSearched = (mock) => onTestFinished(() => mock.close())
