// Proves: Outbound.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import { textOf } from '../docs/pages.ts'
import { root } from '../support/installed.ts'

const src = new URL('../../src/', import.meta.url).pathname

interface Layer {
  readonly contents: string
  /** The layers that it may import. */
  readonly imports: readonly string[]
}

const core = ['schema', 'domain', 'traffic', 'wire']

/** The layers. A layer imports from itself and from those in its list. */
const layers: Readonly<Record<string, Layer>> = {
  schema: { contents: 'the shapes of records, documents, options and commands, as zod schemas', imports: [] },
  domain: { contents: 'the rules of the service: pure and synchronous, without HTTP', imports: ['schema'] },
  wire: { contents: 'HTTP details: JSON, headers, transports, responses, routes', imports: ['schema'] },
  traffic: {
    contents: 'the journal, verification, coverage, events and faults',
    imports: ['schema', 'domain', 'wire'],
  },
  http: { contents: 'the mocked API: operations, validation, OpenAPI', imports: core },
  control: { contents: 'the control API below `/__admin`', imports: core },
  pages: { contents: 'payment page, dashboard, `/docs`, `/llms.txt`, start page', imports: ['schema', 'wire'] },
  client: { contents: 'the control interface of the library, in process and over HTTP', imports: ['schema'] },
  mock: { contents: 'connects the parts', imports: [...core, 'http', 'control', 'pages', 'client'] },
  'index.ts': { contents: 'the entry where there are no sockets: exports only', imports: ['schema', 'client', 'mock'] },
  node: {
    contents: 'sockets, files and the command line: the only layer that imports `node:` modules',
    imports: ['schema', 'wire', 'client', 'mock', 'index.ts', 'extensions/calibrate', 'extensions/explore'],
  },
  'extensions/calibrate': { contents: 'the probes of a real service', imports: ['schema'] },
  'extensions/explore': {
    contents: 'searches client code and programs for bugs by faults and orders',
    imports: ['schema', 'wire', 'domain', 'http', 'client', 'mock'],
  },
  'extensions/worker': { contents: 'the Worker', imports: ['schema', 'wire', 'domain', 'control', 'mock'] },
  'extensions/matchers': {
    contents: 'matchers of Vitest and Jest',
    imports: ['schema', 'client', 'extensions/explore'],
  },
  'extensions/msw': { contents: 'a handler of MSW', imports: ['mock'] },
  'extensions/vitest': {
    contents: 'fixtures of Vitest',
    imports: ['schema', 'client', 'node', 'extensions/matchers'],
  },
  'extensions/playwright': { contents: 'fixtures of Playwright', imports: ['schema', 'client', 'node'] },
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const importsOf = (file: string): string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, target]) => target!)

const layerOf = (file: string): string => /^extensions\/[^/]+|^[^/]+/.exec(file)![0]

it('every file belongs to a layer', () => {
  expect(files.map(layerOf).filter((layer) => !(layer in layers))).toEqual([])
})

it.each(files)('%s imports only from its own layer and from those below', (file) => {
  const wrong = importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => layerOf(normalize(join(dirname(file), target))))
    .filter((layer) => layer !== layerOf(file) && !layers[layerOf(file)]!.imports.includes(layer))
  expect(wrong).toEqual([])
})

it('only the edge imports from Node', () => {
  const outside = files.filter((file) => layerOf(file) !== 'node')
  expect(outside.flatMap((file) => importsOf(file).filter((target) => target.startsWith('node:')))).toEqual([])
})

it('only HTTP layers import Hono, and the domain uses no HTTP', () => {
  const hono = (layer: string) =>
    files.filter((file) => layerOf(file) === layer && importsOf(file).some((target) => target.includes('hono')))
  for (const layer of ['schema', 'domain', 'client', 'index.ts']) expect(hono(layer)).toEqual([])
})

/** The build writes out the value of this file. */
const computed = 'schema/command-routes.ts'

/** The files and packages that a file of the built package loads. Imports of types alone load nothing. */
const loadedBy = (file: string, loaded = new Set<string>()): Set<string> => {
  loaded.add(file)
  if (file === computed) return loaded
  const source = readFileSync(join(src, file), 'utf8').replace(/^(?:import|export) type [^;]*?from '.*'$/gm, '')
  for (const [, target] of source.matchAll(/from '([^']+)'/g)) {
    const next = target!.startsWith('.') ? relative(src, normalize(join(src, dirname(file), target!))) : target!
    if (!next.endsWith('.ts')) loaded.add(next)
    else if (!loaded.has(next)) loadedBy(next, loaded)
  }
  return loaded
}

