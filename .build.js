// Builds the package into dist, unless dist was built from the same inputs: a start should not wait for a compiler.
import { spawnSync } from 'node:child_process'
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
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.build.json']
  if (spawnSync(process.execPath, compiler, { stdio: 'inherit' }).status !== 0) process.exit(1)
  const [{ build }, { default: config }] = await Promise.all([
    import('rolldown'),
    import('./.build/rolldown.config.js'),
  ])
  await build(config)
  writeFileSync(stamp, digest)
}
