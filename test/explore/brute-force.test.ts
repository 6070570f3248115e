import { it } from 'vitest'
import { interleavePrograms } from '../../src/extensions/explore/programs/interleave-programs.ts'
import { compareWithBruteForce } from './support/brute-force.ts'
import { searchInProcess } from './support/drawn-programs.ts'
import { interleaveProcesses } from './support/processes.ts'
import { compareBothWays } from './support/two-ways.ts'

it('explore finds the failures that brute force finds, over 8 programs', () => compareWithBruteForce(8))

it('interleave finds the same failing orders of clients and of programs, over 15 pairs', () =>
  compareBothWays(15, ([a, b], options) => interleavePrograms({ ...searchInProcess({ a, b }, options), faults: 0 })))

it('interleave finds the same failing orders of clients and of processes, over one pair', () =>
  compareBothWays(1, interleaveProcesses))
