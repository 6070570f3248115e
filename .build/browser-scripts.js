// Lets a module import a script of a page as text: `import script from './browser/docs.ts?script'`.
import { dirname, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const suffix = '?script'

/** A plugin for rolldown and vite that bundles such a script for browsers. */
export const browserScripts = () => ({
  name: 'browser-scripts',
  enforce: 'pre',
  resolveId: (source, importer) => (source.endsWith(suffix) ? resolve(dirname(importer), source) : undefined),
  load: async (id) => {
    if (!id.endsWith(suffix)) return
    const build = await rolldown({ input: id.slice(0, -suffix.length), platform: 'browser' })
    const { output } = await build.generate({ format: 'iife', minify: true })
    return { code: `export default ${JSON.stringify(output[0].code)}`, moduleType: 'js' }
  },
})
