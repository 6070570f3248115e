// Builds the package into dist, unless dist was built from the same inputs: a start should not wait for a compiler.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => `src/${name}`)
const inputs = ['.build.js', 'package.json', 'package-lock.json', 'tsconfig.json', ...sources]
  .filter((file) => statSync(file).isFile())
  .toSorted()

const hash = createHash('sha256')
for (const file of inputs) hash.update(`${file}\n`).update(readFileSync(file))
const digest = hash.digest('hex')

const stamp = 'dist/.inputs'
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  console.error('Building the package, which takes some seconds after a change ...')
  // A build that fails leaves some of its output behind.
  rmSync(stamp, { force: true })
  try {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.build.json'], {
      stdio: 'inherit',
    })
  } catch {
    // The compiler has printed what is wrong.
    process.exit(1)
  }
  // One file for each command: a start that reads four files takes half as long as one that reads three hundred.
  const { build } = await import('rolldown')
  await build({
    input: 'src/node/cli.ts',
    platform: 'node',
    logLevel: 'silent',
    output: { dir: 'dist/node', chunkFileNames: '[name].bundle.js' },
  })
  writeFileSync(stamp, digest)
}
