import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { generateClientTypes } from '../support/generate-client-types.ts'
import { loadDocument } from '../support/openapi.ts'

const committed = new URL('../support/client-types.ts', import.meta.url).pathname
const tsc = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname

it('the types are the output of openapi-typescript for the document', async () => {
  const types = await generateClientTypes(await loadDocument({}))
  await expect(types).toMatchFileSnapshot(committed)
})

it('the types compile, also those for another provider and base path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-types-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'types.ts')
  await writeFile(file, await generateClientTypes(await loadDocument({ provider: 'acme-pay', basePath: '/v1' })))
  const options = ['--noEmit', '--ignoreConfig', '--strict']
  const compile = () => execFileSync(tsc, [...options, committed, file], { encoding: 'utf8' })
  expect(compile).not.toThrow()
})
