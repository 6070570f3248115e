import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { behaviorRegistry } from '../../src/core/schema/behavior.ts'
import { root } from '../support/installed.ts'
import { allBlocks, guides, otherPages, textOf, withoutCode } from './pages.ts'

/** The anchors of a page, as GitHub derives them from headings. */
const anchorsOf = (page: string): string[] =>
  [...withoutCode(textOf(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** The targets of the relative links and images of a page. */
const targetsOf = (page: string): string[] =>
  [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)]
    .map(([, link, image]) => (link ?? image)!)
    .filter((target) => !/^https?:/.test(target))

const isBroken = (page: string, target: string): boolean => {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, file))) return true
  return anchor !== undefined && !anchorsOf(file).includes(anchor)
}

/** The paths of this repository that a text names. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|docs|examples|fixtures)\/[\w./-]*)`/g)].map(([, path]) => path!)

describe.each([...guides, ...otherPages])('%s', (page) => {
  it('has links that lead somewhere', () => {
    expect(targetsOf(page).filter((target) => isBroken(page, target))).toEqual([])
  })

  it('names files that exist', () => {
    expect(pathsIn(textOf(page)).filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

/** Whether a file or a folder is in the package. npm adds two files to the `files`. */
const isPacked = (path: string): boolean => {
  const matches = (pattern: string) =>
    path === pattern ||
    path.startsWith(`${pattern}/`) ||
    new RegExp(`^${pattern.replace(/\{(.*),(.*)\}/, '(?:$1|$2)').replace('**/*', '.*')}$`).test(path)
  const omitted = packageJson.files.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  return ['README.md', 'LICENSE', ...packageJson.files].some(matches) && !omitted.some(matches)
}

it.each([...guides, ...otherPages].filter(isPacked))('%s has links to pages in the package', (page) => {
  const pages = targetsOf(page).filter((target) => !target.startsWith('#') && !target.includes('.png'))
  expect(pages.filter((target) => !isPacked(join(dirname(page), target.split('#')[0]!)))).toEqual([])
})

it('the pictures have a description, and are small', () => {
  const pictures = guides.flatMap((page) =>
    [...textOf(page).matchAll(/<img ([^>]+)>/g)].map(([, attributes]) => ({ page, attributes: attributes! })),
  )
  expect(pictures.length).toBeGreaterThan(7)
  for (const { page, attributes } of pictures) {
    const [, path = ''] = /^src="([^"]+)" width="\d+" alt="[^"]+"$/.exec(attributes) ?? []
    expect(statSync(join(root, dirname(page), path)).size, path).toBeLessThan(150 * 1024)
  }
})

it('the guides are short', () => {
  const maxLines = (page: string) => {
    // These include whole files.
    if (page.startsWith('docs/languages/')) return 300
    const longer: Record<string, number> = { 'README.md': 150, 'docs/reference.md': Infinity }
    return longer[page] ?? 250
  }
  expect(guides.filter((page) => textOf(page).split('\n').length > maxLines(page))).toEqual([])
})

it('the README has at most 1,000 words, and at most 12 lines of the output of a command', () => {
  expect(textOf('README.md').split(/\s+/).length).toBeLessThanOrEqual(1000)
  const outputs = allBlocks.filter(({ page, language }) => page === 'README.md' && language === 'text')
  expect(outputs).toHaveLength(1)
  expect(outputs[0]!.code.split('\n').length - 1).toBeLessThanOrEqual(12)
})

it('the README lists each guide, and CONTRIBUTING.md those that are not in the package', () => {
  const listed = [
    'README.md',
    ...targetsOf('README.md'),
    ...targetsOf('CONTRIBUTING.md').filter((page) => !isPacked(page)),
  ]
  expect(listed).toEqual(expect.arrayContaining(guides))
})

it('the guides have code only in languages that a test runs or checks', () => {
  const checked = new Set('ts js sh json yaml toml text diff python go java ruby php'.split(' '))
  expect(allBlocks.filter(({ language }) => !checked.has(language))).toEqual([])
})

// Citations of the specification.

const headings = new Set(
  [...textOf('docs/specification.md').matchAll(/^#+ §([\d.]+) /gm)].map(([, section]) => section!),
)

const sources = ['src', 'test', 'examples', 'fixtures'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|json|md|sh)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name)),
)

/** The sections that a text cites, such as 4.1. */
const getCitedSections = (text: string) => [...text.matchAll(/§\s?(\d+(?:\.\d+)*)/g)].map(([, section]) => section!)

const fileList = [...guides, ...sources].filter((file) => textOf(file).includes('§'))
it.each(fileList)('%s cites sections that exist', (file) => {
  expect(getCitedSections(textOf(file)).filter((section) => !headings.has(section))).toEqual([])
})

it('each behavior cites a section that exists', () => {
  const cited = Object.values(behaviorRegistry).flatMap(({ spec }) => getCitedSections(spec))
  expect(cited).toHaveLength(Object.keys(behaviorRegistry).length)
  expect(cited.filter((section) => !headings.has(section))).toEqual([])
})

it('no comment cites a document that is not in the repository', () => {
  const isForeign = (text: string) => /\bdesign(?:\.md| §)|\bspec\.md\b/i.test(text)
  expect(sources.filter((file) => isForeign(textOf(file)))).toEqual([])
})
