import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { behaviorRegistry } from '../../src/schema/behavior.ts'
import { root } from '../support/installed.ts'
import { guides, textOf } from './pages.ts'

const headings = new Set(
  [...textOf('docs/specification.md').matchAll(/^#+ §([\d.]+) /gm)].map(([, section]) => section!),
)

const sources = ['src', 'test', 'examples', 'fixtures'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|json|md|sh)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name)),
)

/** The sections that a text cites, such as 4.1. */
const getCitedSections = (text: string): string[] =>
  [...text.matchAll(/§\s?(\d+(?:\.\d+)*)/g)].map(([, section]) => section!)

it.each([...guides, ...sources].filter((file) => textOf(file).includes('§')))(
  '%s cites sections that exist',
  (file) => {
    expect(getCitedSections(textOf(file)).filter((section) => !headings.has(section))).toEqual([])
  },
)

it('each behavior cites a section that exists', () => {
  const cited = Object.values(behaviorRegistry).flatMap(({ spec }) => getCitedSections(spec))
  expect(cited).toHaveLength(Object.keys(behaviorRegistry).length)
  expect(cited.filter((section) => !headings.has(section))).toEqual([])
})

it('no comment cites a document that is not in the repository', () => {
  const isForeign = (text: string) => /\bdesign(?:\.md| §)|\bspec\.md\b/i.test(text)
  expect(sources.filter((file) => isForeign(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
