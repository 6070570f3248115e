import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

// A fake compiler, which rejects sources that are not valid JavaScript.
const compiler = `new Function(require('node:fs').readFileSync('src/node/cli.ts', 'utf8'))`

// A fake bundler.
const bundler = `
const { cpSync } = require('node:fs')
exports.build = async () => cpSync('src/node/cli.ts', 'dist/node/cli.js')`

interface Checkout {
  readonly folder: string
  /** The path of a file in the checkout. */
  readonly at: (file: string) => string
  readonly write: (file: string, text: string) => void
  /** Runs a command there. */
  readonly run: (command: string, ...args: string[]) => Run
}

interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const copied = ['package.json', 'package-lock.json', 'tsconfig.json', '.build.js', '.build', 'src/tsconfig.build.json']

/** A new folder, with the files of another checkout if one is given. */
const createFolder = (from?: Checkout): Checkout => {
  const folder = mkdtempSync(join(tmpdir(), 'paylink-mock-build-'))
  if (from !== undefined) cpSync(from.folder, folder, { recursive: true })
  const at = (file: string) => join(folder, file)
  const write = (file: string, text: string) => {
    mkdirSync(dirname(at(file)), { recursive: true })
    writeFileSync(at(file), text)
  }
  const run = (command: string, ...args: string[]): Run => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    return { code: status, out: stdout, err: stderr }
  }
  return { folder, at, write, run }
}

/** A checkout after `npm ci`, with a program of one line as source. */
const createCheckout = (): Checkout => {
  const checkout = createFolder()
  const { at, write } = checkout
  for (const file of copied) cpSync(join(root, file), at(file), { recursive: true })
  write('node_modules/typescript/bin/tsc', compiler)
  write('node_modules/rolldown/index.js', bundler)
  write('.build/rolldown.config.js', 'export default {}')
  write('src/node/cli.ts', "console.log('built')")
  return checkout
}

const remove = ({ folder }: Checkout) => rmSync(folder, { recursive: true })

const buildLine = expect.stringMatching(/^Building [^\n]+\n$/)

it('npm start announces a build, and builds only when an input has changed', () => {
  const checkout = createCheckout()
  onTestFinished(() => remove(checkout))
  const { write, run } = checkout
  const start = () => run('npm', 'start', '--silent')
  expect(start()).toEqual({ code: 0, out: 'built\n', err: buildLine })
  write('dist/node/cli.js', "console.log('kept')")
  expect(start()).toEqual({ code: 0, out: 'kept\n', err: '' })
})

describe('a build', () => {
  const build = ({ run }: Checkout) => run(process.execPath, '.build.js')
  const built = { code: 0, out: '', err: buildLine }

  let first: Checkout
  beforeAll(() => {
    first = createCheckout()
    build(first)
  })
  afterAll(() => remove(first))

  const copyBuilt = (): Checkout => {
    const checkout = createFolder(first)
    onTestFinished(() => remove(checkout))
    return checkout
  }

  it('does not run again in a copy without a change', () => {
    expect(build(copyBuilt())).toEqual({ code: 0, out: '', err: '' })
  })

  it.each<[string, (checkout: Checkout) => void]>([
    ['a source changes', ({ at }) => appendFileSync(at('src/node/cli.ts'), '\n')],
    ['a source is added', ({ write }) => write('src/new.ts', '')],
    ['the manifest changes', ({ at }) => appendFileSync(at('package.json'), '\n')],
    ['the lockfile changes', ({ at }) => appendFileSync(at('package-lock.json'), '\n')],
    ['the compiler options change', ({ at }) => appendFileSync(at('tsconfig.json'), '\n')],
    ['the options of the build change', ({ at }) => appendFileSync(at('src/tsconfig.build.json'), '\n')],
    ['the build script changes', ({ at }) => appendFileSync(at('.build.js'), '\n')],
    ['the options of the bundler change', ({ at }) => appendFileSync(at('.build/rolldown.config.js'), '\n')],
    ['a part of the build script changes', ({ at }) => appendFileSync(at('.build/browser-scripts.js'), '\n')],
    ['the output is deleted', ({ at }) => rmSync(at('dist'), { recursive: true })],
  ])('runs again when %s', (_, change) => {
    const checkout = copyBuilt()
    change(checkout)
    expect(build(checkout)).toEqual(built)
  })

  it('runs again after it failed, also from the inputs of an earlier one', () => {
    const checkout = copyBuilt()
    checkout.write('src/node/cli.ts', 'not a program')
    expect(build(checkout)).toMatchObject({ code: 1, out: '' })
    checkout.write('src/node/cli.ts', "console.log('built')")
    expect(build(checkout)).toEqual(built)
  })
})
