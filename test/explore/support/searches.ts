import * as searches from '../../../src/explore/index.ts'

// By default a search ends after four seconds of real time. A test gives the same result on a slow machine: it sets no
// `budget` unless it is about one.
const unlimited = { budget: null }

export const explore: typeof searches.explore = (options) => searches.explore({ ...unlimited, ...options })
export const interleave: typeof searches.interleave = (options) => searches.interleave({ ...unlimited, ...options })
