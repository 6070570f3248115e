// Runs the bundled suites inside workerd: node workerd.js FOLDER, where miniflare and the bundle are.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const folder = resolve(process.argv[2] ?? '.')
const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare')

const worker = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(join(folder, 'worker.mjs'), 'utf8') }],
  compatibilityDate: '2025-01-01',
  compatibilityFlags: ['nodejs_compat'],
})
const { passed, skipped, failed } = await (await worker.dispatchFetch('http://suites/')).json()
await worker.dispose()
for (const one of failed) console.error(one)
console.log(`${passed} passed, ${skipped} left out for want of a socket, ${failed.length} failed`)
process.exitCode = failed.length === 0 && passed > 500 ? 0 : 1
