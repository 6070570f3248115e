// Runs tests of a tree, in one vitest that stays: it keeps what it has transformed, and each run has a process of its own.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createVitest } from 'vitest/node'
import { hitsFile } from './coverage.js'

/**
 * Tests by their files: the ids of those to run, or undefined for all of a file.
 *
 * @typedef {Map<string, readonly string[] | undefined>} Tests
 */

export const createRunner = async (tree) => {
  const failures = []
  const times = new Map()
  const fileOf = (module) => relative(tree, module.moduleId)
  const reporter = {
    onTestCaseResult: (test) => {
      const { duration = 0 } = test.diagnostic() ?? {}
      times.set(test.id, duration)
      if (test.result().state === 'failed') failures.push({ file: fileOf(test.module), id: test.id, name: test.name })
    },
    onTestModuleEnd: (module) => {
      const known = failures.some(({ file }) => file === fileOf(module))
      if (module.state() === 'failed' && !known) failures.push({ file: fileOf(module), name: 'the file' })
    },
  }
  const options = { root: tree, config: 'test/quality/mutation/vitest.config.ts', watch: true, reporters: [reporter] }
  const vitest = await createVitest('test', options, { server: { watch: null } })
  const [project] = vitest.projects

  return {
    /** How long each test took when it ran last, in milliseconds, by id. */
    times,

    list: async (paths) => (await vitest.globTestSpecifications(paths)).map((module) => fileOf(module)),

    /**
     * @param {Tests} tests
     * @returns the failures. One without a file is of the run as a whole.
     */
    run: async (tests, { bail = 0, limit = 3_600_000, testTimeout = 120_000 } = {}) => {
      if (tests.size === 0) return []
      Object.assign(project.config, { bail, testTimeout })
      failures.length = 0
      const specs = [...tests].map(([file, testIds]) => project.createSpecification(join(tree, file), { testIds }))
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        process.kill(Number(readFileSync(join(tree, `${hitsFile}.pid`), 'utf8')), 'SIGKILL')
      }, limit)
      const { unhandledErrors } = await vitest.runTestSpecifications(specs).finally(() => clearTimeout(timer))
      process.exitCode = 0
      if (isLate) return [{ name: 'the time limit' }]
      if (failures.length === 0 && unhandledErrors.length > 0) return [{ name: 'an unhandled error' }]
      return [...failures]
    },

    /** Reads a file again, and each script of a page, which may contain it. */
    invalidate: (file) => {
      for (const { moduleGraph } of Object.values(project.vite.environments))
        for (const module of moduleGraph.idToModuleMap.values())
          if (module.file === join(tree, file) || module.id?.includes('?script')) moduleGraph.invalidateModule(module)
    },

    close: () => vitest.close(),
  }
}
