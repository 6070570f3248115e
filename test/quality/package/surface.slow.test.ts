import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import type { ts as TypeScript } from '@ts-morph/common'
import { expect, it, onTestFinished } from 'vitest'

const { ts } = createRequire(import.meta.url)('@ts-morph/common') as { ts: typeof TypeScript }

const root = new URL('../../../', import.meta.url).pathname
type Entry = { types: string; default: string; node?: string }
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

const entries = [...new Set(faces.map(([, types]) => join(root, types)))]
const program = ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, noLib: true, types: [] })
const checker = program.getTypeChecker()

/** The symbols that a declaration file exports, values and types. */
const exportsOf = (file: string): TypeScript.Symbol[] =>
  checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)

const resolve = (symbol: TypeScript.Symbol): TypeScript.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

it.each(faces)('the public surface of %s is what it was', async (_, types, file) => {
  const values = Object.keys(await import(join(root, file))).toSorted()
  const declared = exportsOf(join(root, types))
    .map(({ name }) => name)
    .toSorted()
  expect(declared).toEqual(expect.arrayContaining(values))
  expect({ values, types: declared.filter((name) => !values.includes(name)) }).toMatchSnapshot()
})

it('the declarations have the types of the source, with each `readonly`', () => {
  const isGeneric = (symbol: TypeScript.Symbol) =>
    symbol.declarations?.some((node) => 'typeParameters' in node && node.typeParameters !== undefined)
  const checks = entries.flatMap((entry, index) => {
    const [source, declared] = [entry.replace('/dist/', '/src/').replace('.d.ts', '.ts'), entry.replace('.d.ts', '.js')]
    return exportsOf(entry)
      .map((symbol) => ({ name: symbol.name, target: resolve(symbol) }))
      .filter(({ target }) => target.flags & ts.SymbolFlags.Type && !isGeneric(target))
      .map(
        ({ name }) =>
          `export const ${name}${index}: Same<import('${source}').${name}, import('${declared}').${name}> = true`,
      )
  })
  // `npm ci` after a build leaves no cache.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const same = 'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false'
  writeFileSync(join(folder, 'check.ts'), [same, ...checks].join('\n'))
  const config = {
    extends: join(root, 'tsconfig.json'),
    include: ['check.ts', join(root, 'src/**/*.d.ts')],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  expect(checks.length).toBeGreaterThan(80)
  expect(spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout).toBe('')
})

it('each exported name and each public field has a sentence that users read on hover', () => {
  const missing = new Set<string>()
  const seen = new Set<TypeScript.Node>()
  const isOwn = (node: TypeScript.Node) => node.getSourceFile().fileName.startsWith(join(root, 'dist/'))
  const requireSentence = (symbol: TypeScript.Symbol, name: string) => {
    // The sentence is before the first tag.
    if (ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() === '') missing.add(name)
  }
  /** Follows the types that a declaration names, and checks the fields that it declares. */
  const visit = (node: TypeScript.Node, given: string): void => {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression)
      if (symbol !== undefined) follow(resolve(symbol))
    }
    // The sentence of a function describes the fields of its parameters.
    const owner = ts.isParameter(node) || ts.isTypeParameterDeclaration(node) ? '' : given
    const isField = ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isPropertyDeclaration(node)
    const name = isField && owner !== '' ? `${owner}.${node.name.getText()}` : owner
    if (isField && owner !== '') requireSentence(checker.getSymbolAtLocation(node.name)!, name)
    ts.forEachChild(node, (child) => visit(child, name))
  }
  const follow = (symbol: TypeScript.Symbol) => {
    for (const declaration of symbol.declarations ?? []) {
      if (seen.has(declaration) || !isOwn(declaration)) continue
      seen.add(declaration)
      visit(declaration, symbol.name)
    }
  }
  for (const entry of entries) {
    for (const exported of exportsOf(entry)) {
      const symbol = resolve(exported)
      if (!symbol.declarations?.some(isOwn)) continue
      requireSentence(symbol, `${relative(root, entry)}: ${exported.name}`)
      follow(symbol)
    }
  }
  expect(seen.size).toBeGreaterThan(100)
  expect([...missing].toSorted()).toEqual([])
})

it('the sentence of createMock holds under Node too', () => {
  const [, text = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s+(?:export )?declare const createMock/.exec(
    readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => readFileSync(join(root, 'dist', file), 'utf8'))
      .join('\n'),
  )!
  expect(text).toContain('Creates a mock in this process.')
  expect(text).not.toContain('without sockets')
})

const dist = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })

it('no declaration has the comment of another one', () => {
  const texts = dist
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => readFileSync(join(root, 'dist', file), 'utf8'))
  expect(texts.flatMap((text) => text.match(/\/\*\*(?:(?!\*\/)[^])*\*\/\s*\/\*\*.*/g) ?? [])).toEqual([])
})

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

it.each(['core/client/index.js', 'testing/matchers/index.js', 'cli/cli.js'])('%s loads no schemas', (entry) => {
  const files = loadedBy(join(root, 'dist', entry))
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
    'core/client/index.js',
    'worker/index.js',
    ...['matchers', 'msw'].map((name) => `testing/${name}/index.js`),
  ]
  expect(neutral.filter((entry) => importsNode(join(root, 'dist', entry)))).toEqual([])
})

it('the package has few files, is small, and has no source map', () => {
  const files = dist.filter((file) => /\.(?:js|txt)$/.test(file))
  expect(files.length).toBeLessThanOrEqual(70)
  expect(files.reduce((sum, file) => sum + statSync(join(root, 'dist', file)).size, 0)).toBeLessThan(1_300_000)
  expect(dist.filter((file) => file.endsWith('.map'))).toEqual([])
})

it('the package has the licences of what is bundled', () => {
  const notices = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8').split('\n---\n')
  expect(notices.map((notice) => /^Name: (.*)$/m.exec(notice)?.[1])).toEqual(expect.arrayContaining(['hono', 'zod']))
  for (const notice of notices) expect(notice).toMatch(/^License: MIT$/m)
})

it('the README names each bundled package with its version', () => {
  const notices = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8')
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  // The last one is a part of the scripts of pages. Its licence requires no notice.
  const names = [...[...notices.matchAll(/^Name: (.*)$/gm)].map(([, name]) => name!), 'idiomorph']
  const versions = names.toSorted().map((name) => `${name} ${devDependencies[name]}`)
  const line = `it bundles ${versions.join(', ').replace(/, ([^,]*)$/, ' and $1')}.`
  expect(readFileSync(join(root, 'README.md'), 'utf8').replaceAll(/\s+/g, ' ')).toContain(line)
})

it('functions keep their names', async () => {
  const { createMock } = (await import(join(root, 'dist/node/index.js'))) as {
    createMock: (options: unknown) => unknown
  }
  try {
    createMock({ port: 1 })
  } catch (error) {
    expect((error as Error).stack).toMatch(/at checkOptions [^]*at createCore [^]*at createMock /)
  }
  expect.assertions(1)
})

it.each(
  [...readFileSync(join(root, 'docs/reference.md'), 'utf8').matchAll(/^\| `paylink-mock(\/\w+)?` +\|(.*)\|$/gm)].map(
    ([, path = '', contents = '']) => [`.${path}`, [...contents.matchAll(/`(\w+)`/g)].map(([, name]) => name)] as const,
  ),
)('the reference lists only names that %s exports', async (path, names) => {
  const { default: file } = exports[path] as Entry
  expect(Object.keys(await import(join(root, file)))).toEqual(expect.arrayContaining([...names]))
})
