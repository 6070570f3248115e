import { describe, expect, it } from 'vitest'
import { createStore } from '../support/store.ts'
import { countSteps } from '../../src/domain/seeding.ts'
import { createProgressBar } from '../../src/node/terminal.ts'
import { fileWith } from './support/cli.ts'
import { runMain } from './support/main.ts'

const drawing = (total: number) => {
  const written: string[] = []
  return { written, bar: createProgressBar('Creating records', total, (text) => written.push(text)) }
}

it('draws a bar once for each hundredth, and clears it', () => {
  const { written, bar } = drawing(1_000_000)
  for (let i = 0; i < 100_000; i++) bar?.add(10)
  expect(written).toHaveLength(101)
  expect(written[0]).toBe(`\rCreating records [${'-'.repeat(30)}] 0%`)
  expect(written[50]).toBe(`\rCreating records [${'#'.repeat(15)}${'-'.repeat(15)}] 50%`)
  expect(written.at(-1)).toBe(`\rCreating records [${'#'.repeat(30)}] 100%`)
  bar?.end()
  expect(written.at(-1)).toMatch(/^\r {48,}\r$/)
})

it('draws nothing without a terminal, or for little work', () => {
  expect(createProgressBar('Creating records', 1_000_000, undefined)).toBeUndefined()
  expect(drawing(1000).bar).toBeUndefined()
})

it.each([
  ['users', { users: 30_000 }],
  ['links', { paymentLinks: { active: 20_000, completed: 10_000 } }],
])('counts all the work of a seed: %s', (_, generate) => {
  const seed = { projects: { acme: { generate } } }
  let counted = 0
  createStore({ seed, systemNow: () => 0, onProgress: (steps) => (counted += steps) })
  expect(counted).toBe(countSteps(seed))
})

describe('a slow seed file', () => {
  const long = JSON.stringify({ idSeeds: 'x'.repeat(10_000_000) })
  const unknownField = "idSeeds is not a field here; did you mean 'idSeed'?\n"

  it('is announced as being read, then checked, in a line that is cleared at the end', async () => {
    const { err } = await runMain(['--seed', fileWith(long)], {}, { onTerminal: true })
    expect(err.split('\r\u001B[K')).toEqual(['', 'Reading seed.json ...', 'Checking seed.json ...', unknownField])
  })

  it.each([
    ['without a terminal', long, false],
    ['when it is short', '{ "idSeeds": "x" }', true],
  ])('is read without output %s', async (_, text, onTerminal) => {
    expect((await runMain(['--seed', fileWith(text)], {}, { onTerminal })).err).toBe(unknownField)
  })
})
