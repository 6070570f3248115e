import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { requestText } from '../cli/support/request.ts'
import { operationIds } from '../../src/core/schema/operation-routes.ts'
import { readJson, readText } from '../support/read.ts'
import { linesOfCurl, unescaped } from './support/views.ts'
import { listeningMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

const start = async (options: MockOptions, adminToken?: string, path = '/docs') => {
  const { mock, url } = await listeningMock({ clock: '2025-01-01T00:00:00.000Z', ...options }, { adminToken })
  const text = await readText(fetch(url + path))
  return { mock, url, text, lines: linesOfCurl(text) }
}

const tokens = { TOKEN: 'tok_acme', PAYLINK_MOCK_ADMIN_TOKEN: 'tok_admin' }

/** The variables in the lines, and those that the page tells the reader to set. */
const variablesOf = (text: string, lines: readonly string[]) => ({
  read: [...new Set(lines.flatMap((line) => line.match(/(?<=\$)\w+/g) ?? []))],
  named: [...text.matchAll(/<p>Set (.*?) first/g)].flatMap(([, names]) => names!.match(/\b[A-Z_]{2,}\b/g)),
})

/** Runs the lines in a shell, one after the other. */
const statusesOf = async (lines: readonly string[]) => {
  const statuses: string[] = []
  for (const line of lines) {
    const command = `${line} -s -o /dev/null -w '%{http_code}'`
    statuses.push((await exec('sh', ['-c', command], { env: { ...process.env, ...tokens } })).stdout)
  }
  return statuses
}

it('the interface tells the story of the start page, with the same link', async () => {
  const { url, lines } = await start({ seed: demo })
  const story = linesOfCurl(await readText(fetch(url)))
  expect(story).toHaveLength(3)
  expect(lines.slice(0, 3)).toEqual(story)
  expect(story[1]).toContain('/paymentLinks/pml_open/pay')
})

it('every page links to the interface by the same name', async () => {
  const { url } = await start({ seed: demo })
  for (const path of ['/', '/__admin/', '/pay/acme/pml_open', '/pay/acme/pml_paid', '/pay/acme/pml_none', '/a/b/c']) {
    const text = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
    const links = [...text.matchAll(/<a href="([^"]*)">([^<]*)/g)]
    const names = links
      .filter(([, link]) => new URL(link!, url + path).href === `${url}/docs`)
      .map(([, , name]) => name)
    expect([path, ...new Set(names)]).toEqual([path, 'API description'])
  }
})

describe('the lines of curl in the interface', () => {
  const strange = {
    behaviors: { invoiceIds: 'seeded' as const },
    projects: { "it's [a] {b} $(c) é": demo.projects.acme },
  }
  const settings: [string, MockOptions][] = [
    ['tokens, another wire word and a base path', { tokens: ['tok_acme'], provider: 'acmePay', basePath: '/v1' }],
    ['the profile strict, and a project with a strange name', { profile: 'strict', seed: strange }],
  ]

  it.each(settings)('work one after the other, without a violation, with %s', async (_, options) => {
    const { mock, text, lines } = await start({ seed: demo, ...options })
    expect(lines.filter((line) => line.includes('\n'))).toEqual([])
    expect(await statusesOf(lines)).toEqual('200 200 200 201 200 200 200 200 200 201 200 200 200'.split(' '))
    expect((await mock.violations.list()).items).toEqual([])
    const { read, named } = variablesOf(text, lines)
    expect(named).toEqual(read)
  })

  it('of the landing page omit missing records', async () => {
    const { text, lines } = await start({ seed: demo, tokens: ['tok_acme'] }, 'tok_admin', '/')
    expect(text).not.toMatch(/tok_|usr_|pml_/)
    expect(await statusesOf(lines)).toEqual(['200'])
    expect((await start({}, undefined, '/')).lines).toHaveLength(1)
  })

  it('are well formed without records', async () => {
    const { lines } = await start({})
    expect(lines.filter((line) => line.endsWith('/users/search'))).toEqual([expect.stringContaining('"email":')])
    expect((await statusesOf(lines)).join(' ')).toBe('200 201 200 200 404 404 404 201 200 404 404')
  })

  it('have a token if the project has its own tokens', async () => {
    const { mock, url } = await start({ seed: demo })
    const lines = async () => (await readText(fetch(`${url}/docs`))).match(/Authorization: Bearer [$\w]+/g)
    await mock.project('acme').tokens.replace([{ token: 'tok_acme' }])
    expect(new Set(await lines())).toEqual(new Set(['Authorization: Bearer $TOKEN']))
    await mock.tokens.replace([{ token: 'tok_all' }])
    await mock.project('acme').tokens.replace([])
    expect(new Set(await lines())).toEqual(new Set(['Authorization: Bearer any']))
  })

  it('show nothing of a project with its own tokens when the control API needs a token', async () => {
    const { mock, url } = await start({ seed: demo }, 'tok_admin')
    expect(await readText(fetch(`${url}/docs`))).toContain('usr_')
    await mock.project('acme').tokens.replace([{ token: 'tok_acme' }])
    for (const path of ['/docs', '/'])
      expect(await readText(fetch(url + path))).not.toMatch(/usr_(?!1\b)|pml_(?!1\b)\w+'|grace@/)
  })

  it.each([
    ['localhost', {}, true],
    ['evil.example', {}, false],
    ['127.0.0.1.nip.io', {}, false],
    ['mock.example', { allowedHosts: ['mock.example'] }, true],
  ])('name records of the seed under the Host %s: %j %j', async (host, options, shown) => {
    const users = [{ id: 'usr_private', email: 'private@example.com' }]
    const { url } = await listeningMock({ seed: { projects: { acme: { users } } } }, options)
    for (const path of ['/', '/docs']) {
      const { status, text } = await requestText(`${url}${path}`, { headers: { host } })
      expect(status).toBe(200)
      expect([path, text.includes('private')]).toEqual([path, shown && path === '/docs'])
    }
  })
})

describe('the interface', () => {
  let text: string
  let document: any
  beforeAll(async () => {
    await using mock = createMock({ seed: demo })
    text = await readText(mock.fetch('/docs'))
    document = await readJson(mock.fetch('/openapi.json'))
  })

  it('has every operation, schema and error of the document', async () => {
    for (const id of operationIds) expect(text).toContain(`<section id="${id}"`)
    const { ErrorObject: Error, ...schemas } = document.components.schemas
    for (const [name, schema] of Object.entries<any>(schemas)) {
      if (!name.endsWith('Body')) expect(text).toContain(`id="${name}"`)
      for (const field of Object.keys(schema.properties ?? {})) expect(text).toContain(`<code>${field}</code>`)
    }
    for (const code of Error.properties.code.enum) expect(text).toContain(`<code>${code}</code>`)
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(`id="${target}"`)
  })

  it('shows optional fields, and the range of each number', async () => {
    const { components } = document
    const tables = new Map(
      [...text.matchAll(/<caption class="unseen">\s*([^<]*?)\s*<\/caption>(.*?)<\/table>/gs)].map(([, name, rows]) => [
        name,
        new Map(
          [...rows!.matchAll(/<th [^>]*scope="row"><code>([^<]*)<\/code>(.*?)<\/th>\s*<td [^>]*>(.*?)<\/td>/gs)].map(
            ([, field, optional, type]) => [field, { isRequired: !optional!.includes('optional'), type: type! }],
          ),
        ),
      ]),
    )
    for (const name of ['User', 'PaymentLink', 'ErrorObject', 'UserList']) {
      const { properties, required } = components.schemas[name]
      const top = [...tables.get(name)!].filter(([field]) => !field!.includes('.'))
      expect(top.map(([field]) => field)).toEqual(Object.keys(properties))
      expect(top.filter(([, { isRequired }]) => isRequired).map(([field]) => field)).toEqual(required)
    }
    const body = tables.get('Body of: Create a payment link')!
    expect([...body.keys()].join(' ')).toBe(
      'invoice type partner partner.user partner.user.fullName partner.user.email partner.user.taxNumber partner.redirectUrl',
    )
    expect(body.get('partner.user')!.isRequired).toBe(true)
    expect(body.get('partner.user.email')!.isRequired).toBe(false)
    expect(text).toMatch(/<code>limit<\/code> <small>query<\/small>\s+integer 0 to 200:/)
  })

  it('lists the responses of each operation, and common ones once', async () => {
    const { paths } = document
    const { operationId, responses } = paths['/projects/{project}/users'].post
    const section = text.slice(text.indexOf(`<section id="${operationId}"`)).split('</section>')[0]!
    const own = Object.entries<object>(responses).filter(([, response]) => !('$ref' in response))
    expect(own.length).toBeLessThan(Object.keys(responses).length)
    expect([...section.matchAll(/<li><b>(\d+)<\/b>/g)].map(([, status]) => status)).toEqual(
      own.map(([status]) => status),
    )
    expect(section).toMatch(/<a href="#errors">[^<]*<\/a><\/li>\s*<\/ul>/)
  })

  it('renders code and emphasis in its sentences', async () => {
    const sentences = text.replace(/<pre.*?<\/pre>/gs, '')
    expect(sentences).toContain('<code>')
    expect(sentences).toContain('<strong>')
    expect(sentences.replace(/<[^>]*>/g, '')).not.toMatch(/`|\*/)
  })

  it('every label is on an element whose role allows one', async () => {
    const labeled = [...text.matchAll(/<(\w+)[^>]*\baria-label="[^>]*>/g)]
    expect(labeled.length).toBeGreaterThan(10)
    for (const [tag, name] of labeled) expect(name === 'nav' || / role="(group|region)"/.test(tag), tag).toBe(true)
  })
})

const errorFormats = ['object', 'problem'] as const
it.each(errorFormats)('the page of the interface describes each field, with errorFormat=%s', async (errorFormat) => {
  const { mock, text } = await start({ seed: demo, behaviors: { errorFormat } })
  const { components } = await readJson(mock.fetch('/openapi.json'))
  const shown = unescaped(text.replace(/<[^>]*>/g, ''))
  for (const name of ['User', 'PaymentLink', errorFormat === 'problem' ? 'Problem' : 'ErrorObject'])
    for (const [field, { description = '' }] of Object.entries<{ description?: string }>(
      components.schemas[name].properties,
    ))
      expect(shown, `${name}.${field}`).toContain(description.replaceAll('`', ''))
})
