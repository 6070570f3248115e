import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { behaviorKeys, behaviorRegistry } from '../../src/schema/behavior.ts'
import { rules } from './rules.js'

const root = new URL('../../', import.meta.url).pathname
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** The sections that say what can be tested. §6, §7 and §9 show nothing. */
const sections = ['§1', '§2.1', '§2.2', '§2.3', '§2.4', '§2.5', '§3', '§4', '§4.1', '§4.2', '§5', '§8']

it('every rule has an id of its own, in words', () => {
  const ids = rules.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(id))).toEqual([])
})

it('every section has rules, and every rule a section or a silence', () => {
  const specs = new Set(rules.map(({ spec }) => spec))
  expect([...specs].toSorted()).toEqual([...sections, 'open'].toSorted())
})

it('every value of a behavior that is not the default has a rule that is called so', () => {
  const words = (name: unknown) => String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const wanted = behaviorKeys.flatMap((key) =>
    behaviorRegistry[key].values.slice(1).map((value) => `${words(key)}-${words(value)}`),
  )
  const isThere = (name: string) => rules.some(({ id }) => id === name || id.startsWith(`${name}-`))
  expect(wanted.filter((name) => !isThere(name))).toEqual([])
})

it.each(rules)('$id has a test of that name', ({ test }) => {
  const text = textOf(test.file)
  expect([`'${test.name}'`, `"${test.name}"`, `\`${test.name}\``].some((quoted) => text.includes(quoted))).toBe(true)
})
