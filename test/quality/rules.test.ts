// Proves: Model agreement, Tests themselves.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { behaviorKeys, behaviorRegistry } from '../../src/schema/behavior.ts'
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

const api = new URL('../api/', import.meta.url)
const titles = readdirSync(api)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(new URL(name, api), 'utf8'))
  .join('\n')

it.each(behaviorKeys.flatMap((key) => behaviorRegistry[key].values.slice(1).map((value) => [key, String(value)])))(
  '%s=%s has a test with that title',
  (key, value) => {
    // A title of several rows has a placeholder for the value.
    expect(titles).toMatch(new RegExp(`(['"\`]).*\\b${key}=(?:${value}|%[sij]|\\$\\w+)\\b.*\\1`))
  },
)
