import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ProgramReport } from '../../src/explore/programs/program-report.ts'
import { groupFailures } from '../../src/explore/result.ts'
import { cliPath, emptyFolder } from '../cli/support/cli.ts'
import { allBlocks, shellLines, textOf } from './pages.ts'

const page = 'docs/patterns.md'
const [client, ...patternBlocks] = allBlocks.filter((block) => block.page === page)

/** Replaces the lines of a program as a diff says. */
const applyDiff = (program: string, diff: string): string => {
  const take = (signs: string) =>
    diff
      .split('\n')
      .flatMap((line) => (line !== '' && signs.includes(line[0]!) ? `${line.slice(1)}\n` : []))
      .join('')
  const [before, after] = [take('- '), take('+ ')]
  expect(program, before).toContain(before)
  return program.replace(before, () => after)
}

/** The patterns of the page. `fixed` is the program with the changed lines of the fix. */
const patterns = patternBlocks.flatMap((block, index) => {
  if (block.language !== 'js') return []
  const [command, text, diff] = patternBlocks.slice(index + 1)
  const [, file = ''] = /^\/\/ (\S+)\n/.exec(block.code) ?? []
  const [line = ''] = shellLines(command!)
  return [{ file, program: block.code, line, error: text!.code.trim(), fixed: applyDiff(block.code, diff!.code) }]
})

type Pattern = (typeof patterns)[number]

/** Runs a command of a pattern in a folder of its own, with a version of its program. */
const search = ({ file, line }: Pick<Pattern, 'file' | 'line'>, program: string) => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'client.mjs'), client!.code)
  writeFileSync(join(folder, file), program)
  const env = { ...process.env, NODE: process.execPath, CLI: cliPath }
  return new Promise<{ code: unknown; lines: string[]; out: string }>((resolve) => {
    execFile('sh', ['-c', `npx() { shift; "$NODE" "$CLI" "$@"; }; ${line}`], { cwd: folder, env }, (error, out) =>
      resolve({ code: error?.code ?? 0, lines: out.split('\n'), out }),
    )
  })
}

it('the page has eight patterns, each in 6 to 12 lines', () => {
  expect(patterns).toHaveLength(8)
  for (const { program } of patterns) {
    expect(program.trim().split('\n').length).toBeGreaterThanOrEqual(6)
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(12)
  }
})

it('each link from the table of what can happen leads to a pattern', () => {
  const anchors = [...textOf('docs/explore.md').matchAll(/\(patterns\.md#([\w-]+)\)/g)].map(([, anchor]) => anchor!)
  const titles = [...textOf(page).matchAll(/^## (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  expect(titles).toHaveLength(8)
  expect([...new Set(anchors)].toSorted()).toEqual(titles.toSorted())
})

// The searches start many processes: a step of CI runs them.
const searched = process.env.SLOW_TESTS ? patterns : []

it.each(searched)('$line finds the mistake, and nothing in the fixed program', async (pattern) => {
  const found = await search(pattern, pattern.program)
  expect(found.lines).toContain(pattern.error)
  expect(found.code).toBe(1)
  const fixed = await search(pattern, pattern.fixed)
  expect(fixed.lines.join('\n')).toContain('no failures')
  expect(fixed.code).toBe(0)
})

/** Explores a version of a program for a service that honors idempotency keys. */
const explore = async ({ file, line }: Pattern, program: string, effects: string) => {
  const [, reset = ''] = / (--reset '[^']*' --jobs 1)/.exec(line) ?? []
  const flags = `--json --behavior idempotencyKey=replay --effects ${effects} ${reset}`
  const { out } = await search({ file, line: `npx paylink-mock explore ${flags} -- node ${file}` }, program)
  return ProgramReport.parse(JSON.parse(out)).failures
}

it.each(searched)('the fix of $file survives a first search', async (pattern) => {
  expect(await explore(pattern, pattern.fixed, 'default')).toEqual([])
})

it.each(searched)('each mistake of $file is at most one block for a call', async (pattern) => {
  const failures = await explore(pattern, pattern.program, 'default,crash,paid')
  // A program that survives no crash, or no payment, has a mistake more than one that ignores an error.
  for (const cause of [/^crash$/, /^paid$/, /^(?!crash|paid)/]) {
    const shown = failures.filter(({ schedule }) => cause.test(schedule.at(-1)!.effect))
    const calls = new Set(shown.map(({ schedule }) => schedule.at(-1)!.call))
    expect(groupFailures(shown).length).toBeLessThanOrEqual(calls.size)
  }
})
