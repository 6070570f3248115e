import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const workflowParser = '@actions/workflow-parser'

export default defineConfig({
  plugins: [
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
    // The runner of Playwright takes half a minute to start: a script of its own.
    exclude: process.env.PLAYWRIGHT_RUNNER ? [] : ['test/playwright/**'],
    globalSetup: ['test/support/build.ts', 'test/support/chromium.ts'],
    setupFiles: ['test/support/cases.ts'],
    testTimeout: 20_000,
    // It imports JSON in a way that only bundlers understand.
    server: { deps: { inline: [workflowParser] } },
    // Most of the time is waiting: for children, sockets and a browser.
    maxWorkers: 3,
    // Each test makes its own mock, and modules keep nothing of one: to load them anew for each file took a fifth of the time.
    isolate: false,
  },
})
