// Proves: Outbound.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import { commands } from '../../src/control/commands.ts'
import { textOf } from '../docs/pages.ts'
import { root } from '../support/installed.ts'

const src = new URL('../../src/', import.meta.url).pathname

/** The layers with their contents, in levels. A layer imports from itself and from those of the levels before it. */
const levels: readonly Readonly<Record<string, string>>[] = [
  { schema: 'the shapes of records, documents and options, as zod schemas' },
  {
    domain: 'the rules of the service: pure and synchronous, without HTTP',
    http: 'what every request and response has: bodies, JSON, the connection',
  },
  {
    openapi: 'routes, the documents built from them, and their examples as lines of curl',
    traffic: 'the journal, verification, coverage, events and faults',
  },
  {
    api: 'the mocked API: operations, validation, coverage',
    control: 'the control API below `/__admin`',
  },
  {
    pages: 'payment page, dashboard, `/docs`, start page',
    client: 'the control interface of the library, in process and over HTTP',
  },
  { mock: 'connects the parts' },
  { 'index.ts': 'the entry where there are no sockets' },
  {
    'extensions/compare': 'compares the calls of a program to a real service with the mock',
    'extensions/explore': 'searches client code and programs for bugs by faults and orders',

    'extensions/msw': 'a handler of MSW',
  },
  {
    node: 'sockets, files and the command line: the only layer that imports `node:` modules',
    'extensions/matchers': 'matchers of Vitest and Jest',
    'extensions/worker': 'the Worker',
  },
  { 'extensions/vitest': 'fixtures of Vitest', 'extensions/playwright': 'fixtures of Playwright' },
]
const layers = levels.flatMap((level) => Object.keys(level))
const levelOf = (layer: string): number => levels.findIndex((level) => layer in level)

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const importsOf = (file: string): string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, target]) => target!)

const layerOf = (file: string): string => /^extensions\/[^/]+|^[^/]+/.exec(file)![0]

/** The other layers from which a file imports. */
const importedLayers = (file: string): string[] =>
  importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => layerOf(normalize(join(dirname(file), target))))
    .filter((layer) => layer !== layerOf(file))

it('every file belongs to a layer', () => {
  expect(files.map(layerOf).filter((layer) => !layers.includes(layer))).toEqual([])
})

it.each(files)('%s imports only from its own layer and from those of the levels before it', (file) => {
  expect(importedLayers(file).filter((layer) => levelOf(layer) >= levelOf(layerOf(file)))).toEqual([])
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

it('no file is longer than 350 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').trimEnd().split('\n').length > 350)
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

/** Where the entries and the interface of the core are, for extensions. */
const forExtensions =
  /^(?:schema|client|extensions)\/|^(?:index|pages\/dashboard\/dashboard-pages|mock\/extension|node\/(?:index|files))\.ts$/

it.each(files.filter((file) => file.startsWith('extensions/')))('%s uses the core through its interface', (file) => {
  expect(importedFiles.get(file)!.filter((target) => !forExtensions.test(target))).toEqual([])
})

it('the interface of the core for extensions has no code, and its observer at most 40 lines', () => {
  const code = readFileSync(join(src, 'mock/extension.ts'), 'utf8').replace(/^export [^]*?from '.*'$|^\/\/ .*$/gm, '')
  expect(code.trim()).toBe('')
  expect(readFileSync(join(src, 'mock/observe.ts'), 'utf8').split('\n').length).toBeLessThanOrEqual(40)
})

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

it('no imports form a cycle, also those of types alone', () => {
  const done = new Set<string>()
  expect(files.map((file) => findCycle(importedFiles, file, [], done)).filter((cycle) => cycle !== undefined)).toEqual(
    [],
  )
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

it.each(Object.keys(commands))('%s is in two source files: that of its family, and that of its method', (id) => {
  const filesWith = (folder: string, text: string) =>
    files.filter((file) => file.startsWith(folder) && readFileSync(join(src, file), 'utf8').includes(text))
  expect(filesWith('control/', `  ${id}: defineCommand(`)).toEqual([expect.stringMatching(/-commands\.ts$/)])
  expect(filesWith('client/', `call('${id}'`).length).toBeLessThan(2)
})

it('the core that a maintainer must know has at most 13,900 lines', () => {
  const core = files.filter((file) => !/^(?:pages|extensions|node)\/|^index\.ts$/.test(file))
  const lines = core.map((file) => readFileSync(join(src, file), 'utf8').split('\n').length - 1)
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(13_900)
})

it('a file name exists once, except index.ts', () => {
  const names = files.map((file) => basename(file)).filter((name) => name !== 'index.ts')
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('the page about the architecture has the layers with their imports: `npm test -- -u` writes them', async () => {
  const page = textOf('docs/architecture.md')
  const lines = levels.flatMap(Object.entries<string>).map(([layer, contents]) => {
    const imported = new Set(files.filter((file) => layerOf(file) === layer).flatMap(importedLayers))
    const names = layers.filter((one) => imported.has(one)).map((one) => `\`${one}\``)
    return `| \`src/${layer}\` | ${contents} | ${names.join(', ') || 'nothing'} |`
  })
  const table = ['', '', '| Layer | Contents | Imports |', '| --- | --- | --- |', ...lines, '', ''].join('\n')
  const { prettier } = JSON.parse(textOf('package.json'))
  const markers = /(?<=<!-- layers -->)[^]*(?=<!-- \/layers -->)/
  expect(page).toMatch(markers)
  const formatted = await format(page.replace(markers, table), { parser: 'markdown', ...prettier })
  await expect(formatted).toMatchFileSnapshot(join(root, 'docs/architecture.md'))
})
