import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { rejectSeed } from '../../src/node/seed-file.ts'
import { cliPath, fileWith, run, runCli } from './support/cli.ts'
import { runHere } from './support/main.ts'

const root = new URL('../../', import.meta.url).pathname
const emptyFolder = () => dirname(fileWith(''))
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

it('writes a valid seed with an existing schema, and prints the next steps', async () => {
  const file = join(emptyFolder(), 'mine.json')
  const { code, out, err } = await runCli(['init', file])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`npx paylink-mock --seed ${file} --watch\n`)
  expect(existsSync(resolve(dirname(file), read(file).$schema))).toBe(true)
  expect(await createMock({ seed: read(file) }).projects()).toMatchObject([{ id: 'acme', users: 1, paymentLinks: 2 }])
  expect(await runCli(['validate', file])).toMatchObject({ code: 0 })
})

it('refers to the schema of the package that is installed above it', async () => {
  const folder = emptyFolder()
  const installed = join(folder, 'node_modules/paylink-mock/fixtures')
  mkdirSync(join(folder, 'test/seeds'), { recursive: true })
  cpSync(join(root, 'fixtures'), installed, { recursive: true })
  await runCli(['init', join(folder, 'test/seeds/mine.json')])
  expect(read(join(folder, 'test/seeds/mine.json')).$schema).toBe(
    '../../node_modules/paylink-mock/fixtures/seed.schema.json',
  )
  await runCli(['init', join(folder, 'mine.json')])
  expect(read(join(folder, 'mine.json')).$schema).toBe('./node_modules/paylink-mock/fixtures/seed.schema.json')
})

it('refers to the nearest of two schemas', async () => {
  const folder = emptyFolder()
  for (const place of ['', 'test'])
    cpSync(join(root, 'fixtures'), join(folder, place, 'node_modules/paylink-mock/fixtures'), { recursive: true })
  await runHere(['init', join(folder, 'test/mine.json')])
  expect(read(join(folder, 'test/mine.json')).$schema).toBe('./node_modules/paylink-mock/fixtures/seed.schema.json')
})

it('writes seed.json by default', async () => {
  const cwd = dirname(fileWith('', 'other.json'))
  const { code, out } = await run([cliPath, 'init'], {}, { cwd }).ended()
  expect(code).toBe(0)
  expect(out).toContain('npx paylink-mock --seed seed.json --watch\n')
  expect(existsSync(resolve(cwd, read(join(cwd, 'seed.json')).$schema))).toBe(true)
})

it('never overwrites a file', async () => {
  const file = fileWith('precious')
  const { code, out, err } = await runCli(['init', file])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toBe(`${file} already exists and was not changed. Choose another file.\n`)
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

it('reports a missing folder', async () => {
  const file = join(emptyFolder(), 'none/mine.json')
  expect(await runCli(['init', file])).toMatchObject({
    code: 1,
    out: '',
    err: `The seed ${file} cannot be written: the folder does not exist.\n`,
  })
})

it.each([
  ['read', 'EISDIR', 'it is a directory'],
  ['read', 'EACCES', 'this user has no permission'],
  ['read', 'ENOENT', 'the file does not exist'],
  ['read', 'EMFILE', 'EMFILE'],
  ['written', 'EISDIR', 'it is a directory'],
  ['written', 'EACCES', 'this user has no permission'],
  ['written', 'EROFS', 'the file system is read-only'],
  ['written', 'ENOENT', 'the folder does not exist'],
] as const)('says why a seed cannot be %s: %s', (what, code, reason) => {
  const error = Object.assign(new Error(), { code })
  expect(() => rejectSeed('a.json', what)(error)).toThrow(`The seed a.json cannot be ${what}: ${reason}.`)
})

it('prints lines that work when pasted, for any file name', async () => {
  const file = join(emptyFolder(), "it's $mine.json")
  const { out } = await runCli(['init', file])
  const line = out.split('\n').find((one) => one.includes('validate'))!
  const shim = join(emptyFolder(), 'npx')
  writeFileSync(shim, `#!/bin/sh\nshift\nexec '${process.execPath}' '${cliPath}' "$@"\n`, { mode: 0o755 })
  const shell = run(
    [
      '-e',
      `process.exitCode = require('node:child_process').spawnSync('sh', ['-c', process.env.LINE], { stdio: 'inherit' }).status`,
    ],
    {
      LINE: line,
      PATH: `${dirname(shim)}:${process.env.PATH}`,
    },
  )
  expect(await shell.ended()).toMatchObject({
    code: 0,
    out: `${file} is a valid seed: 1 project, 1 user, 2 payment links.\n`,
  })
})

it.each([
  [['init', 'a.json', 'b.json'], "init takes one operand (got 'a.json b.json').\n"],
  [['init', '--seed', 'a.json'], '--seed is a flag of start, explore, interleave and compare, not of init.\n'],
])('%j is rejected', async (args, err) => {
  expect(await runCli(args)).toMatchObject({ code: 2, out: '', err })
})
