// Bundles the unchanged API suites with the built package into one module: node bundle.js FOLDER.
import { accessSync, readdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { browserScripts } from '../../../.build/browser-scripts.js'
import { workerConditions } from '../../support/workerd.js'

const root = new URL('../../..', import.meta.url).pathname
const folder = resolve(process.argv[2] ?? '.')

// These run compilers and validators of Node on the document, and test no responses of the mock.
const left = new Set([
  'api/fields.test.ts',
  'api/openapi.test.ts',
  'api/openapi-types.test.ts',
  'control/documented.test.ts',
  'control/openapi.test.ts',
  // These need the timers of vitest, which stand still.
  'control/coverage.test.ts',
  'control/coverage-lines.test.ts',
])
// These need a socket or the command line.
const onSockets = new Set(['control/properties.test.ts', 'control/secrets.test.ts'])
// A file with another name would be bundled unnoticed.
for (const file of [...left, ...onSockets]) accessSync(join(root, 'test', file))
const suites = ['api', 'control'].flatMap((name) =>
  readdirSync(join(root, 'test', name))
    .map((file) => `${name}/${file}`)
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts') && !left.has(file)),
)

// How the package is bundled: `main` of some packages is a form that cannot be bundled.
const asPackage = { mainFields: ['module', 'main'] }

/** Replaces imports of the suites by the built package and our own runner. */
const standIns = (isWorker) => ({
  name: 'stand-ins',
  resolveId: (source, importer = '') => {
    if (source === 'vitest') return join(root, 'test/quality/runtimes/runner.js')
    // No code may be made from text in a worker, and the validator of the document does that.
    const isValidator = source.endsWith('/openapi.ts') || source.endsWith('/control-contract.ts')
    if (isWorker && isValidator && importer.includes('/test/'))
      return join(root, 'test/quality/runtimes/no-contract.js')
    if (isWorker && source.endsWith('/cli/support/request.ts')) return join(root, 'test/quality/runtimes/no-sockets.js')
    const target = relative(join(root, 'src'), resolve(importer, '..', source))
    if (target === 'node/index.ts') return join(root, isWorker ? 'dist/index.js' : 'dist/node/index.js')
    return ['index.ts', 'core/client/index.ts'].includes(target)
      ? join(root, 'dist', target.replace('.ts', '.js'))
      : null
  },
})

// Like test/support/cases.ts.
const sameCases = `import * as fc from 'fast-check'\nfc.configureGlobal({ seed: 1 })`

const write = async (name, isWorker, tail) => {
  const entry = join(folder, `${name}.entry.js`)
  const imports = suites
    .filter((file) => !isWorker || !onSockets.has(file))
    .map((file) => `import ${JSON.stringify(join(root, 'test', file))}`)
  // A module runs after its imports, so the globals of the suites are set in a separate module.
  const flag = join(folder, `${name}.flag.js`)
  writeFileSync(flag, `${sameCases}\nglobalThis.hasSockets = ${!isWorker}\n`)
  writeFileSync(entry, [`import ${JSON.stringify(flag)}`, ...imports, tail].join('\n'))
  const bundle = await rolldown({
    input: entry,
    plugins: [browserScripts(), standIns(isWorker)],
    platform: isWorker ? 'neutral' : 'node',
    // Node 20 cannot parse `await using`.
    transform: { target: 'es2022' },
    resolve: { ...(isWorker ? workerConditions : asPackage), modules: [join(root, 'node_modules')] },
    onLog: (level, { message }) => level === 'warn' && process.env.DEBUG && console.warn(message),
  })
  await bundle.write({ file: join(folder, `${name}.mjs`), codeSplitting: false })
}

const runner = JSON.stringify(join(root, 'test/quality/runtimes/runner.js'))
await write(
  'process',
  false,
  `import { runAll } from ${runner}
const { passed, failed } = await runAll()
for (const one of failed) console.error(one)
console.log(passed + ' passed, ' + failed.length + ' failed')
process.exit(failed.length === 0 && passed > 500 ? 0 : 1)`,
)
await write(
  'worker',
  true,
  `import { runAll } from ${runner}
export default { fetch: async () => Response.json(await runAll()) }`,
)
