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

// `snippets.slow.test.ts` compiles and runs the TypeScript of the guides, and `commands.slow.test.ts` runs the command line.
let folder: Folder
beforeAll(() => {
  folder = installedFolder()
})
afterAll(() => folder.remove())

/** The settings of a command that starts the mock. */
const readStart = (line: string) => {
  const [options, words = ''] = line.split(/ paylink-mock(?: |$)| -- |^npm start$/)
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
    'call curl with success against a mock with demo data that the page starts, in their order: $page',
    async ({ page, lines }) => {
      const [start = 'npm start'] =
        commandsByPage(/^(?:npm start|docker run)\b/).find((one) => one.page === page)?.lines ?? []
      const { mock: options, listen } = readSettings(readStart(start), false)
      const mock = createMock({ ...options, seed: JSON.parse(readFileSync(join(root, 'fixtures/demo.json'), 'utf8')) })
      onTestFinished(() => mock.close())
      const { url } = await mock.listen({ ...listen, port: 0 })
      for (const line of lines)
        await run('sh', ['-c', line.replaceAll('http://127.0.0.1:4600', url).replace('curl', 'curl -sSf')], {
          cwd: folder.path,
        })
      expect((await mock.violations.list()).items).toEqual([])
    },
  )

  it('tell the story of a payment in the README', async () => {
    const lines = commandsByPage(/^curl /)[0]!.lines
    const mock = createMock({ seed: JSON.parse(readFileSync(join(root, 'fixtures/demo.json'), 'utf8')) })
    onTestFinished(() => mock.close())
    const { url } = await mock.listen()
    const responses: any[] = []
    for (const line of lines) {
      const { stdout } = await run('sh', ['-c', line.replaceAll('http://127.0.0.1:4600', url)])
      responses.push(JSON.parse(stdout))
    }
    expect(responses[0].items).toHaveLength(2)
    expect(responses[2].status).toBe('completed')
  })

  const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

  it.each(linesOf(/^npm /))('call scripts and packages that exist: %s', (line) => {
    for (const [, script] of line.matchAll(/npm (?:run |(?=start|test))([\w:-]+)/g))
      expect(scripts).toHaveProperty([script!])
    for (const [, name] of line.matchAll(/(\S*paylink-mock\S*)/g))
      expect(name).toBe(`../paylink-mock/paylink-mock-${version}.tgz`)
  })

  it.each(linesOf(/^docker run /))('give the image variables and flags: %s', (line) => {
    expect(Object.keys(readStart(line).values)).toContain('admin-token')
  })
})

it.each(blocks('json'))('the seed in $page, line $line, starts a mock', async ({ code }) => {
  await createMock({ seed: JSON.parse(code) }).close()
})

it('the README counts the lines of the comparison', () => {
  const linesOf = (name: string) => textOf(`test/docs/comparison/${name}.test.ts`).match(/^.*\S.*$/gm)?.length
  const [, ours, withMsw] = /take (\d+) lines with this\s+package and (\d+) lines/.exec(textOf('README.md')) ?? []
  expect([ours, withMsw].map(Number)).toEqual([linesOf('paylink-mock'), linesOf('msw')])
})
