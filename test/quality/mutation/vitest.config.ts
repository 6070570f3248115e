// The tests of a tree with mutants, in the order in which they are given.
import { mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import config from '../../vitest.config.ts'

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

config.test!.setupFiles = ['test/quality/mutation/record-hits.ts', config.test!.setupFiles!].flat()
// The mutants are built by the run itself.
config.test!.globalSetup = ['test/support/chromium.ts']

export default mergeConfig(config, {
  // The copied tree shares its packages with the checkout, whose cache must stay as it is.
  cacheDir: 'coverage/mutation',
  test: {
    // A test that a mutant blocks ends soon, and a mutant that blocks the process ends with the time limit of its run.
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 1,
    sequence: { sequencer: InOrder, setupFiles: 'list' },
    update: 'none',
  },
})
