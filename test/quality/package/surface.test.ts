import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ts as TypeScript } from '@ts-morph/common'
import { expect, it } from 'vitest'
import { noticesOf } from '../../../.build/notices.js'

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as { ts: typeof TypeScript }

const root = new URL('../../../', import.meta.url).pathname
interface Entry {
  readonly types: string
  readonly default: string
  readonly node?: string
}
const { exports, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | Entry>
  peerDependencies: Record<string, string>
}

/** Each entry, and the file behind it under each condition. */
const faces = Object.entries(exports).flatMap(([path, entry]): [name: string, types: string, file: string][] => {
  if (typeof entry === 'string') return []
  const { types, default: file, node } = entry
  if (node === undefined) return [[path, types, file]]
  return [
    [`${path} (node)`, types, node],
    [`${path} (elsewhere)`, types, file],
  ]
})

/** The names that a declaration file exports, values and types. */
const declaredIn = (file: string): string[] => {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 }
  const program = ts.createProgram([file], { ...options, noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!
  return checker.getExportsOfModule(module).map(({ name }) => name)
}

it.each(faces)('the public surface of %s is what it was', async (_, types, file) => {
  const values = Object.keys(await import(join(root, file))).toSorted()
  const declared = declaredIn(join(root, types)).toSorted()
  expect(declared).toEqual(expect.arrayContaining(values))
  expect({ values, types: declared.filter((name) => !values.includes(name)) }).toMatchSnapshot()
})

const dist = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })

/** The packages and built-in modules that the files with this ending import. */
const importedBy = (ending: string): string[] => {
  const texts = dist
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(join(root, 'dist', file), 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(/\b(?:from|import|import\() ?['"]([@\w][@\w/:-]*)['"]/g)])
  return [...new Set(names.map(([, name]) => name!))].toSorted()
}

/** A file of the package and all files that it imports. */
const loadedBy = (file: string): string[] => {
  const imported = [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import) ?['"](\.[^'"]+)['"]/g)]
  return [file, ...imported.flatMap(([, target]) => loadedBy(join(file, '..', target!)))]
}

it('the client loads no schemas', () => {
  const files = loadedBy(join(root, 'dist/client/index.js'))
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('_zod'))).toEqual([])
})

it('declarations and bundles import only peer dependencies', () => {
  expect(importedBy('.d.ts')).toEqual(Object.keys(peerDependencies))
  // Only the types of Playwright are used.
  expect(importedBy('.js').filter((name) => !name.startsWith('node:'))).toEqual(['msw', 'vitest'])
})

it('entries for other runtimes import no module of Node', () => {
  const importsNode = (file: string, seen = new Set<string>()): boolean => {
    if (seen.has(file)) return false
    seen.add(file)
    const text = readFileSync(file, 'utf8')
    const names = [...text.matchAll(/\b(?:from|import|import\() ?["']([^"']+)["']/g)].map(([, name]) => name!)
    return names.some((name) =>
      name.startsWith('.') ? importsNode(join(file, '..', name), seen) : name.startsWith('node:'),
    )
  }
  const neutral = [
    'index.js',
    'client/index.js',
    ...['matchers', 'msw', 'worker'].map((name) => `extensions/${name}/index.js`),
  ]
  expect(neutral.filter((entry) => importsNode(join(root, 'dist', entry)))).toEqual([])
})

it('the package has few files, and no source map', () => {
  expect(dist.filter((file) => file.endsWith('.js')).length).toBeLessThanOrEqual(65)
  expect(dist.filter((file) => file.endsWith('.map'))).toEqual([])
})

it('the package has the full licence of everything that is bundled', () => {
  const [, ...notices] = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8').split(`\n\n${'-'.repeat(80)}\n\n`)
  expect(notices.map((notice) => /^(\S+) [\d.]+ \((?:MIT|0BSD)\)\n/.exec(notice)?.[1])).toEqual([
    '@hono/node-server',
    '@hono/zod-validator',
    '@noble/hashes',
    '@oxc-project/runtime',
    'hono',
    'idiomorph',
    'jsonc-parser',
    'nanoid',
    'zod',
  ])
  const isMit = (notice: string) => /^\S+ \S+ \(MIT\)/.test(notice)
  expect(notices.find((notice) => !isMit(notice))).toContain('Permission to use, copy, modify, and/or distribute')
  for (const notice of notices.filter(isMit)) {
    expect(notice).toMatch(/^Copyright \S/im)
    expect(notice.replace(/\s+/g, ' ')).toContain(
      'The above copyright notice and this permission notice shall be included',
    )
    expect(notice.replace(/\s+/g, ' ')).toMatch(/OR THE USE OR OTHER DEALINGS IN THE SOFTWARE\./)
  }
  // The build fails if the text of a licence is unknown.
  expect(() => noticesOf(['\0@somebody+else@1.0.0/index.js'])).toThrow('@somebody/else is bundled')
})

it('functions keep their names', async () => {
  const { createMock } = (await import(join(root, 'dist/node/index.js'))) as {
    createMock: (options: unknown) => unknown
  }
  try {
    createMock({ port: 1 })
  } catch (error) {
    expect((error as Error).stack).toMatch(/at parseOptions [^]*at createCore [^]*at createMock /)
  }
  expect.assertions(1)
})
