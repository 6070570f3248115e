import { describe, expect, it } from 'vitest'
import { createStore } from '../support/store.ts'
import { stepsFor } from '../../src/domain/seeding.ts'
import { createProgressBar } from '../../src/node/terminal.ts'
import { fileWith } from './support/cli.ts'
import { runMain } from './support/main.ts'

const drawing = (total: number) => {
  const written: string[] = []
  return { written, bar: createProgressBar('Creating records', total, (text) => written.push(text)) }
}

it('draws a bar once for each hundredth, and takes it away', () => {
  const { written, bar } = drawing(1_000_000)
  for (let i = 0; i < 100_000; i++) bar?.add(10)
  expect(written).toHaveLength(101)
  expect(written[0]).toBe(`\rCreating records [${'-'.repeat(30)}] 0%`)
  expect(written[50]).toBe(`\rCreating records [${'#'.repeat(15)}${'-'.repeat(15)}] 50%`)
  expect(written.at(-1)).toBe(`\rCreating records [${'#'.repeat(30)}] 100%`)
  bar?.end()
  expect(written.at(-1)).toMatch(/^\r {48,}\r$/)
})

it('draws nothing where there is no terminal, or little to wait for', () => {
  expect(createProgressBar('Creating records', 1_000_000, undefined)).toBeUndefined()
  expect(drawing(1000).bar).toBeUndefined()
})

it.each([
  ['users', { users: 30_000 }],
  ['links', { paymentLinks: { active: 20_000, completed: 10_000 } }],
])('tells of all the work that a seed makes: %s', (_, generate) => {
  const seed = { projects: { acme: { generate } } }
  let told = 0
  createStore({ seed, systemNow: () => 0, onProgress: (rows) => (told += rows) })
  expect(told).toBe(stepsFor(seed))
})

describe('a seed file that takes a while', () => {
  const long = JSON.stringify({ idSeeds: 'x'.repeat(10_000_000) })
  const refusal = "idSeeds is not a field here; did you mean 'idSeed'?\n"

  it('is said to be read, and then to be checked, in one line that is gone in the end', async () => {
    const { err } = await runMain(['--seed', fileWith(long)], {}, { onTerminal: true })
    expect(err.split('\r\u001B[K')).toEqual(['', 'Reading seed.json ...', 'Checking seed.json ...', refusal])
  })

  it.each([
    ['where there is no terminal', long, false],
    ['when it is short', '{ "idSeeds": "x" }', true],
  ])('is read without a word %s', async (_, text, onTerminal) => {
    expect((await runMain(['--seed', fileWith(text)], {}, { onTerminal })).err).toBe(refusal)
  })
})
