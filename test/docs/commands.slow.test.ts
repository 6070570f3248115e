import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it, expect, onTestFinished } from 'vitest'
import { readArgs } from '../../src/node/args.ts'
import { createMock, type Mock } from '../../src/node/index.ts'
import { type Folder, installedFolder } from '../support/installed.ts'
import { commandsByPage } from './pages.ts'

const run = promisify(execFile)

let folder: Folder
beforeAll(() => {
  folder = installedFolder()
})
afterAll(() => folder.remove())

describe('the shell commands of the guides', () => {
  // In the folder of the package, where the fixtures are. `explore.test.ts` runs the others. Another mock replaces the real service.
  it.each(commandsByPage(/^(npm start --|npx paylink-mock) (?!explore |interleave |compare )/))(
    'call the command line with success, in their order: $page',
    async ({ lines }) => {
      const service = createMock({ basePath: '/v1' })
      // `compare` writes this seed.
      writeFileSync(join(packageFolder(), 'behaviors.json'), '{ "behaviors": {} }')
      onTestFinished(() => service.close())
      for (const file of ['seed.json', 'behaviors.json'])
        onTestFinished(() => rmSync(join(packageFolder(), file), { force: true }))
      for (const line of lines) await runCommand(line, service)
    },
  )

  const packageFolder = () => join(folder.path, 'node_modules/paylink-mock')

  const runCommand = async (line: string, service: Mock): Promise<void> => {
    const { url } = await service.listen()
    const words = line
      .replace(/^(npm start --|npx paylink-mock) /, '')
      .replace(/https:\/\/api.example|http:\/\/127.0.0.1:4600/, url)
      .split(' ')
    const { command } = readArgs(words, {})
    const cwd = packageFolder()
    if (command === 'start') {
      // It runs until it is stopped, on a port that is free.
      const child = spawn(process.execPath, ['dist/node/cli.js', ...words, '--port', '0'], { cwd })
      const [ready] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      expect(String(ready), line).toMatch(/^paylink-mock ready on /)
      child.kill()
      await once(child, 'close')
      return
    }
    const options = { cwd, env: { ...process.env, PAYLINK_MOCK_TOKENS: 'any' } }
    await run(process.execPath, ['dist/node/cli.js', ...words], options)
  }
})
