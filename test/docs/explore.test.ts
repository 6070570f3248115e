import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { format } from 'prettier'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliPath } from '../cli/support/cli.ts'
import { root } from '../support/installed.ts'
import { allBlocks, shellLines, textOf, withFiles } from './pages.ts'

const page = 'docs/explore.md'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paylink-mock-docs-'))
  for (const { code } of allBlocks.filter(({ page: of, language }) => of === page && language === 'js')) {
    const [, name] = /^\/\/ (\S+\.js)\n/.exec(code)!
    writeFileSync(join(folder, name!), code)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a command line, and returns what it prints, with one time and one id. */
const print = (line: string) =>
  new Promise<string>((resolve) => {
    const words = line.split(' ').slice(2)
    execFile(process.execPath, [cliPath, ...words], { cwd: folder }, (_, out, err) => resolve(withoutTimes(err + out)))
  })

// A slow machine also prints lines of progress.
const withoutTimes = (text: string): string =>
  text
    .replace(/^\d+ of \d+ runs, .*\n/gm, '')
    .replace(/\d\d:\d\d:\d\d\.\d{3}/g, '00:00:00.000')
    .replace(/pml_\w+/g, 'pml_id')

describe.each(['README.md', page])('%s', (of) => {
  const blocks = allBlocks.filter((block) => block.page === of)
  const index = blocks.findIndex((block) =>
    shellLines(block).some((line) => line.startsWith('npx paylink-mock explore ')),
  )

  it('shows what explore prints', async () => {
    const shown = blocks.slice(index).find(({ language }) => language === 'text')
    expect(await print(shellLines(blocks[index]!)[0]!)).toBe(withoutTimes(shown!.code))
  })
})

it(`${page} has the test of the Python example: \`npm test -- -u\` writes it`, async () => {
  const { prettier } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const formatted = await format(withFiles(textOf(page), 'python'), { parser: 'markdown', ...prettier })
  await expect(formatted).toMatchFileSnapshot(join(root, page))
})

it('the test of the Python example has at most 25 lines', () => {
  expect(textOf('examples/python/test_explore.py').match(/^.*\S.*$/gm)?.length).toBeLessThanOrEqual(25)
})
