import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { format } from 'prettier'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { planOf, probeKeys } from '../../src/calibrate/probes.ts'
import { readArgs } from '../../src/node/args.ts'
import { createMock } from '../../src/node/index.ts'
import { skipped } from '../support/browser.ts'
import { executablePath, flags } from '../support/chromium.ts'
import { type Folder, installedFolder, root } from '../support/installed.ts'
import { blocks, readme } from './blocks.ts'
import { withTables } from './tables.ts'

const run = promisify(execFile)

it('has the tables that the code makes: `npm test -- -u` writes them', async () => {
  const { prettier } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const formatted = await format(withTables(readme), { parser: 'markdown', ...prettier })
  await expect(formatted).toMatchFileSnapshot(join(root, 'README.md'))
})

let folder: Folder
beforeAll(() => {
  folder = installedFolder()
})
afterAll(() => folder.remove())

describe('its TypeScript', () => {
  const snippets = blocks('ts')

  beforeAll(async () => {
    for (const [line, code] of snippets) writeFileSync(join(folder.path, `${nameOf(line, code)}.ts`), code)
    cpSync(join(root, 'test/docs/stubs'), join(folder.path, 'node_modules'), { recursive: true })
    const compilerOptions = { outDir: 'out', noEmit: false, allowJs: false, rootDir: '.', types: ['node'] }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
    const use = { launchOptions: { executablePath, args: flags } }
    writeFileSync(join(folder.path, 'out.config.js'), `export default ${JSON.stringify({ testDir: 'out', use })}`)
    await compile()
  })

  const compile = (...options: string[]) =>
    run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', ...options], { cwd: folder.path }).catch(
      (error: { stdout: string }) => {
        throw new Error(`The snippets do not compile:\n${error.stdout}`)
      },
    )

  it('compiles under moduleResolution bundler, too', async () => {
    await compile('--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler')
  })

  it.concurrent.each(snippets)('runs, from line %i', async (line, code) => {
    const runner = runners[runnerOf(code)]
    if (runner === undefined) return
    await run(process.execPath, runner(`out/${nameOf(line, code)}.js`), { cwd: folder.path })
  })
})

type Runner = 'node' | 'vitest' | 'playwright' | 'none'

// Without an engine of containers, or a browser, it is enough that it compiles.
const runnerOf = (code: string): Runner => {
  if (/from '(paylink-mock\/)?vitest'/.test(code)) return 'vitest'
  if (code.includes("from '@playwright/test'")) return skipped ? 'none' : 'playwright'
  return code.includes("from 'testcontainers'") ? 'none' : 'node'
}

const runners: Readonly<Record<Runner, ((file: string) => string[]) | undefined>> = {
  node: (file) => [file],
  vitest: (file) => ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', file],
  playwright: (file) => ['node_modules/@playwright/test/cli.js', 'test', '--config', 'out.config.js', file],
  none: undefined,
}

const nameOf = (line: number, code: string): string =>
  `line-${line}${{ node: '', none: '', vitest: '.test', playwright: '.spec' }[runnerOf(code)]}`

describe('its shell lines', () => {
  const lines = blocks('sh').flatMap(([, code]) => code.trim().split('\n'))
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

  it('that call curl work against the demo seed, in their order', async () => {
    const seed = JSON.parse(readFileSync(join(root, 'fixtures/demo.json'), 'utf8'))
    const mock = createMock({ seed })
    onTestFinished(() => mock.close())
    const { url } = await mock.listen()
    const answers: any[] = []
    for (const line of lines.filter((one) => one.startsWith('curl'))) {
      const { stdout } = await run('sh', [
        '-c',
        line.replaceAll('http://127.0.0.1:4600', url).replace('curl', 'curl -sf'),
      ])
      answers.push(line.includes('/pay/') ? stdout : JSON.parse(stdout))
    }
    expect(lines.filter((line) => line.includes('/violations/verify'))).toHaveLength(1)
    expect((await mock.violations.list()).items).toEqual([])
    expect(answers[0].items).toHaveLength(2)
    expect(answers[2].status).toBe('completed')
    expect((await mock.project('acme').paymentLinks.get('pml_open_with_redirect')).status).toBe('completed')
  })

  it.each(lines.filter((line) => line.startsWith('npm')))('%s: calls scripts that exist', (line) => {
    for (const [, script] of line.matchAll(/npm (?:run )?(start|test|check|bench:\w+)/g))
      expect(scripts).toHaveProperty([script!])
  })

  // In the folder of the package, where the fixtures are; what stands for the real service is a mock as well.
  it('that call the command run, in their order', async () => {
    const service = createMock({ basePath: '/v1' })
    onTestFinished(() => service.close())
    const { url } = await service.listen()
    const commands = lines.filter((one) => /^(npm start --|npx paylink-mock) /.test(one))
    expect(commands.length).toBeGreaterThan(5)
    for (const line of commands) await runCommand(line.replace('https://api.example', url))
  })

  const runCommand = async (line: string): Promise<void> => {
    const words = line.replace(/^(npm start --|npx paylink-mock) /, '').split(' ')
    const { command, values } = readArgs(words, {})
    const cwd = join(folder.path, 'node_modules/paylink-mock')
    if (command === 'start') {
      // It runs until it is stopped, on a port that is free.
      const child = spawn(process.execPath, ['dist/node/cli.js', ...words, '--port', '0'], { cwd })
      const [ready] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      expect(String(ready), line).toMatch(/^paylink-mock ready on /)
      child.kill()
      await once(child, 'close')
      return
    }
    const asks = command === 'calibrate' && values['dry-run'] === undefined
    const options = { cwd, env: { ...process.env, PAYLINK_MOCK_TOKENS: 'any' } }
    await run(process.execPath, ['dist/node/cli.js', ...words, ...(asks ? ['--yes'] : [])], options)
  }
})

it('its seed starts a mock', () => {
  for (const [, code] of blocks('json')) createMock({ seed: JSON.parse(code) })
})

it('says how many rows a calibration makes', () => {
  const { users, paymentLinks } = planOf(probeKeys)
  expect(readme).toContain(`- up to ${users} users, `)
  expect(readme).toContain(`- up to ${paymentLinks} payment links, `)
})
