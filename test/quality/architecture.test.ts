// Proves: Outbound.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { format } from 'prettier'
import { expect, it } from 'vitest'
import { commands } from '../../src/core/control/commands.ts'
import { textOf } from '../docs/pages.ts'
import { root } from '../support/installed.ts'

const src = new URL('../../src/', import.meta.url).pathname

/** The layers with their contents, in levels. A layer imports from itself and from those of the levels before it. */
const levels: readonly Readonly<Record<string, string>>[] = [
  { 'core/schema': 'the shapes of records, documents and options, as zod schemas' },
  {
    'core/domain': 'the rules of the service: synchronous, without I/O',
    'core/http': 'what every request and response has: bodies, JSON, the connection',
  },
  {
    'core/openapi': 'routes, the documents built from them, and their examples as lines of curl',
    'core/traffic': 'the journal, verification, coverage, events and faults',
  },
  {
    'core/api': 'the mocked API: operations, validation, coverage',
    'core/control': 'the control API below `/__admin`',
  },
  {
    'core/pages': 'payment page, `/docs`, start page',
    'core/client': 'the control interface of the library, in process and over HTTP',
  },
  { 'core/mock': 'connects the parts' },
  {
    dashboard: 'the dashboard, which the entries give to the core',
    'command-line': 'what the commands share: flags, files, the terminal, programs of the user',
  },
  { 'index.ts': 'the entry where there are no sockets' },
  { node: 'the entry of Node, and its server', worker: 'the Worker' },
  {
    compare: 'compares the calls of a program to a real service with the mock',
    explore: 'searches client code and programs for bugs by faults and orders',
  },
  {
    testing: 'matchers, and fixtures of Vitest, Playwright and MSW',
    cli: 'the program `paylink-mock`, which starts each command',
  },
]
const layers = levels.flatMap((level) => Object.keys(level))
const levelOf = (layer: string): number => levels.findIndex((level) => layer in level)

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const importsOf = (file: string): string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, target]) => target!)

const layerOf = (file: string): string => /^core\/[^/]+|^[^/]+/.exec(file)![0]

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
  const outside = files.filter(
    (file) =>
      !/^(?:node|command-line|cli)\/|^(?:compare\/(?:proxy|compare-command)|explore\/programs\/(?:search-commands|search-flags|service-address))\.ts$/.test(
        file,
      ),
  )
  expect(outside.flatMap((file) => importsOf(file).filter((target) => target.startsWith('node:')))).toEqual([])
})

it('only HTTP layers import Hono, and the domain uses no HTTP', () => {
  const hono = (layer: string) =>
    files.filter((file) => layerOf(file) === layer && importsOf(file).some((target) => target.includes('hono')))
  for (const layer of ['core/schema', 'core/domain', 'core/client', 'index.ts']) expect(hono(layer)).toEqual([])
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

/** The parts of the core that a wing may import. The dashboard is made of the pages and the commands of the core. */
const forWings: Readonly<Record<string, RegExp>> = {
  dashboard: /^core\/(?:schema|openapi|control|pages)\//,
  node: /^core\/(?:schema|http|mock)\//,
  'command-line': /^core\/(?:schema|http)\//,
  cli: /^core\/(?:schema|client|openapi|mock)\//,
}
const forOtherWings = /^core\/(?:schema|client)\/|^core\/mock\/extension\.ts$|^core\/openapi\/curl\.ts$/

it.each(files.filter((file) => !/^core\/|^index\.ts$/.test(file)))('%s uses the core through its interface', (file) => {
  const allowed = forWings[layerOf(file)] ?? forOtherWings
  expect(importedFiles.get(file)!.filter((target) => target.startsWith('core/') && !allowed.test(target))).toEqual([])
})

it('the core imports no wing', () => {
  const imported = files.filter((file) => file.startsWith('core/')).flatMap(importedLayers)
  expect(imported.filter((layer) => !layer.startsWith('core/'))).toEqual([])
})

it('the interface of the core for wings has no code, and its observer at most 40 lines', () => {
  const code = readFileSync(join(src, 'core/mock/extension.ts'), 'utf8').replace(
    /^export [^]*?from '.*'$|^\/\/ .*$/gm,
    '',
  )
  expect(code.trim()).toBe('')
  expect(readFileSync(join(src, 'core/mock/observe.ts'), 'utf8').split('\n').length).toBeLessThanOrEqual(40)
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
  expect(filesWith('core/control/', `  ${id}: defineCommand(`)).toEqual([expect.stringMatching(/-commands\.ts$/)])
  expect(filesWith('core/client/', `call('${id}'`).length).toBeLessThan(2)
})

/** The lines of the files whose names match. */
const countLines = (pattern: RegExp): number =>
  files
    .filter((file) => pattern.test(file))
    .map((file) => readFileSync(join(src, file), 'utf8').split('\n').length - 1)
    .reduce((sum, count) => sum + count, 0)

it('the core that a maintainer must know has at most 13,900 lines, with its pages 15,200', () => {
  expect(countLines(/^core\/(?!pages\/)/)).toBeLessThanOrEqual(13_900)
  expect(countLines(/^core\//)).toBeLessThanOrEqual(15_200)
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
