// Lets a module import a script of a page as text: `import script from './browser/docs.ts?script'`.
import { dirname, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const suffix = '?script'

/**
 * A plugin for rolldown and vite that bundles such a script for browsers.
 *
 * @param modules receives the files that scripts consist of
 */
export const browserScripts = (modules = new Set()) => ({
  name: 'browser-scripts',
  enforce: 'pre',
  resolveId: (source, importer) => (source.endsWith(suffix) ? resolve(dirname(importer), source) : undefined),
  load: async (id) => {
    if (!id.endsWith(suffix)) return
    const build = await rolldown({ input: id.slice(0, -suffix.length), platform: 'browser' })
    const { output } = await build.generate({ format: 'iife', minify: true })
    for (const file of Object.keys(output[0].modules)) modules.add(file)
    return { code: `export default ${JSON.stringify(output[0].code)}`, moduleType: 'js' }
  },
})
