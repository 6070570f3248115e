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
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
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
  const bundled = await bundle(entriesOf(JSON.parse(readFileSync('package.json', 'utf8'))), 'dist')
  writeFileSync('dist/THIRD-PARTY.txt', noticesOf(bundled))
  writeFileSync(stamp, digest)
}

/** The source of each file that the manifest names: the exports under each condition, and the command line. */
function entriesOf({ exports, bin }) {
  const files = Object.values(exports).flatMap(({ node, default: other }) => [node, other])
  const names = [...files, ...Object.values(bin)].filter(Boolean).map((file) => /dist\/(.*)\.js$/.exec(file)[1])
  return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]))
}
