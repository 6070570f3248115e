import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as client from '../../src/core/client/index.ts'
import { readArgs } from '../../src/command-line/args.ts'
import { readSettings } from '../../src/command-line/flag-values.ts'
import * as library from '../../src/node/index.ts'
import { type Folder, installedFolder, root } from '../support/installed.ts'
import { allCommands, blocks, commandsByPage, textOf, withoutCode } from './pages.ts'
import { exec } from '../support/exec.ts'

// `snippets.slow.test.ts` compiles and runs the TypeScript of the guides, and runs the command line.
let folder: Folder
beforeAll(() => {
  folder = installedFolder()
})
afterAll(() => folder.remove())

/** The settings of a command that starts the mock. */
const readStart = (line: string) => {
  const [options, words = ''] = line.split(/ paylink-mock(?: |$)| -- |npm start$/)
  const variables = Object.fromEntries(
    [...options!.matchAll(/-e (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  return readArgs(['start', ...words.split(' ').filter(Boolean)], variables)
}

describe('the shell commands of the guides', () => {
  const linesOf = (program: RegExp) =>
    [...new Set(allCommands.map(({ line }) => line))].filter((line) => program.test(line))

  it('call only programs that the tests below check', () => {
    const programs = allCommands
      .filter(({ page }) => !page.startsWith('docs/languages/'))
      .map(({ line }) => line.split(' ')[0])
    expect([...new Set(programs)].toSorted()).toEqual(['curl', 'docker', 'npm', 'npx'])
  })

  const pages = commandsByPage(/^curl /)
  // Each line starts a process: a step of CI tries those of all pages.
  const triedPages = process.env.SLOW_TESTS ? pages : pages.filter(({ page }) => page === 'README.md')
  it.each(triedPages)('call curl with success against a mock that the lines before start: $page', async ({ page }) => {
    let { mock, url } = await startMock('npm start')
    const printed: string[] = []
    for (const line of allCommands.flatMap((one) => (one.page === page ? one.line : []))) {
      if (startLine.test(line)) ({ mock, url } = await startMock(line))
      if (!line.startsWith('curl ')) continue
      const command = line.replaceAll('http://127.0.0.1:4600', url).replace('curl', 'curl -sSf')
      printed.push((await exec('sh', ['-c', command], { cwd: folder.path })).stdout)
      expect((await mock.violations.list()).items).toEqual([])
    }
    if (page !== 'README.md') return
    const [listed, , retrieved] = printed.map((text) => JSON.parse(text))
    expect([listed.items.length, retrieved.status]).toEqual([2, 'completed'])
  })

  const startLine = /^(?:npm start|npm ci && npm start|docker run)\b/

  /** A mock with the settings of a command, but with demo data and a port that is free. */
  const startMock = async (line: string) => {
    const { mock: options, listen } = readSettings(readStart(line), false)
    const mock = library.createMock({
      ...options,
      seed: JSON.parse(readFileSync(join(root, 'fixtures/demo.json'), 'utf8')),
    })
    onTestFinished(() => mock.close())
    return { mock, ...(await mock.listen({ ...listen, port: 0 })) }
  }

  const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

  it.each(linesOf(/^npm /))('call scripts and packages that exist: %s', (line) => {
    for (const [, script] of line.matchAll(/npm (?:run |(?=start|test))([\w:-]+)/g))
      expect(scripts).toHaveProperty([script!])
    for (const [, name] of line.matchAll(/(\S*paylink-mock\S*)/g))
      expect([
        '../paylink-mock',
        `./paylink-mock-${version}.tgz`,
        `../paylink-mock/paylink-mock-${version}.tgz`,
      ]).toContain(name)
  })

  it.each(linesOf(/^docker run /))('give the image variables and flags: %s', (line) => {
    expect(Object.keys(readStart(line).values)).toContain('admin-token')
  })
})

it.each(blocks('json'))('the seed in $page, line $line, starts a mock', async ({ code }) => {
  await library.createMock({ seed: JSON.parse(code) }).close()
})

it('the guide to seeds names the schema of the installed package, which accepts its seeds', () => {
  const [, path = ''] = /"\$schema": "(\.\/node_modules\/[^"]+)"/.exec(textOf('docs/seeds.md')) ?? []
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const validate = ajv.compile(JSON.parse(readFileSync(join(folder.path, path), 'utf8')))
  const seeds = blocks('json').filter(({ page }) => page === 'docs/seeds.md')
  expect(seeds.length).toBeGreaterThan(1)
  for (const { code } of seeds) expect(validate({ ...JSON.parse(code), $schema: path }), code).toBe(true)
  expect(validate({ projcts: {} })).toBe(false)
})

it('the guide to testing counts the lines of the comparison', () => {
  const linesOf = (name: string) => textOf(`test/docs/comparison/${name}.test.ts`).match(/^.*\S.*$/gm)?.length
  const [, ours, withMsw] =
    /take (\d+) lines with this\s+package and\s+(\d+) lines/.exec(textOf('docs/testing.md')) ?? []
  expect([ours, withMsw].map(Number)).toEqual([linesOf('paylink-mock'), linesOf('msw')])
})

it('the package has the pages of users, without a link that leads nowhere, and a text for coding assistants', () => {
  const packed = join(folder.path, 'node_modules/paylink-mock')
  expect(readFileSync(join(packed, 'llms.txt'), 'utf8')).toMatch(/^# paylink-mock \d/)
  const pages = readdirSync(packed, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  expect(pages).toContain('docs/reference.md')
  for (const page of ['docs/architecture.md', 'docs/change-the-mock.md']) expect(pages).not.toContain(page)
  const broken = pages.flatMap((page) =>
    [...withoutCode(textOf(page)).matchAll(/\]\(([^)#\s]+)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target) && !existsSync(join(packed, page, '..', target)))
      // npm shows the README with its links to the repository, which also has the pages of maintainers.
      .filter((target) => page !== 'README.md' || !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  )
  expect(broken).toEqual([])
})

// The examples of documentation comments.

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as typeof import('@ts-morph/common')

/** The code of each `@example` in the documentation comments of a file. */
const examplesIn = (file: string) =>
  [...readFileSync(join(root, 'src', file), 'utf8').matchAll(/\/\*\*[^]*?\*\//g)].flatMap(([comment]) =>
    comment
      .split(/^ *\* @example *\n/m)
      .slice(1)
      .map((text) => ({
        file,
        code: text
          .split(/^ *\*(?:\/| @\w)/m, 1)
          .join('')
          .replace(/^ *\* ?/gm, '')
          .trim(),
      })),
  )

const examples = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap(examplesIn)

// The guides run the integrations, which need a test runner or another runtime.
const runnable = examples.filter(({ file }) => /^(?:core\/|index\.ts)/.test(file))

/** Runs an example like a script in which the names of the library, `mock`, `acme` and `Hono` exist. */
const runExample = async (code: string) => {
  await using mock = library.createMock({ clock: 'frozen' })
  const names = { ...library, ...client, Hono, mock, acme: mock.project('acme'), describe: { each: () => () => {} } }
  const { outputText } = ts.transpileModule(`return (async () => {\n${code}\n})()`, {
    compilerOptions: { target: ts.ScriptTarget.ES2022 },
  })
  const values: Readonly<Record<string, unknown>> = names
  const used = Object.keys(values).filter((name) => !new RegExp(`const ${name} |using ${name} `).test(code))
  await Reflect.apply(
    compileFunction(outputText, used),
    undefined,
    used.map((name) => values[name]),
  )
}

describe('the examples of the documentation comments', () => {
  it('cover the functions of the public entries', () => {
    const covered = new Set(runnable.map(({ file }) => file))
    const files = [
      'index.ts',
      'core/mock/mock.ts',
      'core/client/connect.ts',
      ...['fault', 'request', 'setting', 'state'].map((name) => `core/client/${name}-control.ts`),
      'core/client/test-helpers.ts',
    ]
    expect(files.filter((file) => !covered.has(file))).toEqual([])
  })

  it.each(runnable)('run: $file, $code', async ({ code }) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await runExample(code)
  })
})
