import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { root } from '../support/installed.ts'
import { textOf } from './pages.ts'

const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const { version, devDependencies } = read('package.json')

const examples = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const packages = examples.filter((name) => existsSync(join(root, 'examples', name, 'package.json')))

it.each(examples)('examples/%s has a short README', (name) => {
  expect(textOf(`examples/${name}/README.md`).trim().split('\n').length).toBeLessThan(15)
})

describe.each(packages)('examples/%s', (name) => {
  const { scripts, devDependencies: own } = read(`examples/${name}/package.json`)

  it('installs the packed package, and the versions that the mock is tested with', () => {
    const { 'paylink-mock': packed, ...others } = own
    expect(packed).toBe(`file:../../paylink-mock-${version}.tgz`)
    expect(devDependencies).toMatchObject(others)
  })

  it('is run by node test/quality examples', () => {
    expect(scripts).toHaveProperty(['test'])
    expect(readFileSync(join(root, 'test/quality/examples/run.sh'), 'utf8')).toMatch(new RegExp(`for .*\\b${name}\\b`))
  })
})

it('examples/compose has a seed that starts a mock', async () => {
  await createMock({ seed: read('examples/compose/seed.json') }).close()
})