it.each(['client', 'extensions/matchers'])('the %s entry loads no packages', (entry) => {
  expect([...loadedBy(`${entry}/index.ts`)].filter((file) => !file.endsWith('.ts'))).toEqual([])
})

it('no file is longer than 350 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > 350)
  expect(long).toEqual([])
})

/** The files that a file imports, also for types alone. */
const importedFiles = new Map(
  files.map((file) => [
    file,
    importsOf(file)
      .filter((target) => target.startsWith('.'))
      .map((target) => normalize(join(dirname(file), target)).replace(/\?.*$/, '')),
  ]),
)

/** Returns a cycle of nodes that can be reached from a node, or undefined. */
const findCycle = (
  edges: ReadonlyMap<string, readonly string[]>,
  node: string,
  path: readonly string[] = [],
  done = new Set<string>(),
): readonly string[] | undefined => {
  if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
  if (done.has(node)) return undefined
  for (const next of edges.get(node) ?? []) {
    const cycle = findCycle(edges, next, [...path, node], done)
    if (cycle !== undefined) return cycle
  }
  done.add(node)
  return undefined
}

it('a cycle of imports is found', () => {
  const edges = new Map([
    ['a', ['b', 'd']],
    ['b', ['d']],
    ['d', ['c']],
    ['c', ['b']],
  ])
  expect(findCycle(edges, 'a')).toEqual(['b', 'd', 'c', 'b'])
  expect(findCycle(edges, 'e')).toBeUndefined()
})

it('no imports form a cycle, also those of types alone', () => {
  const done = new Set<string>()
  expect(files.map((file) => findCycle(importedFiles, file, [], done)).filter((cycle) => cycle !== undefined)).toEqual(
    [],
  )
})

it('the imports of the layers have at most 8 levels', () => {
  const edges = new Map(Object.keys(layers).map((layer) => [layer, new Set<string>()]))
  for (const [file, targets] of importedFiles)
    for (const target of targets) if (layerOf(target) !== layerOf(file)) edges.get(layerOf(file))!.add(layerOf(target))
  const levelOf = (layer: string): number => 1 + Math.max(0, ...[...edges.get(layer)!].map(levelOf))
  expect(Math.max(...Object.keys(layers).map(levelOf))).toBeLessThanOrEqual(8)
})

/** Exported names that another file also declares, and why. */
const sharedNames: Readonly<Record<string, string>> = {
  createMock: 'the public function: with sockets in Node, and without elsewhere',
}

it('an exported name is declared in one file only, except those with a reason', () => {
  const declared = new Map<string, Set<string>>()
  const exported = new Set<string>()
  for (const file of files)
    for (const [, isExported, name] of readFileSync(join(src, file), 'utf8').matchAll(
      /^(export )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|enum|interface|type) (\w+)/gm,
    )) {
      declared.set(name!, (declared.get(name!) ?? new Set()).add(file))
      if (isExported) exported.add(name!)
    }
  const shared = [...declared].filter(([name, { size }]) => size > 1 && exported.has(name))
  expect(shared.filter(([name]) => !(name in sharedNames)).map(([name, where]) => [name, ...where])).toEqual([])
  expect(Object.keys(sharedNames)).toEqual(shared.map(([name]) => name))
  expect(shared.length).toBeLessThanOrEqual(10)
})

it('a file name exists once, except index.ts', () => {
  const names = files.map((file) => basename(file)).filter((name) => name !== 'index.ts')
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('the page about the architecture has the table of layers: `npm test -- -u` writes it', async () => {
  const page = textOf('docs/architecture.md')
  const lines = Object.entries(layers).map(
    ([layer, { contents, imports }]) =>
      `| \`src/${layer}\` | ${contents} | ${imports.map((one) => `\`${one}\``).join(', ') || 'nothing'} |`,
  )
  const table = ['', '', '| Layer | Contents | May import |', '| --- | --- | --- |', ...lines, '', ''].join('\n')
  const { prettier } = JSON.parse(textOf('package.json'))
  const markers = /(?<=<!-- layers -->)[^]*(?=<!-- \/layers -->)/
  expect(page).toMatch(markers)
  const formatted = await format(page.replace(markers, table), { parser: 'markdown', ...prettier })
  await expect(formatted).toMatchFileSnapshot(join(root, 'docs/architecture.md'))
})
