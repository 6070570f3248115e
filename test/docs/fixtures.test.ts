import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ProgramReport } from '../../src/explore/programs/program-report.ts'
import { createMock } from '../../src/node/index.ts'
import { type Profile, profiles } from '../../src/core/schema/behavior.ts'
import { operationIds } from '../../src/core/schema/operation-routes.ts'
import { Seed } from '../../src/core/schema/seed.ts'
import { toDocumentSchema, toJsonSchema } from '../../src/core/openapi/json-schema.ts'
import { closingMock } from '../support/mock.ts'

const fixtures = new URL('../../fixtures/', import.meta.url).pathname
const seeds = readdirSync(fixtures).filter((file) => !file.endsWith('.schema.json'))

/** The projects of each seed, with their numbers of users and payment links. */
const records: [file: string, projects: [id: string, users: number, paymentLinks: number][]][] = [
  ['demo.json', [['acme', 43, 25]]],
  ['empty.json', []],
  [
    'pagination.json',
    [
      ['pages', 250, 210],
      ['same-instant', 3, 0],
    ],
  ],
  ['payment-link-states.json', [['states', 0, 3]]],
]

it('seed.schema.json is made from the schema that validates seeds', async () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...toDocumentSchema(Seed) }
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(join(fixtures, 'seed.schema.json'))
})

it('explore-report.schema.json is made from the schema of the report', async () => {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...toJsonSchema(ProgramReport, 'output') }
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(join(fixtures, 'explore-report.schema.json'))
})

it('each seed is in this table', () => {
  expect(seeds.toSorted()).toEqual(records.map(([file]) => file))
})

it.each(records)('%s starts a mock', async (file, counts) => {
  const seed = JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
  expect(seed.$schema).toBe('./seed.schema.json')
  // The command line does not check the seeds of the package.
  expect(Seed.parse(seed)).toEqual(seed)
  const projects = await createMock({ seed }).projects()
  expect(projects.map(({ id, users, paymentLinks }) => [id, users, paymentLinks])).toEqual(counts)
})

it('demo.json has an active link without a redirect, so that one who pays stays on a result page', async () => {
  const seed = JSON.parse(readFileSync(join(fixtures, 'demo.json'), 'utf8'))
  const { items } = await createMock({ seed }).project('acme').paymentLinks.list({ status: 'active' })
  expect(items.some((link) => link.partner.redirectUrl === null)).toBe(true)
  expect(items.some((link) => link.partner.redirectUrl !== null)).toBe(true)
})

describe.each(Object.keys(profiles) as Profile[])('under the profile %s', (profile) => {
  const start = async (file: string) => {
    const seed = JSON.parse(readFileSync(join(fixtures, file), 'utf8'))
    const mock = closingMock({ seed: { ...seed, projects: { ...seed.projects, copy: {} } }, profile })
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
      const response = await mock.fetch(path, { method, headers, body: JSON.stringify(body) })
      const text = await response.text()
      expect([response.ok, text], `${method} ${path} ${JSON.stringify(body)}`).toEqual([true, text])
      return JSON.parse(text)
    }
    const expectNoViolation = async () => expect((await mock.violations.list()).items).toEqual([])
    return { mock, send, expectNoViolation }
  }

  it.each(seeds)('a client can create and change the newest records of %s', async (file) => {
    const { mock, send, expectNoViolation } = await start(file)
    let records = 0
    for (const { id } of await mock.projects()) {
      if (id === 'copy') continue
      const project = mock.project(id)
      const { items: users } = await project.users.list({ limit: 20 })
      for (const { id: user, email, fullName, birthday, metadata, preferredLocale } of users) {
        await send('PATCH', `/projects/${id}/users/${user}`, { email, metadata: { note: 'changed' } })
        await send('POST', '/projects/copy/users', { email, fullName, birthday, metadata, preferredLocale })
        records++
      }
      const { items: links } = await project.paymentLinks.list({ limit: 20 })
      for (const { invoice, payer: user } of links) {
        await send('POST', '/projects/copy/paymentLinks', { invoice, type: 'partner', partner: { user } })
        records++
      }
    }
    expect(records === 0).toBe(file === 'empty.json')
    await expectNoViolation()
  })

  it('each example request of the OpenAPI document succeeds with the demo seed', async () => {
    const { paths } = await (await start('demo.json')).send('GET', '/openapi.json')
    const names: string[] = []
    for (const [path, item] of Object.entries<any>(paths))
      for (const [method, { operationId, requestBody }] of Object.entries<any>(item)) {
        const examples = requestBody?.content['application/json'].examples ?? { none: {} }
        for (const [name, { value }] of Object.entries<any>(examples)) {
          const { send, expectNoViolation } = await start('demo.json')
          const ids: Record<string, string> = { project: 'acme', user: 'usr_ada', paymentLink: 'pml_open' }
          const filled = path.replace(/\{(\w+)\}/g, (_: string, id: string) => ids[id]!)
          await send(method.toUpperCase(), filled, value)
          await expectNoViolation()
          names.push(`${operationId} ${name}`)
        }
      }
    expect(names.length).toBeGreaterThanOrEqual(operationIds.length)
  })
})
