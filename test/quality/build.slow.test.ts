import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

// A fake compiler, which rejects sources that are not valid JavaScript.
const compiler = `new Function(require('node:fs').readFileSync('src/cli/cli.ts', 'utf8'))`

// A fake bundler.
const bundler = `
const { cpSync } = require('node:fs')
exports.build = async () => cpSync('src/cli/cli.ts', 'dist/cli/cli.js')`

const copied = ['package.json', 'package-lock.json', 'tsconfig.json', '.build.js', '.build', 'src/tsconfig.build.json']

/** A checkout after `npm ci`, with a program of one line as source. */
const createCheckout = () => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (file: string) => join(folder, file)
  const write = (file: string, text: string) => {
    mkdirSync(dirname(at(file)), { recursive: true })
    writeFileSync(at(file), text)
  }
  /** Runs a command there, or in another folder. */
  const run = (command: string, args: readonly string[], cwd = folder) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
    return { code: status, out: stdout, err: stderr }
  }
  for (const file of copied) cpSync(join(root, file), at(file), { recursive: true })
  write('node_modules/typescript/bin/tsc', compiler)
  write('node_modules/rolldown/index.js', bundler)
  write('.build/rolldown.config.js', 'export default {}')
  write('src/cli/cli.ts', "console.log('built')")
  return { folder, at, write, run, build: (cwd?: string) => run(process.execPath, ['.build.js'], cwd) }
}

const buildLine = expect.stringMatching(/^Building [^\n]+\n$/)
const built = { code: 0, out: '', err: buildLine }
const unchanged = { code: 0, out: '', err: '' }

it('npm start announces a build, and builds only when an input has changed', () => {
  const { write, run } = createCheckout()
  const start = () => run('npm', ['start', '--silent'])
  expect(start()).toEqual({ code: 0, out: 'built\n', err: buildLine })
  write('dist/cli/cli.js', "console.log('kept')")
  expect(start()).toEqual({ code: 0, out: 'kept\n', err: '' })
})

it('a build runs again when an input changes or the output is gone, and not in a copy with other times', () => {
  const { folder, at, write, build } = createCheckout()
  expect(build()).toEqual(built)
  const copy = mkdtempSync(join(tmpdir(), 'paylink-mock-build-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(folder, copy, { recursive: true })
  expect(build(copy)).toEqual(unchanged)
  const inputs = [
    ...copied.filter((file) => file !== '.build'),
    '.build/rolldown.config.js',
    '.build/browser-scripts.js',
  ]
  const changes: Record<string, () => void> = {
    ...Object.fromEntries([...inputs, 'src/cli/cli.ts'].map((file) => [file, () => appendFileSync(at(file), '\n')])),
    'a new source': () => write('src/new.ts', ''),
    'no output': () => rmSync(at('dist'), { recursive: true }),
  }
  for (const [what, change] of Object.entries(changes)) {
    change()
    expect(build(), what).toEqual(built)
    expect(build(), `after ${what}`).toEqual(unchanged)
  }
})

it('a build runs again after it failed, also from the inputs of an earlier one', () => {
  const { write, build } = createCheckout()
  expect(build()).toEqual(built)
  write('src/cli/cli.ts', 'not a program')
  expect(build()).toMatchObject({ code: 1, out: '' })
  write('src/cli/cli.ts', "console.log('built')")
  expect(build()).toEqual(built)
})
