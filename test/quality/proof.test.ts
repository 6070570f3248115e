import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countDistinct } from '../support/count-distinct.ts'

const root = new URL('../../', import.meta.url).pathname
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

const properties = [
  'Model agreement',
  'Same on every transport',
  'Races',
  'Paging',
  'Determinism',
  'Reset is a new process',
  'Round trip',
  'Rejected means unchanged',
  'HTTP edge',
  'Methods',
  'Sizes',
  'Slow clients',
  'Memory',
  'Stop',
  'In process',
  'Control API',
  'Tokens',
  'Pages',
  'Outbound',
  'Container',
  'Storage of a Worker',
  'Replicas',
  'Tests themselves',
]

const rows = textOf('test/quality/PROOF.md')
  .split('\n')
  .flatMap((line) => {
    const [, property, promise = '', tests = ''] = /^\| (.+?) \| (.+?) \| (`.+`) \|$/.exec(line) ?? []
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    return property === undefined ? [] : { property, promise, files }
  })

it('the proof has each property once, with a promise of one sentence', () => {
  expect(rows.map(({ property }) => property)).toEqual(properties)
  expect(rows.filter(({ promise }) => !/^[A-Z][^]*[^.]\.$/.test(promise) || promise.includes('. '))).toEqual([])
})

it.each(rows)('the proof names tests that exist and run: $property', ({ files }) => {
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  expect(files.filter((file) => /\b(?:it|describe)\.(?:skip|todo|fails|only)\(/.test(textOf(file)))).toEqual([])
  expect(countDistinct(files)).toBe(files.length)
})
