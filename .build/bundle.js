// Bundles every entry of the package with what it uses, so that an import reads a few files and installs no package.
import { rolldown } from 'rolldown'
import { browserScripts } from './browser-scripts.js'
import { importSources } from './types.js'

/**
 * What entries share, in few files: each file costs about a millisecond. Whatever is imported on demand stays by itself.
 * A command that only prints something needs nothing but the first two.
 */
const groups = [
  { name: 'errors', test: /\/src\/schema\/(?:version|error|problem|text|url|json-value)\.ts$/ },
  { name: 'args', test: /\/src\/node\/(?:args|flags|log|terminal)\.ts$/ },
  {
    name: 'client',
    test: /\/src\/(?:client|schema\/(?:command-routes|check-options))/,
    tags: ['$initial'],
  },
  { name: 'schemas', test: /\/src\/(?:schema\/|wire\/json\.ts)|\/node_modules\/zod\//, tags: ['$initial'] },
  {
    name: 'mock',
    test: /\/src\/(?:domain|traffic|http|control|pages|wire|mock|[^/]+\.ts$)|\/node_modules\//,
    tags: ['$initial'],
  },
]

/** Writes out the routes of the commands: they are made from schemas, which the client must not load. */
const commandRoutes = {
  name: 'command-routes',
  load: async (id) => {
    if (!id.endsWith('/src/schema/command-routes.ts')) return
    const modules = await importSources('src/schema', ['command-routes'])
    return `export const commandRoutes = ${JSON.stringify(modules.get('command-routes').commandRoutes)}`
  },
}

/**
 * Writes the bundles.
 *
 * @param entries the entries, without an extension
 * @param peers the packages that the user installs
 * @returns the modules of other packages that are part of the bundles
 */
export const bundle = async (entries, dir, peers) => {
  const inScripts = new Set()
  const build = await rolldown({
    plugins: [browserScripts(inScripts), commandRoutes],
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    external: [/^node:/, ...peers],
    // The same files run under Node and in a browser or Worker.
    platform: 'neutral',
    // Node 20 knows no `await using`.
    transform: { target: 'es2022' },
    resolve: { conditionNames: ['browser', 'import', 'default'], mainFields: ['module', 'main'] },
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await build.write({
    dir,
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups },
    comments: false,
  })
  const files = [...output.flatMap(({ modules = {} }) => Object.keys(modules)), ...inScripts]
  return files.filter((id) => /\/node_modules\/|^\0/.test(id))
}
