// Proves: Outbound.
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
  http: ['schema', 'domain', 'traffic', 'wire'],
  control: ['schema', 'domain', 'traffic', 'wire'],
  pages: ['schema', 'wire'],
  client: ['schema'],
  mock: ['schema', 'domain', 'traffic', 'wire', 'http', 'control', 'pages', 'client'],
  'index.ts': ['schema', 'client', 'mock'],
  node: ['schema', 'wire', 'mock', 'index.ts', 'extensions/calibrate'],
  'extensions/calibrate': ['schema'],
  'extensions/explore': ['schema', 'domain', 'http', 'client', 'mock'],
  'extensions/worker': ['schema', 'wire', 'domain', 'control', 'mock'],
  'extensions/matchers': ['schema', 'client', 'extensions/explore'],
  'extensions/msw': ['mock'],
  'extensions/vitest': ['schema', 'client', 'node', 'extensions/matchers'],
  'extensions/playwright': ['schema', 'client', 'node'],
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

it.each(['client', 'extensions/matchers'])('the %s entry loads no packages', (entry) => {
  expect([...loadedBy(`${entry}/index.ts`)].filter((file) => !file.endsWith('.ts'))).toEqual([])
})

it('no file is longer than 350 lines', () => {
  const long = files.filter((file) => readFileSync(join(src, file), 'utf8').split('\n').length > 350)
  expect(long).toEqual([])
})
