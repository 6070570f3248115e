// Proves: Model agreement, Tests themselves.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { behaviorKeys, behaviorRegistry } from '../../src/core/schema/behavior.ts'
import { listProofs, listRules } from './rules.js'

const rules = listRules()
const proofs = listProofs()

it('the specification has rules', () => {
  expect(rules).toEqual(expect.arrayContaining(['§1', '§2.2 birthday', '§4.1 limit', '§8']))
  expect(rules.filter((rule) => ['§6', '§7', '§9'].includes(rule))).toEqual([])
})

it.each(rules)('%s has a test', (rule) => {
  expect(proofs.map((proof) => proof.rule)).toContain(rule)
})

it('each tag of a test names a rule', () => {
  expect(proofs.filter(({ rule }) => !rules.includes(rule))).toEqual([])
})

const folder = new URL('../', import.meta.url).pathname
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:[jt]s|sh)$/.test(file))
const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

const titles = files
  .filter((file) => /^api\/[^/]+\.test\.ts$/.test(file))
  .map(textOf)
  .join('\n')

const values = behaviorKeys.flatMap((key) => behaviorRegistry[key].values.slice(1).map((value) => [key, String(value)]))
it.each(values)('%s=%s has a test with that title', (key, value) => {
  // A title of several rows has a placeholder for the value.
  expect(titles).toMatch(new RegExp(`(['"\`]).*\\b${key}=(?:${value}|%[sij]|\\$\\w+)\\b.*\\1`))
})

it('each promise of PROOF.md is named by a test that proves it', () => {
  const promises = [...textOf('quality/PROOF.md').matchAll(/^\| (.+?) \| .+ \|$/gm)].slice(2).map(([, name]) => name)
  const named = files.flatMap((file) => /^(?:\/\/|#) Proves: (.+)\.$/m.exec(textOf(file))?.[1]!.split(', ') ?? [])
  expect(new Set(named)).toEqual(new Set(promises))
})

/** The test files with some code, without the clients that they run, which are written as a user would. */
const filesWith = (code: RegExp) =>
  files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !/^(?:explore|docs\/comparison|quality\/generators)\//.test(file) &&
      code.test(textOf(file)),
  )

it('a body is read with its status, or for a reason without it', () => {
  const reasons = {
    'control/coverage-lines.test.ts': 'a client that accepts every response',
    'cli/compare/command.test.ts': 'a program that the test runs',
    'cli/commands.test.ts': 'the health of a sandbox, with its status',
  }
  const readers = filesWith(/\.json\(\)/)
  // A web page gives the status and the body to its test.
  expect(readers.filter((file) => !(file in reasons) && !file.includes('.browser.'))).toEqual([])
})

it('a loop that waits is bounded by count', () => {
  expect(filesWith(/for \(;;\)|while \(true\)|while \(.*await.*;$/m)).toEqual([])
})

it('a value of a page is awaited, or read at once for a reason', () => {
  const reads =
    'inputValue|textContent|inner(?:Text|HTML)|is(?:Visible|Hidden|Checked|Enabled|Disabled)|count|all(?:Text|Inner)\\w+|' +
    'getAttribute|boundingBox|title|url|evaluateAll|evaluate(?=\\(\\()'
  // What a test expects, up to its matcher. `expect.poll` and `readNow` are the two ways.
  const atOnce = new RegExp(`\\bexpect\\((?!\\s*await readNow\\()(?:(?!\\.(?:not\\.)?to[A-Z])[^])*?\\.(?:${reads})\\(`)
  expect(filesWith(atOnce).filter((file) => /\.browser\..*test\.ts$/.test(file))).toEqual([])
})
