// What people read, as files: a change of a text shows in the diff of a commit. `npm test -- -u` writes them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createMock, formatCoverage } from '../../src/index.ts'
import { root } from '../support/installed.ts'
import { readText } from '../support/read.ts'

const expectFile = (text: string, name: string) =>
  expect(`${text.trim()}\n`).toMatchFileSnapshot(join(root, 'test/quality/texts', `${name}.txt`))

/** A mock that has one of each thing that the pages show. */
const start = async () => {
  // Sandboxes and durations use the time of the machine.
  vi.useFakeTimers({ now: 0, toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { projects, ...seed } = JSON.parse(readFileSync(join(root, 'fixtures/demo.json'), 'utf8'))
  // Without the generated records, which would only repeat the rows.
  const { generate: _, ...written } = projects.acme
  const mock = createMock({ seed: { ...seed, projects: { acme: written } }, clock: '2025-01-01T12:00:00Z' })
  onTestFinished(() => mock.close())
  const acme = mock.project('acme')
  await acme.faults.add({ match: { operation: 'searchUsers' }, times: 2, effect: { status: 503 } })
  const send = (method: string, path: string, body?: object) => {
    const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
    return mock.fetch(`http://mock/projects/acme${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
  }
  await send('POST', '/users/search', { email: 'ada@example.com' })
  await send('POST', '/users', { email: 'hedy@example.com', shoeSize: 42 })
  await send('GET', '/users/usr_nobody')
  await send('POST', '/paymentLinks/pml_paid/cancel')
  await acme.paymentLinks.pay('pml_open', { when: { reads: 3 } })
  await acme.snapshots.save('before')
  await mock.sandbox('checkout').project('acme').users.create({ email: 'grace@example.com' })
  return mock
}

it('the texts of the pages', async () => {
  const mock = await start()
  const [request] = (await mock.project('acme').requests.list()).items
  const ofProject = ['users', 'payment-links', 'snapshots', 'faults', 'journal', 'diagnostics', 'clock', 'bar']
  const paths = [
    '/',
    '/docs',
    '/__admin/',
    'projects',
    'sandboxes',
    'behaviors',
    'bar',
    'users',
    'journal?project=unknown',
    ...ofProject.map((view) => `${view}?project=acme`),
    'user?project=acme&id=usr_ada',
    'payment-link?project=acme&id=pml_open',
    `request?id=${request!.id}`,
    '/pay/acme/pml_open',
    '/pay/acme/pml_paid',
    '/pay/acme/pml_nobody',
  ].map((path) => (path.startsWith('/') ? path : `/__admin/dashboard/${path}`))
  const pages: string[] = []
  for (const path of paths) {
    const response = await mock.fetch(`http://mock${path}`)
    pages.push(`# ${path} ${response.status}\n${outline(await readText(response, response.status))}`)
  }
  await expectFile(pages.join('\n\n'), 'pages')
})

/** The attributes that a person notices, or that say what a form sends. */
const noticed =
  /\s(aria-label|title|href|action|name|value|type|min|max|pattern|placeholder|required|data-[\w-]+)(?:="([^"]*)")?/g

/** Each text and each noticed attribute of a page, without its markup. */
const outline = (page: string): string =>
  [...page.matchAll(/<(?:script|style)[^]*?<\/(?:script|style)>|<(\w+)((?:[^>"]|"[^"]*")*)>|<[^>]*>|([^<]+)/g)]
    .flatMap(([, tag, attributes, text]) =>
      tag === undefined
        ? [text?.replaceAll(/\s+/g, ' ').trim()]
        : [[...attributes!.matchAll(noticed)].map(([, name, value]) => ` ${name}=${value ?? ''}`).join('')].map(
            (shown) => shown && `${tag}${shown}`,
          ),
    )
    .filter((line) => line)
    .join('\n')

it('the text for coding assistants in the package is that of a mock at the default address', async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  const text = await readText(await mock.fetch('http://127.0.0.1:4600/llms.txt'))
  await expect(text).toMatchFileSnapshot(join(root, 'llms.txt'))
})

it('the texts of both OpenAPI documents', async () => {
  const mock = await start()
  const texts = new Set<string>()
  const collect = (value: unknown, key = ''): void => {
    // The examples of schemas are lists, and those of headers are texts. Bodies are compared elsewhere.
    if (key === 'examples' && Array.isArray(value)) texts.add(`such as ${JSON.stringify(value)}`)
    else if (key === 'example' && typeof value === 'string') texts.add(`such as ${value}`)
    else if ((key === 'description' || key === 'summary') && typeof value === 'string') texts.add(value)
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) if (name !== 'value') collect(one, name)
  }
  for (const path of ['/openapi.json', '/__admin/openapi.json'])
    collect(JSON.parse(await readText(await mock.fetch(`http://mock${path}`))))
  await expectFile([...texts].join('\n'), 'openapi')
})

it('the lines that show what clients were never shown', async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  await expectFile(formatCoverage(await mock.coverage()), 'coverage')
})
