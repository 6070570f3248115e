import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it, expect, onTestFinished } from 'vitest'
import { skipped } from '../support/browser.ts'
import { executablePath } from '../support/chromium-path.js'
import { flags } from '../support/chromium.ts'
import { type Folder, installedFolder, root } from '../support/installed.ts'
import { readArgs } from '../../src/command-line/args.ts'
import { createMock, type Mock } from '../../src/node/index.ts'
import { type Block, blocks, commandsByPage } from './pages.ts'
import { exec } from '../support/exec.ts'

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
    await exec(process.execPath, [file], { cwd: folder.path })
  })

  // One run for all: to start the runner costs more than any of them.
  it.concurrent.each(['vitest', 'playwright'] as const)('runs the tests that use %s', async (runner) => {
    const files = filesOf(runner)
    const args = [...runners[runner], ...files]
    if (files.length > 0) await exec(process.execPath, args, { cwd: folder.path })
  })
})

let packageHolder: Folder
beforeAll(() => {
  packageHolder = installedFolder()
})
afterAll(() => packageHolder.remove())

describe('the shell commands of the guides', () => {
  // In the folder of the package, where the fixtures are. `explore.test.ts` runs the others. Another mock replaces the real service.
  const pagesWithCommands = commandsByPage(/^(npm start --|npx paylink-mock) (?!explore |interleave |compare )/)
  it.each(pagesWithCommands)('call the command line with success, in their order: $page', async ({ lines }) => {
    const service = createMock({ basePath: '/v1' })
    // `compare` writes this seed.
    writeFileSync(join(packageFolder(), 'behaviors.json'), '{ "behaviors": {} }')
    onTestFinished(() => service.close())
    for (const file of ['seed.json', 'behaviors.json'])
      onTestFinished(() => rmSync(join(packageFolder(), file), { force: true }))
    for (const line of lines) await runCommand(line, service)
  })

  const packageFolder = () => join(packageHolder.path, 'node_modules/paylink-mock')

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
      const child = spawn(process.execPath, ['dist/cli/cli.js', ...words, '--port', '0'], { cwd })
      const [ready] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      expect(String(ready), line).toMatch(/^paylink-mock ready on /)
      child.kill()
      await once(child, 'close')
      return
    }
    const options = { cwd, env: { ...process.env, PAYLINK_MOCK_TOKENS: 'any' } }
    await exec(process.execPath, ['dist/cli/cli.js', ...words], options)
  }
})

type Runner = 'node' | 'vitest' | 'playwright' | 'none'

const snippets = blocks('ts')

/** Writes the TypeScript of the guides to a folder, and compiles it. */
const compileSnippets = async (folder: Folder): Promise<void> => {
  for (const snippet of snippets) writeFileSync(join(folder.path, `${nameOf(snippet)}.ts`), snippet.code)
  cpSync(join(root, 'test/docs/stubs'), join(folder.path, 'node_modules'), { recursive: true })
  const compilerOptions = { outDir: 'out', noEmit: false, allowJs: false, rootDir: '.', types: ['node'], paths: {} }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
  writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
  const use = { launchOptions: { executablePath, args: flags } }
  writeFileSync(join(folder.path, 'out.config.js'), `export default ${JSON.stringify({ testDir: 'out', use })}`)
  await compile(folder)
}

/** Compiles the files of the folder. */
const compile = async (folder: Folder, ...options: string[]): Promise<void> => {
  const args = ['node_modules/typescript/bin/tsc', '-p', '.', ...options]
  await exec(process.execPath, args, { cwd: folder.path }).catch((error: { stdout: string }) => {
    throw new Error(`The snippets do not compile:\n${error.stdout}`)
  })
}

/** The compiled snippets that a runner runs. */
const filesOf = (runner: Runner): string[] =>
  snippets.filter((snippet) => runnerOf(snippet) === runner).map((snippet) => `out/${nameOf(snippet)}.js`)

// Without an engine of containers, or a browser, it is enough that it compiles.
const runnerOf = ({ code }: Block): Runner => {
  if (/from '(paylink-mock\/)?vitest'/.test(code)) return 'vitest'
  if (code.includes("from '@playwright/test'")) return skipped ? 'none' : 'playwright'
  return code.includes("from 'testcontainers'") ? 'none' : 'node'
}

const nameOf = (block: Block): string => {
  const name = block.page.replace(/^docs\/|\.md$/g, '').replaceAll('/', '-')
  return `${name}-${block.line}${{ node: '', none: '', vitest: '.test', playwright: '.spec' }[runnerOf(block)]}`
}
