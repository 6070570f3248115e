/** What test runners print for a rejected control command, in their own processes and with the packed mock. */
import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Folder, installedFolder, root } from '../../support/installed.ts'

let folder: Folder
beforeAll(() => {
  folder = installedFolder()
})
afterAll(() => folder.remove())

const runners = [
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', '--no-color', 'vitest.test.js']],
  ['node-test', ['--test', '--test-reporter=spec', 'node-test.test.js']],
  ['node-test', ['--test', '--test-reporter=tap', 'node-test.test.js']],
] as const

describe.each(runners)('%s %j', (suite, args) => {
  const source = join(root, 'test/integrations/runners/suite', `${suite}.js`)
  const lines = readFileSync(source, 'utf8').split('\n')
  let output: string
  beforeAll(async () => {
    copyFileSync(source, join(folder.path, `${suite}.test.js`))
    // A test runner of Node that finds this variable reports to its parent, and prints nothing.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    output = await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder.path, env }, (_, stdout, stderr) => resolve(stdout + stderr))
    })
  })

  const calls = ['.users.get(', "connect(url).project('acme').users", 'requests.verify']
  it.each(calls)('prints the line of the rejected call %s, and none of the package', (call) => {
    const line = lines.findIndex((text) => text.includes(call) && text.includes('await')) + 1
    expect(output).toContain(`${suite}.test.js:${line}:`)
    expect(output).not.toContain('node_modules/paylink-mock')
  })

  it('prints the nearest request of a failed verification', () => {
    const nearest = "The nearest request: GET /projects/acme/users (200), where query.limit is '5', not '6'."
    expect(output.replaceAll("\\'", "'").replaceAll("''", "'")).toContain(nearest)
  })
})
