import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStarter, languageNames } from './corpus/languages.js'
import { hostilePairs, pairs } from './corpus/pairs.js'
import { patterns } from './corpus/patterns.js'
import { explorePattern } from './corpus/run.js'
import { services } from './corpus/services.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paylink-mock-corpus-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const quick = patterns.filter((pattern) => pattern.quick !== undefined).slice(process.env.SLOW_TESTS ? 0 : -1)

describe.each(['buggy', 'fixed'] as const)('the %s version', (version) => {
  const verdict = { buggy: 'fails', fixed: 'survives' }[version]

  it.each(quick)(`of a program ${verdict}: $language $name`, async (pattern) => {
    const words = createStarter(folder)(pattern.language, `${pattern.name}.${version}`)
    const { problem } = await explorePattern(pattern, version, { folder, words, only: pattern.quick! })
    expect(problem).toBeUndefined()
  })
})

it('each program of the corpus is described', () => {
  const expand = (name: string) => (name.includes('*') ? ['buggy', 'fixed'] : ['']).map((to) => name.replace('*', to))
  const described = [
    ...patterns.map(({ name, language }) => ({ language, programs: [[`${name}.*`]] })),
    ...pairs,
    ...hostilePairs,
    ...services.map(({ name, language }) => ({ language, programs: [[name]] })),
  ].flatMap(({ language, programs }) =>
    programs.flatMap(([name]) => expand(name!).map((file) => `${language}/${file}`)),
  )
  const files = languageNames.flatMap((language) =>
    readdirSync(new URL(`corpus/${language}`, import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${language}/${name.replace(/\.[a-z]+$/, '')}`)
      .filter((file) => !/\/(?:client|pay|customer)$/.test(file)),
  )
  expect(files.toSorted()).toEqual([...new Set(described)].toSorted())
})
