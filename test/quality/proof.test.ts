// Proves: Tests themselves.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const tests = new URL('../', import.meta.url).pathname
const textOf = (file: string) => readFileSync(join(tests, file), 'utf8')

const promises = [...textOf('quality/PROOF.md').matchAll(/^\| (.+?) \| (.+?) \|$/gm)]
  .slice(2)
  .map(([, property = '', promise = '']) => ({ property, promise }))

/** The files that say what they prove, and the properties that they name. */
const proofs = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:[jt]s|sh)$/.test(file) && !file.includes('node_modules'))
  .flatMap((file) => {
    const [, names] = /^(?:\/\/|#) Proves: (.+)\.$/m.exec(textOf(file)) ?? []
    return names === undefined ? [] : [{ file, properties: names.split(', ') }]
  })

it('each property is there once, with a promise of one sentence', () => {
  const names = promises.map(({ property }) => property)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(promises.filter(({ promise }) => !/^[A-Z][^]*[^.]\.$/.test(promise) || promise.includes('. '))).toEqual([])
})

it.each(promises)('a test proves $property', ({ property }) => {
  expect(proofs.flatMap(({ properties }) => properties)).toContain(property)
})

it.each(proofs)('$file proves properties that exist, and skips no test', ({ file, properties }) => {
  const names = new Set(promises.map(({ property }) => property))
  expect(properties.filter((name) => !names.has(name))).toEqual([])
  expect(textOf(file)).not.toMatch(/\b(?:it|describe)\.(?:skip|todo|fails|only)\(/)
})
