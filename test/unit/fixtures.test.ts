import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createMock, version } from '../../src/node/index.ts'
import { Seed } from '../../src/schema/seed.ts'
import { toDocumentSchema } from '../../src/wire/json-schema.ts'

const fixtures = new URL('../../fixtures/', import.meta.url).pathname
const seeds = readdirSync(fixtures).filter((file) => file !== 'seed.schema.json')

it('seed.schema.json is made from the schema that validates seeds', async () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...toDocumentSchema(Seed) }
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(join(fixtures, 'seed.schema.json'))
})

it.each(seeds)('%s starts a mock', async (file) => {
  const seed = JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
  expect(seed.$schema).toBe('./seed.schema.json')
  const projects = await createMock({ seed }).projects()
  expect(projects.map(({ id, users, paymentLinks }) => [id, users, paymentLinks])).toMatchSnapshot()
})

it('demo.json has an active link without a redirect, so that one who pays stays on a result page', async () => {
  const seed = JSON.parse(readFileSync(join(fixtures, 'demo.json'), 'utf8'))
  const { items } = await createMock({ seed }).project('acme').paymentLinks.list({ status: 'active' })
  expect(items.some((link) => link.partner.redirectUrl === null)).toBe(true)
  expect(items.some((link) => link.partner.redirectUrl !== null)).toBe(true)
})

it('the version is that of the package', () => {
  const { version: packaged } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(version).toBe(packaged)
})
