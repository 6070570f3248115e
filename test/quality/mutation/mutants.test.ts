// Proves: Tests themselves.
import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { instrument, listRegions, regionOf } from './coverage.js'
import { listMutants, type Mutant, mutate, shuffle } from './mutants.js'

const root = new URL('../../../', import.meta.url).pathname
const readText = (file: string) => readFileSync(root + file, 'utf8')

const changed = (text: string, { start, end, replacement }: Mutant) =>
  text.slice(0, start) + replacement + text.slice(end)
const changesOf = (source: string) => mutate('a.ts', source).map((mutant) => changed(source, mutant))

it.each([
  ['if (a < b) run()', ['if (true) run()', 'if (false) run()', 'if (a <= b) run()', 'if (a < b) ;']],
  ['x = a ? 1 : 2', ['x = true ? 1 : 2', 'x = false ? 1 : 2']],
  ['x = (a) ?? b', ['x = (a) ', 'x =  b']],
  ['x = [a, ...b]', ['x = [ ...b]', 'x = [a, ]', ';']],
  ['x = { a: b }', ['x = {  }']],
  ['x = a?.b', ['x = a.b']],
  ['x = a?.[b]', ['x = a[b]']],
  ['x = list.toSorted(f)', ['x = list']],
  ['x = list.some(f)', ['x = list.every(f)', ';']],
  ['const f = (a = b) => !a', ['const f = (a) => !a', 'const f = (a = b) => a']],
])('changes %s', (source, changes) => {
  expect(changesOf(source)).toEqual(expect.arrayContaining(changes))
})

it.each([
  "import a from 'b'",
  "export { a } from 'b'",
  "type A = 'b' | 1",
  "described(a, 'b')",
  'interface A { b: 1 }',
])('leaves types, imports and the prose of documents as they are: %s', (source) => {
  expect(changesOf(source).filter((change) => change !== ';' && change !== '')).toEqual([])
})

it('makes only code that can be parsed', () => {
  // To parse a file for each mutant of a folder takes seconds: one in ten has each kind of change many times.
  const mutants = listMutants(root, 'src/traffic').filter((_, index) => index % 10 === 0)
  const invalid = mutants.filter((mutant: Mutant) => {
    try {
      parseAst(changed(readText(mutant.file), mutant), { lang: 'ts' })
      return false
    } catch {
      return true
    }
  })
  expect(invalid).toEqual([])
})

it('draws the same sample for the same seed, and another for another seed', () => {
  const list = Array.from({ length: 1000 }, (_, index) => index)
  expect(shuffle(list, 7)).toEqual(shuffle(list, 7))
  expect(shuffle(list, 7)).not.toEqual(shuffle(list, 8))
  expect(shuffle(list, 7).toSorted((a, b) => a - b)).toEqual(list)
})

it('notes each part of a file that runs, and parts of it, where they begin', () => {
  const source = `#!/usr/bin/env node\nconst f = (a) => a ? { b: 1 } : (() => { return 2 })()\nif (f(0) ?? f(1)) { f(1) }`
  const code = instrument('/tree', 'a', source)
  const regions = listRegions(source)
  for (const { start, end } of regions) expect(code.split(`'a:${start}-${end}'`)).toHaveLength(2)
  const ran = new Set<string>()
  const body = code.slice(code.indexOf('\n')).replace(/globalThis\.__hit \?\?=.*?\)\);/, '')
  // oxlint-disable-next-line no-implied-eval -- the code is made here
  new Function('globalThis', body)({ __hit: (id: string) => ran.add(id) })
  const inner = source.indexOf('return 2')
  const region = regionOf(regions, { start: inner, end: inner + 6 })
  expect(ran).toContain(`a:${region.start}-${region.end}`)
  expect(region.start).toBeGreaterThan(source.indexOf(': ('))
  expect(regionOf(regions, { start: source.indexOf('if'), end: source.length })).toBeUndefined()
  // Nothing evaluates the right side of what is there.
  const right = source.indexOf('f(1)')
  expect(ran).not.toContain(`a:${right}-${right + 4}`)
})
