import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = new URL('../', import.meta.url).pathname
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** What the mock must hold, whatever is built. */
const properties = [
  'Model agreement',
  'Same on every transport',
  'Races',
  'Paging',
  'Determinism',
  'Reset is a new process',
  'Round trip',
  'Refused means untouched',
  'HTTP edge',
  'Methods',
  'Sizes',
  'Slow clients',
  'Memory',
  'Stop',
  'In process',
  'Admin plane',
  'Tokens',
  'Pages',
  'Outbound',
  'Container',
  'Tests themselves',
]

interface Row {
  readonly property: string
  readonly promise: string
  readonly file: string
  readonly name: string
}

const rows = textOf('test/PROOF.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  // Without the head and the line below it.
  .slice(2)
  .map((line): Row => {
    const row = /^\| ?(.*?) ?\| ?(.*?) ?\| `([^`]+)` › (.+) \|$/.exec(line)
    if (row === null) throw new Error(`A row of test/PROOF.md cannot be read: ${line}`)
    const [property = '', promise = '', file = '', name = ''] = row.slice(1)
    return { property, promise, file, name }
  })

it('the proof has every property once, in its order, with a promise of one sentence', () => {
  const named = rows.filter(({ property }) => property !== '')
  expect(named.map(({ property }) => property)).toEqual(properties)
  expect(rows[0]?.property).not.toBe('')
  expect(named.filter(({ promise }) => !/^[A-Z][^]*[^.]\.$/.test(promise) || promise.includes('. '))).toEqual([])
  expect(rows.filter(({ property, promise }) => property === '' && promise !== '')).toEqual([])
})

it.each(rows)('the proof names tests that exist: $file, $name', ({ file, name }) => {
  expect(existsSync(join(root, file)), file).toBe(true)
  const text = textOf(file)
  // A name begins behind its quote: a comment that happens to say the same is no test.
  const found = [`'`, '"', '`'].filter((quote) => text.includes(quote + name))
  expect(found).not.toEqual([])
  expect(found.filter((quote) => new RegExp(`(?:skip|todo|fails)\\(\\s*${quote}`).test(text))).toEqual([])
})

it('the proof names no test twice for one property', () => {
  let property = ''
  const keys = rows.map((row) => {
    property = row.property || property
    return `${property}: ${row.file} › ${row.name}`
  })
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})
