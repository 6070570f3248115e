import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { cliPath } from '../cli/support/cli.ts'
import { allBlocks, expectText, shellLines, textOf, withFiles } from './pages.ts'

const page = 'docs/explore.md'

/** The programs of a page, by the name in their first line: `// checkout.js` or `# worker.py`. */
const listPrograms = (of: string) =>
  allBlocks.flatMap(({ page, code }) => {
    const [, name] = /^(?:\/\/|#) (\S+\.(?:m?js|py))\n/.exec(code) ?? []
    return page === of && name !== undefined ? { name, code } : []
  })

const createFolder = (of: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const { name, code } of listPrograms(of)) writeFileSync(join(folder, name), code)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

/** Runs a command line, and returns what it prints, with one time and one id. */
const print = (line: string, cwd: string) =>
  new Promise<string>((resolve) => {
    const npx = 'npx() { shift; "$NODE" "$CLI" "$@"; }'
    const env = { ...process.env, NODE: process.execPath, CLI: cliPath, npm_command: 'exec' }
    execFile('sh', ['-c', `${npx}; ${line}`], { cwd, env }, (_, out, err) => resolve(withoutTimes(err + out)))
  })

// Without the lines of progress on stderr, whose number depends on the machine.
const withoutTimes = (text: string): string =>
  text
    .replace(
      /^(?:\d+ of (?:at most )?\d+ runs, |\d+ runs?, (?:at least|others may follow)|The search needs ).*\n/gm,
      '',
    )
    .replace(/\d\d:\d\d:\d\d\.\d{3}/g, '00:00:00.000')
    .replace(/pml_\w+/g, 'pml_id')

/** Each command line that explores a program, with the output that the page shows after it. */
const examples = allBlocks.flatMap((block, index) => {
  const line = shellLines(block).find((one) => /^npx paylink-mock (explore|interleave) /.test(one))
  const shown = allBlocks[index + 1]
  const isShown = block.language === 'sh' && shown?.page === block.page && shown.language === 'text'
  // Its test expects one line of the output.
  if (block.page === 'docs/patterns.md') return []
  return isShown && line !== undefined ? { of: block.page, line, text: shown.code } : []
})

it('the guides show what a search prints', () => {
  expect(examples.map(({ of }) => of)).toEqual(expect.arrayContaining(['README.md', page]))
})

// The searches of the guides belong to the slow tests.
const tried = examples.filter(({ of }) => process.env.SLOW_TESTS || of === 'README.md')

it.each(tried)('$of shows what is printed by $line', async ({ of, line, text }) => {
  expect(await print(line, createFolder(of))).toBe(withoutTimes(text))
})

it(`${page} has the test of the Python example: \`npm test -- -u\` writes it`, async () => {
  await expectText(page, withFiles(textOf(page), 'python'))
})

it('the test of the Python example has at most 25 lines', () => {
  expect(textOf('examples/python/test_explore.py').match(/^.*\S.*$/gm)?.length).toBeLessThanOrEqual(25)
})
