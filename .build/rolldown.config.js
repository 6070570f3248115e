// Bundles each entry of the package with everything it uses, so that an import reads few files and installs no package.
import { readFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import license from 'rollup-plugin-license'
import { browserScripts } from './browser-scripts.js'
import { inferredTypes } from './inferred-types.js'

const { bin, exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const files = [...Object.values(exports), bin].flatMap((entry) => Object.values(entry))

/** The entries of package.json with an ending: their names, and their sources. */
const listEntries = (ending, getSource) => {
  const names = files.filter((file) => file.endsWith(ending)).map((file) => /dist\/(.*?)(?:\.d)?\.[jt]s$/.exec(file)[1])
  return Object.fromEntries(names.map((name) => [name, getSource(name)]))
}

/** Writes out the routes of the commands: they are made from schemas, which the client must not load. */
const commandRoutes = {
  name: 'command-routes',
  load: {
    filter: { id: /\/command-routes\.ts$/ },
    handler: async (id) => {
      const { output } = await (await rolldown({ input: id })).generate()
      const { commandRoutes } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
      return `export const commandRoutes = ${JSON.stringify(commandRoutes)}`
    },
  },
}

/** Everything that an entry imports statically is one chunk, without the chunks before it: each file costs a millisecond. */
const groups = [
  { name: 'client', test: /\/(?:client\/index|version)\.ts$/ },
  { name: 'mock', test: /\/src\/index\.ts$/ },
  // Without cli.ts: a command that imports the chunk of its top-level await would never be loaded.
  { name: 'command-line', test: /\/cli\/run-command-line\.ts$/ },
]

/** A warning fails the build, except for one about its speed. */
const strict = {
  onLog: (level, log, handler) => handler(level === 'warn' ? 'error' : level, log),
  checks: { bundlerTimings: false },
}

const bundles = {
  ...strict,
  input: listEntries('.js', (name) => `./src/${name}.ts`),
  external: [/^node:/, ...Object.keys(peerDependencies)],
  plugins: [
    browserScripts(),
    commandRoutes,
    license({
      thirdParty: { output: 'dist/THIRD-PARTY.txt', allow: { test: '(MIT OR 0BSD)', failOnViolation: true } },
    }),
  ],
  // Without comments that name the file of each part: a start reads them, too.
  experimental: { attachDebugInfo: 'none' },
  // The same files run under Node and in a browser or Worker.
  platform: 'neutral',
  // Node 20 knows no `await using`.
  transform: { target: 'es2022' },
  resolve: { conditionNames: ['browser', 'import', 'default'], mainFields: ['module', 'main'] },
  output: { dir: 'dist', chunkFileNames: 'chunks/[name].js', comments: false, codeSplitting: { groups } },
}

/** The plugin prints some comments behind the declaration before, and an editor shows them for that one. */
const commentLines = {
  name: 'comment-lines',
  renderChunk: (code) => code.replaceAll('; /**', ';\n/**'),
}

/** Leaves out the schemas, which have the names of public types: zod is bundled, and so not installed. */
const withoutSchemas = {
  name: 'without-schemas',
  transform: {
    order: 'pre',
    filter: { id: /\.d\.ts$/ },
    handler: (code) =>
      code.replace(/(?:^\/\*\*(?:(?!\*\/)[^])*\*\/\n)?^(?:export )?declare const \w+: z\.[^]*?;\n(?![\s}])/gm, ''),
  },
}

/** Reduces the declarations of the compiler to what the entries reach. No package is bundled, so a test sees its import. */
const declarations = {
  ...strict,
  input: listEntries('.d.ts', (name) => `./node_modules/.cache/types/${name}.d.ts`),
  external: /^[^./]/,
  plugins: [inferredTypes, withoutSchemas, dts({ dtsInput: true, oxc: true }), commentLines],
  // The bundler drops references to libraries.
  output: { dir: 'dist', chunkFileNames: 'types/[name].d.ts', banner: '/// <reference lib="esnext.disposable" />' },
}

export default [bundles, declarations]
