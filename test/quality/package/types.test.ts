/** The declarations of the package compile in the strictest program of a user. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Folder, installedFolder, root } from '../../support/installed.ts'

let folder: Folder
beforeAll(() => {
  folder = installedFolder()
  copyFileSync(join(root, 'test/quality/package/consumer/main.ts'), join(folder.path, 'main.ts'))
})
afterAll(() => folder.remove())

const compile = (compilerOptions: object): string => {
  const options = { target: 'es2022', strict: true, noEmit: true, skipLibCheck: false, types: [], ...compilerOptions }
  writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }))
  try {
    return execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], {
      cwd: folder.path,
      encoding: 'utf8',
    })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const nodenext = { module: 'nodenext' }
const bundler = { module: 'esnext', moduleResolution: 'bundler' }

it.each([
  ['without the types of Node', nodenext],
  ['with the types of Node', { ...nodenext, types: ['node'] }],
  ['for a bundler', { ...bundler, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }],
])('the declarations compile with skipLibCheck: false, %s', (_, options) => {
  expect(compile(options)).toBe('')
})

it('a missing library is an error', () => {
  expect(compile({ ...nodenext, lib: ['es5'] })).not.toBe('')
})
