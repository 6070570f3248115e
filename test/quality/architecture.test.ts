import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { expect, it } from 'vitest'

const src = new URL('../../src/', import.meta.url).pathname

/** The allowed imports: a layer, and the layers below it. */
const layers: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  wire: ['schema'],
  domain: ['schema'],
  traffic: ['schema', 'domain', 'wire'],
  http: ['schema', 'domain', 'traffic', 'wire', 'version.ts'],
  control: ['schema', 'domain', 'traffic', 'wire', 'version.ts'],
  pages: ['schema', 'wire'],
  client: ['schema'],
  matchers: ['schema', 'explore'],
  'version.ts': [],
  'behavior-matrix.ts': ['schema'],
  'listen.ts': [],
  'with-logging.ts': ['schema', 'wire'],
  'routes.ts': ['schema', 'wire', 'http', 'control'],
  'site.ts': ['wire', 'http', 'pages', 'routes.ts'],
  'instance.ts': [
    'schema',
    'domain',
    'traffic',
    'wire',
    'http',
    'control',
    'client',
    'with-logging.ts',
    'routes.ts',
    'site.ts',
    'version.ts',
  ],
  'sandboxes.ts': ['schema', 'client', 'instance.ts'],
  'sandbox-router.ts': ['schema', 'wire', 'http', 'with-logging.ts', 'instance.ts', 'sandboxes.ts'],
  'mock.ts': [
    'schema',
    'domain',
    'traffic',
    'wire',
    'http',
    'client',
    'listen.ts',
    'with-logging.ts',
    'routes.ts',
    'instance.ts',
    'sandboxes.ts',
    'sandbox-router.ts',
  ],
  'index.ts': ['schema', 'behavior-matrix.ts', 'client', 'listen.ts', 'mock.ts', 'version.ts'],
  calibrate: ['schema'],
  msw: ['mock.ts'],
  explore: ['schema', 'domain', 'http', 'client', 'listen.ts', 'mock.ts'],
  worker: ['schema', 'wire', 'domain', 'control', 'mock.ts'],
  vitest: ['schema', 'client', 'matchers', 'node'],
  playwright: ['schema', 'client', 'node'],
  node: ['schema', 'wire', 'calibrate', 'listen.ts', 'mock.ts', 'index.ts', 'version.ts'],
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const importsOf = (file: string): string[] =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, target]) => target!)

const layerOf = (file: string): string => file.split('/')[0]!

it('every file belongs to a layer', () => {
  expect(files.map(layerOf).filter((layer) => !(layer in layers))).toEqual([])
})

it.each(files)('%s imports only from its own layer and from those below', (file) => {
  const wrong = importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => layerOf(relative(src, normalize(join(src, dirname(file), target)))))
    .filter((layer) => layer !== layerOf(file) && !layers[layerOf(file)]!.includes(layer))
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

/** The files and packages that a file loads. Imports of types alone load nothing. */
const loadedBy = (file: string, loaded = new Set<string>()): Set<string> => {
  loaded.add(file)
  const source = readFileSync(join(src, file), 'utf8').replace(/^(?:import|export) type [^;]*?from '.*'$/gm, '')
  for (const [, target] of source.matchAll(/from '([^']+)'/g)) {
    const next = target!.startsWith('.') ? relative(src, normalize(join(src, dirname(file), target!))) : target!
    if (!next.endsWith('.ts')) loaded.add(next)
    else if (!loaded.has(next)) loadedBy(next, loaded)
  }
  return loaded
}

it.each(['client', 'matchers'])('the %s entry loads no packages', (entry) => {
  expect([...loadedBy(`${entry}/index.ts`)].filter((file) => !file.endsWith('.ts'))).toEqual([])
})

it('no file is longer than 200 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > 200)
  expect(long).toEqual([])
})
