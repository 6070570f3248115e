import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readArgs } from '../../src/node/args.ts'
import { readSettings } from '../../src/node/settings.ts'
import { createMock } from '../../src/node/index.ts'
import { type Folder, installedFolder, root } from '../support/installed.ts'
import { allCommands, blocks, commandsByPage, textOf } from './pages.ts'

const run = promisify(execFile)

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

  it.each(commandsByPage(/^curl /))(
    'call curl with success against a mock with demo data that the lines before them start, in their order: $page',
    async ({ page }) => {
      let { mock, url } = await startMock('npm start')
      const printed: string[] = []
      for (const line of allCommands.flatMap((one) => (one.page === page ? one.line : []))) {
        if (startLine.test(line)) ({ mock, url } = await startMock(line))
        if (!line.startsWith('curl ')) continue
        const command = line.replaceAll('http://127.0.0.1:4600', url).replace('curl', 'curl -sSf')
        printed.push((await run('sh', ['-c', command], { cwd: folder.path })).stdout)
        expect((await mock.violations.list()).items).toEqual([])
      }
      if (page !== 'README.md') return
      const [listed, , retrieved] = printed.map((text) => JSON.parse(text))
      expect([listed.items.length, retrieved.status]).toEqual([2, 'completed'])
    },
  )

  const startLine = /^(?:npm start|npm ci && npm start|docker run)\b/

  /** A mock with the settings of a command, but with demo data and a port that is free. */
  const startMock = async (line: string) => {
    const { mock: options, listen } = readSettings(readStart(line), false)
    const mock = createMock({ ...options, seed: JSON.parse(readFileSync(join(root, 'fixtures/demo.json'), 'utf8')) })
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
  await createMock({ seed: JSON.parse(code) }).close()
})

it('the guide to testing counts the lines of the comparison', () => {
  const linesOf = (name: string) => textOf(`test/docs/comparison/${name}.test.ts`).match(/^.*\S.*$/gm)?.length
  const [, ours, withMsw] =
    /take (\d+) lines with this\s+package and\s+(\d+) lines/.exec(textOf('docs/testing.md')) ?? []
  expect([ours, withMsw].map(Number)).toEqual([linesOf('paylink-mock'), linesOf('msw')])
})
