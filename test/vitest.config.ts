import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { browserScripts } from '../.build/browser-scripts.js'

// Node reads these certificates at each start of a process, and no test calls another machine.
delete process.env.NODE_EXTRA_CA_CERTS

const workflowParser = '@actions/workflow-parser'

/** The files that take longest. They start first, so that no worker is left with one of them at the end. */
const longest = [
  'cli/explore',
  'compare/command',
  'explore/corpus',
  'documented',
  'cli/stop',
  'canaries',
  'model.test',
  'compare.test',
  'traffic/events',
  'api/',
  'cli/',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((part) => moduleId.includes(part))
      return found < 0 ? longest.length : found
    }
    // oxlint-disable-next-line no-array-sort -- a method of the base class, not of an array
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  plugins: [
    browserScripts(),
    {
      name: 'workflow-parser',
      enforce: 'pre',
      // Its maps lead to sources that it does not ship, and each would be a warning.
      load: (id) =>
        id.includes(workflowParser) && id.endsWith('.js')
          ? readFileSync(id, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
          : undefined,
    },
  ],
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: process.env.SLOW_TESTS ? [] : ['test/**/*.slow.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/chromium.ts'],
    setupFiles: ['test/support/cases.ts', 'test/support/rejections.ts', 'test/support/control-responses.ts'],
    // No test depends on the speed of the machine: these limits end a test that hangs.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // One line for each file; of slow tests and of what passing tests print, nothing.
    reporters: 'default',
    slowTestThreshold: Infinity,
    silent: 'passed-only',
    expect: { poll: { timeout: 30_000 } },
    // It imports JSON in a way that only bundlers understand.
    server: { deps: { inline: [workflowParser] } },
    // Most of the time is waiting: for children, sockets and a browser.
    maxWorkers: 3,
    // Tests create much that is soon garbage: a larger young generation takes a twentieth of their time away.
    execArgv: ['--max-semi-space-size=32'],
    sequence: { sequencer: LongestFirst },
    // Each test makes its own mock, and modules keep nothing of one: to load them anew for each file took a fifth of the time.
    isolate: false,
  },
})
