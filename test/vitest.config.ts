import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 20_000,
    // Most of the time is waiting: for children, sockets and a browser.
    maxWorkers: 2,
  },
})
