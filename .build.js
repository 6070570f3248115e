// Builds the package into dist, unless dist was built from the same inputs: a start should not wait for a compiler.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
const inputs = [
  '.build.js',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  ...[...filesIn('.build'), ...filesIn('src')].filter((file) => statSync(file).isFile()),
].toSorted()

const hash = createHash('sha256')
for (const file of inputs) hash.update(`${file}\n`).update(readFileSync(file))
const digest = hash.digest('hex')

const stamp = 'dist/.inputs'
if (!existsSync(stamp) || !existsSync('llms.txt') || readFileSync(stamp, 'utf8') !== digest) {
  console.error('Building the package, which takes some seconds after a change ...')
  // A build that fails leaves some of its output behind, and an earlier one files that are no longer made.
  rmSync('dist', { recursive: true, force: true })
  try {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.build.json'], {
      stdio: 'inherit',
    })
  } catch {
    // The compiler has printed what is wrong.
    process.exit(1)
  }
  const { bundle } = await import('./.build/bundle.js')
  const { noticesOf } = await import('./.build/notices.js')
  const { writeDeclarations } = await import('./.build/declarations.js')
  const { writeTypes } = await import('./.build/types.js')
  const { exports, bin, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const files = [...Object.values(exports), bin].flatMap((entry) => Object.values(entry))
  const peers = Object.keys(peerDependencies)
  await writeTypes('src/schema', 'dist/.types/schema')
  writeDeclarations('dist/.types', 'dist', namesOf(files, '.d.ts'), peers)
  rmSync('dist/.types', { recursive: true })
  const bundled = await bundle(namesOf(files, '.js'), 'dist', peers)
  writeFileSync('dist/THIRD-PARTY.txt', noticesOf(bundled))
  // For coding assistants, as a mock at the default address serves it.
  const { createMock } = await import('./dist/node/index.js')
  writeFileSync('llms.txt', await (await createMock().fetch('http://127.0.0.1:4600/llms.txt')).text())
  writeFileSync(stamp, digest)
}

/** The entries among files in dist, named as in src. */
function namesOf(files, extension) {
  const names = files.filter((file) => file.endsWith(extension)).map((file) => file.replace(/^(\.\/)?dist\//, ''))
  return [...new Set(names)].map((name) => name.slice(0, -extension.length))
}
