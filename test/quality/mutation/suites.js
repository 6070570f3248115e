// The tests for mutants, in one module: quick ones, without a browser, child process or socket.
import { readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'

const folders = ['unit/domain', 'unit/schema', 'unit/wire', 'api', 'control', 'control/traffic', 'integrations']

// These use compilers and validators, or watch globals, which our runner does not support.
const left = new Set([
  'unit/schema/documents.test.ts',
  'api/client.test.ts',
  'api/openapi.test.ts',
  'control/rejected.test.ts',
  'control/traffic/bounds.test.ts',
  'control/traffic/delays.test.ts',
  'integrations/behavior-matrix.test.ts',
  'integrations/create-mock.test.ts',
])

const suitesIn = (root) =>
  [
    ...folders.flatMap((folder) => readdirSync(join(root, 'test', folder)).map((file) => `${folder}/${file}`)),
    'cli/admin-access.test.ts',
    'cli/wrong-behaviors.test.ts',
  ].filter((file) => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts') && !left.has(file))

/** Our runner replaces vitest; installed packages stay external. */
const standIns = (root) => ({
  name: 'stand-ins',
  resolveId: (source, importer = '') => {
    if (source === 'vitest') return join(root, 'test/quality/runtimes/runner.js')
    // To compile the document for every mutant would take most of the time.
    if (source.endsWith('/openapi.ts') && relative(root, importer).startsWith('test/support/'))
      return join(root, 'test/quality/runtimes/no-contract.js')
    if (source.endsWith('/canary.ts')) return join(root, 'test/quality/runtimes/no-canary.js')
    return /^[./]/.test(source) ? null : { id: source, external: true }
  },
})

/** Bundles the tests with the sources under `root`, and returns the path of the module. */
export const bundleSuites = async (root) => {
  const entry = join(root, 'suites.entry.js')
  const file = join(root, 'suites.mjs')
  // A suite is loaded on demand, so that a mutant loads only its suites.
  const lines = suitesIn(root).map((suite) => {
    const path = join(root, 'test', suite)
    return `  ${JSON.stringify(`test/${suite}`)}: () => import(${JSON.stringify(path)}),`
  })
  writeFileSync(entry, ['export const suites = {', ...lines, '}', `export { declared } from 'vitest'`].join('\n'))
  const bundle = await rolldown({
    input: entry,
    plugins: [standIns(root)],
    platform: 'node',
    transform: { target: 'es2022' },
  })
  await bundle.write({ file, codeSplitting: false })
  return file
}
