// Creates the pictures of README and docs: `node test/quality screenshots`, with Chromium installed.
import { mkdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { createMock } from '../../dist/node/index.js'
import { executablePath } from '../support/chromium-path.js'

const folder = new URL('../../docs/images/', import.meta.url).pathname
const seed = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

const mock = createMock({ seed, clock: '2025-01-01T12:00:00Z' })
const { url } = await mock.listen({ port: 4600 })
const acme = mock.project('acme')

/** Sends a valid or invalid request, like a client under test. */
const call = (method, path, body, headers = {}) =>
  fetch(`${url}/projects/acme${path}`, {
    method,
    headers: {
      authorization: 'Bearer any',
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
const user = { fullName: 'Ada Lovelace', email: 'ada@example.com' }
await call('GET', '/users?limit=2')
await acme.faults.add({ match: { operation: 'searchUsers' }, times: 2, effect: { status: 503 } })
await call('POST', '/users/search', { email: 'Ada@example.com' })
await call('POST', '/users', { email: 'hedy@example.com', shoeSize: 42 })
await call('GET', '/users/usr_nobody')
await acme.clock.advance(61_000)
await acme.paymentLinks.pay('pml_open', { when: { reads: 3 } })
await call('GET', '/paymentLinks/pml_open')
await call('POST', '/paymentLinks/pml_paid/cancel')
await call('POST', '/paymentLinks', { invoice: 'inv_104', type: 'partner', partner: { user } })
const { items } = await acme.requests.list({ operation: 'createPaymentLink' })

const desk = { width: 1200, height: 800 }
const phone = { width: 390, height: 780 }
const dashboard = (view) => `/__admin/?project=acme#${view}`
const pictures = [
  { name: 'payment-links', path: dashboard('payment-links') },
  { name: 'faults', path: dashboard('faults') },
  { name: 'behaviors-dark', path: dashboard('behaviors') },
  { name: 'journal', path: dashboard('journal') },
  { name: 'request-dark', path: dashboard(`request?id=${items[0].id}`) },
  { name: 'payment-page', path: '/pay/acme/pml_open' },
  { name: 'landing', path: '/' },
  { name: 'docs', path: '/docs#createPaymentLink' },
  { name: 'phone', path: dashboard('payment-link?id=pml_open') },
]

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
for (const { name, path } of pictures) {
  const colorScheme = name.endsWith('dark') ? 'dark' : 'light'
  const page = await browser.newPage({ colorScheme, viewport: name === 'phone' ? phone : desk })
  await page.goto(url + path)
  await page.locator('h1').waitFor()
  await page.waitForLoadState('load')
  await page.screenshot({ path: `${folder}${name}.png` })
  await page.close()
}
await browser.close()
await mock.close()
