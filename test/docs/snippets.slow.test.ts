import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Folder, installedFolder } from '../support/installed.ts'
import { compile, compileSnippets, filesOf } from './compiled.ts'

// No snippet depends on the speed of the machine.
const timeout = '900000'

const runners = {
  vitest: ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', '--pool=threads', '--testTimeout', timeout],
  playwright: ['node_modules/@playwright/test/cli.js', 'test', '--config', 'out.config.js', '--timeout', timeout],
}

describe('the TypeScript of the guides', () => {
  let folder: Folder
  beforeAll(async () => {
    folder = installedFolder()
    await compileSnippets(folder)
  })
  afterAll(() => folder.remove())

  it('compiles under moduleResolution bundler, too', async () => {
    await compile(folder, '--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler')
  })

  it.concurrent.each(filesOf('node'))('runs: %s', async (file) => {
    await promisify(execFile)(process.execPath, [file], { cwd: folder.path })
  })

  // One run for all: to start the runner costs more than any of them.
  it.concurrent.each(['vitest', 'playwright'] as const)('runs the tests that use %s', async (runner) => {
    const files = filesOf(runner)
    const args = [...runners[runner], ...files]
    if (files.length > 0) await promisify(execFile)(process.execPath, args, { cwd: folder.path })
  })
})
