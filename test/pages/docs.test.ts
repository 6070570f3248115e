import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { operationIds } from '../../src/schema/operation.ts'

const run = promisify(execFile)
const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

const start = async (options: MockOptions, adminToken?: string) => {
  const mock = createMock({ clock: '2025-01-01T00:00:00.000Z', ...options })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen({ adminToken })
  const text = await (await fetch(`${url}/docs`)).text()
  const lines = [...text.matchAll(/<pre[^>]*><code>(curl [^<]*)<\/code>/g)].map(([, line]) => unescaped(line!))
  return { mock, url, text, lines }
}

const unescaped = (text: string) =>
  text.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '&',
  )

/** Pastes the lines into a shell, one after the other. */
const statusesOf = async (lines: readonly string[]) => {
  const statuses: string[] = []
  for (const line of lines) {
    const command = `${line} -s -o /dev/null -w '%{http_code}'`
    statuses.push((await run('sh', ['-c', command], { env: { ...process.env, TOKEN: 'tok_acme' } })).stdout)
  }
  return statuses
}

describe('the lines of curl in the interface', () => {
  const well = ['201', '200', '200', '200', '200', '200', '201', '200', '200', '200']

  it.each<[string, MockOptions, string?]>([
    ['the demo seed', { seed: demo }],
    ['another wire word and a base path', { seed: demo, provider: 'acmePay', basePath: '/v1' }],
    ['the profile strict', { seed: demo, profile: 'strict' }],
    ['tokens', { seed: demo, tokens: ['tok_acme'] }],
    ['an admin token', { seed: demo }, 'tok_admin'],
    ['invoices of the seed alone', { seed: demo, behaviors: { invoiceIds: 'seeded' } }],
    ['a project with a strange name', { seed: { projects: { "it's [a] {b} $(c) é": demo.projects.acme } } }],
  ])('work one after the other, with %s', async (_, options, adminToken) => {
    const { lines } = await start(options, adminToken)
    expect(await statusesOf(lines)).toEqual(well)
  })

  it('are well formed where nothing is there yet', async () => {
    const { lines } = await start({})
    expect(await statusesOf(lines)).toEqual(['201', '200', '200', '404', '404', '404', '201', '200', '404', '404'])
  })

  it('show nothing that only a secret opens', async () => {
    const { text, lines } = await start({ seed: demo, tokens: ['tok_secret'] }, 'tok_admin')
    expect(text).not.toMatch(/tok_|usr_(?!1\b)|pml_(?!1\b)\w+'|grace@/)
    expect(lines[0]).toContain('Bearer $TOKEN')
  })
})

it('the interface has every operation, schema and error of the document', async () => {
  const { text, url } = await start({ seed: demo })
  for (const id of operationIds) expect(text).toContain(`<section id="${id}"`)
  const document = await (await fetch(`${url}/openapi.json`)).json()
  const { Error, Problem, ...schemas } = document.components.schemas
  for (const [name, schema] of Object.entries<any>(schemas)) {
    if (!name.endsWith('Body')) expect(text).toContain(`id="${name}"`)
    for (const field of Object.keys(schema.properties ?? {})) expect(text).toContain(`<code>${field}</code>`)
  }
  for (const code of Error.properties.code.enum) expect(text).toContain(`<code>${code}</code>`)
  expect(Problem).toBeDefined()
  for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(`id="${target}"`)
})

it('the landing page says where everything is', async () => {
  const { mock } = await start({})
  const text = await (await mock.fetch('/')).text()
  for (const [, path] of text.matchAll(/<a href="([^"]+)"/g)) expect((await mock.fetch(`/${path}`)).status).toBe(200)
  expect([...text.matchAll(/<a href=/g)]).toHaveLength(4)
})
