import { it } from 'vitest'
import { compareWithBruteForce } from './support/brute-force.ts'
import { interleaveProcesses } from './support/processes.ts'
import { compareBothWays } from './support/two-ways.ts'

// In parts, because a test has a time limit.
it.each([1, 2, 3, 4])('explore finds the failures that brute force finds, over 100 programs: %i of 4', (seed) =>
  compareWithBruteForce(100, { seed }),
)

it.each([1, 2, 3, 4, 5])(
  'interleave finds the same orders of clients and of processes, over 20 pairs: %i of 5',
  (seed) => compareBothWays(20, interleaveProcesses, { seed }),
)
