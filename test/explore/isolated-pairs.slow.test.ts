import { it } from 'vitest'
import { comparePairs } from './support/pairs.ts'

// In parts, because a test has a time limit: 5,000 pairs in all.
it.each([1, 2, 3, 4, 5])('`isolated` reaches the outcomes of both orders, over 1,000 pairs: %i of 5', (seed) =>
  comparePairs(1000, { seed }),
)
