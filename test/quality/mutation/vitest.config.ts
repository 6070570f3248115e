// The tests of a tree with mutants: quick files first, because the first failure ends the run.
import { mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import config from '../../vitest.config.ts'

class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- a method of the base class, not of an array
    return (await super.sort(files)).toReversed()
  }
}

const { BUILDS } = process.env
if (!BUILDS) config.test!.globalSetup = ['test/support/chromium.ts']

export default mergeConfig(config, {
  // The copied tree shares its packages with the checkout, whose cache must stay as it is.
  cacheDir: 'coverage/mutation',
  test: {
    // A test that a mutant blocks ends soon, and a mutant that blocks the process ends with the time limit of its run.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 1,
    sequence: { sequencer: ShortestFirst },
  },
})
