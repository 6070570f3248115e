// Proves: Control API.
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { noon } from '../support/api.ts'
import { describeInBrowser } from '../support/browser.ts'
import { startMerchant } from './support/merchant.ts'

const seed = {
  projects: {
    acme: {
      users: [{ id: 'usr_private', email: 'private@example.com' }],
      paymentLinks: [{ id: 'pml_open', invoice: 'inv_private', payer: { fullName: 'Ada Private' } }],
    },
  },
}

const start = async () => {
  const mock = createMock({ seed, clock: noon })
  onTestFinished(() => mock.close())
  const { url, port } = await mock.listen()
  const everything = async () =>
    JSON.stringify([await mock.projects(), await mock.state.get(), await mock.tokens.get(), await mock.faults.list()])
  const before = await everything()
  return { url, port, changed: async () => (await everything()) !== before }
}

const readable = ['/__admin/state', '/__admin/projects/acme/users', '/__admin/dashboard/users?project=acme']
const pages = ['/__admin/', '/pay/acme/pml_open', '/docs']

interface Addresses {
  readonly readable: readonly string[]
  readonly changing: readonly string[]
  readonly pages: readonly string[]
  readonly events: string
}

const addressesAt = (origin: string): Addresses => ({
  readable: readable.map((path) => origin + path),
  changing: [
    'reset',
    'projects/acme/reset',
    'projects/acme/paymentLinks/pml_open/pay',
    'tokens',
    'faults',
    'state',
  ].map((path) => `${origin}/__admin/${path}`),
  pages: pages.map((path) => origin + path),
  events: `${origin}/__admin/events`,
})

// Runs in the page. Returns each attempt with its outcome.
const tryEverything = async ({ readable, changing, pages, events }: Addresses) => {
  const outcomes: [tried: string, came: string][] = []
  const attempt = async (tried: string, what: () => unknown) => {
    try {
      outcomes.push([tried, String(await what())])
    } catch (error) {
      outcomes.push([tried, `rejected: ${(error as Error).name}`])
    }
  }
  const textOf = async (response: Response) => `${response.type} ${await response.text()}`
  const json = { 'content-type': 'application/json' }
  const text = { 'content-type': 'text/plain' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const url of [...readable, ...pages]) {
    await attempt('read', async () => textOf(await fetch(url)))
    await attempt('read without cors', async () => textOf(await fetch(url, { mode: 'no-cors' })))
  }
  for (const url of changing)
    for (const method of ['POST', 'PUT']) {
      const body = '{"tokens":[],"projects":{}}'
      await attempt(method, async () => textOf(await fetch(url, { method, headers: json, body })))
      await attempt(`${method}, empty`, async () => textOf(await fetch(url, { method })))
      if (method !== 'POST') continue
      await attempt('simple', async () => textOf(await fetch(url, { method, headers: text, body })))
      for (const headers of [text, form])
        await attempt('no cors', async () => textOf(await fetch(url, { method, headers, body, mode: 'no-cors' })))
      await attempt('no cors, empty', async () => textOf(await fetch(url, { method, mode: 'no-cors' })))
      navigator.sendBeacon(url, body)
      navigator.sendBeacon(url, new Blob([body], { type: 'application/json' }))
    }
  for (const url of pages) {
    const payment = { method: 'POST', headers: form, body: 'outcome=succeeded' }
    await attempt('pay', async () => textOf(await fetch(url, payment)))
    await attempt('pay without cors', async () => textOf(await fetch(url, { ...payment, mode: 'no-cors' })))
  }
  const loaded = (name: 'img' | 'script' | 'link', url: string) =>
    new Promise((resolve) => {
      const element = document.createElement(name)
      element.addEventListener('load', () => resolve('loaded'))
      element.addEventListener('error', () => resolve('rejected'))
      if (element instanceof HTMLLinkElement) Object.assign(element, { rel: 'stylesheet', href: url })
      else element.src = url
      document.body.append(element)
    })
  for (const url of [...readable, ...pages])
    for (const name of ['img', 'script', 'link'] as const) await attempt(name, () => loaded(name, url))
  await attempt(
    'events',
    () =>
      new Promise((resolve) => {
        const source = new EventSource(events)
        source.addEventListener('open', () => resolve('open'))
        source.addEventListener('error', () => resolve(`rejected: ${source.readyState}`))
      }),
  )
  return outcomes
}

/** Opens the pages from another page, which keeps a reference to their window. */
const openWindows = async (page: Page, urls: readonly string[]) => {
  const seen: string[] = []
  for (const url of urls) {
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate((address) => void Object.assign(globalThis, { opened: open(address) }), url),
    ])
    await opened.waitForLoadState()
    seen.push(
      await page.evaluate(() => {
        const { opened } = globalThis as unknown as { opened: Window }
        try {
          return opened.document.documentElement.outerHTML
        } catch (error) {
          return (error as Error).name
        }
      }),
    )
    await opened.close()
  }
  return seen
}

// Runs in the page. Returns the event of an element that embeds a URL.
const embed = async (url: string) => {
  const outcome = (name: 'object' | 'embed' | 'iframe') =>
    new Promise<string>((resolve) => {
      const element = document.createElement(name)
      element.addEventListener('load', () => resolve(`${name}: load`))
      element.addEventListener('error', () => resolve(`${name}: error`))
      if (element instanceof HTMLObjectElement) element.data = url
      else element.src = url
      document.body.append(element)
    })
  return [await outcome('object'), await outcome('embed'), await outcome('iframe')]
}

describeInBrowser('a page of another origin', (open) => {
  it.each(['localhost', '127.0.0.1'])('of http://%s cannot detect which records exist', async (host) => {
    const { url } = await start()
    const merchant = await startMerchant('<h1>Look here</h1>')
    const { page } = await open()
    await page.goto(`http://${host}:${merchant.port}/`)
    const users = `${url}/__admin/projects/acme/users`
    const existing = await page.evaluate(embed, `${users}/usr_private`)
    expect(existing).toHaveLength(3)
    expect(await page.evaluate(embed, `${users}/usr_none`)).toEqual(existing)
  })

  it.each(['localhost', '127.0.0.1'])('of http://%s reads nothing of the mock, and changes nothing', async (host) => {
    const { url, changed } = await start()
    const merchant = await startMerchant('<h1>Look here</h1>')
    const { page } = await open()
    await page.goto(`http://${host}:${merchant.port}/`)
    const outcomes = await page.evaluate(tryEverything, addressesAt(url))
    expect(outcomes.length).toBeGreaterThan(50)
    // An opaque response has no text, and a stylesheet of another origin has no readable rules.
    const seen = outcomes.filter(([tried, came]) => tried !== 'link' && !/^(?:opaque $|rejected)/.test(came))
    expect(seen).toEqual([])
    expect(await openWindows(page, addressesAt(url).pages)).toEqual(['SecurityError', 'SecurityError', 'SecurityError'])
    expect(await changed()).toBe(false)
  })

  it('reads and changes nothing in the control API by DNS rebinding', async () => {
    const { port, changed } = await start()
    const origin = `http://rebound.example:${port}`
    // The docs accept any Host, so the page gets the origin of the mock. Without the policy of the docs it can send requests.
    const { page } = await open({ bypassCSP: true })
    await page.goto(`${origin}/docs`)
    const outcomes = await page.evaluate(tryEverything, addressesAt(origin))
    const seen = outcomes.map(([, came]) => came)
    expect(seen.join()).toContain('hostNotAllowed')
    expect(seen.filter((came) => /private/i.test(came))).toEqual([])
    expect(await changed()).toBe(false)
  })
})
