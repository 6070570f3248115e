// The tests of a tree with mutants: quick files first, because the first failure ends the run.
import { existsSync, readFileSync } from 'node:fs'
import { mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import config from '../../vitest.config.ts'

const root = new URL('../../../', import.meta.url).pathname
const orderFile = `${root}coverage/order.json`

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order: string[] = existsSync(orderFile) ? JSON.parse(readFileSync(orderFile, 'utf8')) : []
    const rank = ({ moduleId }: TestSpecification) => order.indexOf(moduleId.slice(root.length))
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

const { BUILDS, HITS, CHANGES_PAGES } = process.env
if (HITS) config.test!.setupFiles = [config.test!.setupFiles!, 'test/quality/mutation/record-hits.ts'].flat()
if (!BUILDS) config.test!.globalSetup = ['test/support/chromium.ts']

export default mergeConfig(config, {
  // The copied tree shares its packages with the checkout, whose cache must stay as it is.
  cacheDir: 'coverage/mutation',
  test: {
    // A test that a mutant blocks ends soon, and a mutant that blocks the process ends with the time limit of its run.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    // Most of a run is the transformation of the same modules. A script of a page is no module of its own.
    experimental: { fsModuleCache: !CHANGES_PAGES },
    maxWorkers: 1,
    sequence: { sequencer: InOrder },
  },
})
