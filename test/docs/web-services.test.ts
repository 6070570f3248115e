// The guide of web services: its shop is that of the example, and its searches find what the guide says.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { cliPath } from '../cli/support/cli.ts'
import { root } from '../support/installed.ts'
import { allCommands, expectText, textOf, withFiles } from './pages.ts'

const page = 'docs/web-services.md'

/** Runs a command line with the shops of the example in a folder of its own. Returns its exit code and its last line. */
const run = (line: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'examples/web-service'), folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const npx = `npx() { shift; ${process.execPath} ${cliPath} "$@"; }`
  return new Promise<{ code: unknown; last: string | undefined }>((resolve) => {
    execFile('sh', ['-c', `${npx}; ${line}`], { cwd: folder }, (error, out) =>
      resolve({ code: error?.code ?? 0, last: out.trim().split('\n').at(-1) }),
    )
  })
}

const lines = allCommands.flatMap((one) => (one.page === page ? one.line : []))

it(`${page} has the files of the example: \`npm test -- -u\` writes them`, async () => {
  await expectText(page, withFiles(textOf(page), 'js'))
})

it('has at most 150 lines', () => {
  expect(textOf(page).split('\n').length).toBeLessThanOrEqual(151)
})

// Each search starts a service and a program for each run: a step of CI runs them.
it.each(process.env.SLOW_TESTS ? lines : [])('%s', async (line) => {
  const isFixed = line.includes('fixed-shop.js')
  expect(await run(line)).toEqual({
    code: isFixed ? 0 : 1,
    last: expect.stringMatching(isFixed ? /: no failures\.$/ : /: [12] failures?[.,]/),
  })
})

it('runs each search of the page', () => {
  expect(lines.map((line) => /(explore|interleave) .*'node (.*?)'/.exec(line)?.slice(1))).toEqual([
    ['explore', 'shop.js'],
    ['explore', 'fixed-shop.js'],
    ['interleave', 'shop.js'],
    ['explore', 'shop.js'],
  ])
})
