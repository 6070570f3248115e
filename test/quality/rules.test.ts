import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { behaviorKeys, behaviorRegistry } from '../../src/schema/behavior.ts'

const root = new URL('../../', import.meta.url).pathname
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** The sections with rules that can be tested. */
const sections = ['§1', '§2.1', '§2.2', '§2.3', '§2.4', '§2.5', '§3', '§4', '§4.1', '§4.2', '§5', '§8']

const rules = textOf('test/quality/RULES.md')
  .split('\n')
  .flatMap((line) => {
    const [, spec = '', id, file = '', title = ''] = /^\| (\S+) \| (\S+) \| .+ \| `([^`]+)` › (.+) \|$/.exec(line) ?? []
    return id === undefined ? [] : { spec, id, file, title }
  })

it('each rule has an id of its own, in words', () => {
  const ids = rules.map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(200)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(id))).toEqual([])
})

it('each section has rules', () => {
  expect([...new Set(rules.map(({ spec }) => spec))].toSorted()).toEqual([...sections, 'open'].toSorted())
})

it('each behavior value that is not the default has a rule named after it', () => {
  const words = (name: unknown) => String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const wanted = behaviorKeys.flatMap((key) =>
    behaviorRegistry[key].values.slice(1).map((value) => `${words(key)}-${words(value)}`),
  )
  const exists = (name: string) => rules.some(({ id }) => id === name || id.startsWith(`${name}-`))
  expect(wanted.filter((name) => !exists(name))).toEqual([])
})

it.each(rules)('$id has a test of that title', ({ file, title }) => {
  const text = textOf(file)
  expect([`'`, '"', '`'].some((quote) => text.includes(quote + title + quote))).toBe(true)
})
