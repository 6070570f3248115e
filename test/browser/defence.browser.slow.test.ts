// Proves: Pages, Control API.
import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser, readNow } from '../support/browser.ts'
import { openDashboard, projectViews, seed as dashboardSeed } from './support/dashboard.ts'
import { errors } from '../../src/core/schema/error.ts'
import { noon } from '../support/api.ts'
import { startMerchant } from './support/merchant.ts'
import { listeningMock } from '../support/mock.ts'

const adminToken = 'tok_admin_0123456789'

const nasty = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'</title></style></textarea></pre><svg onload=alert(1)>",
  '<base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=/"><style>*{display:none}</style>',
  '<form data-method="POST" data-path="reset"><button data-copy="x">Pay</button></form>',
  '&lt;b&gt; ${alert(1)} {{alert(1)}} {project} <!-- \u202Eright to left \u0007 javascript:alert(1)',
]

describeInBrowser('what the dashboard withstands', (open) => {
  const start = async (token?: string) => {
    const mock = createMock({ seed: dashboardSeed })
    const { url, port } = await mock.listen({ adminToken: token })
    return { mock, url, port, [Symbol.asyncDispose]: () => mock.close() }
  }

  // In two groups, which saves half a minute.
  it.each([nasty.slice(0, 3).join(''), nasty.slice(3).join('')])('shows %s as text in every field', async (text) => {
    const project = text
    const { mock, page, trouble, go, ask } = await openDashboard(open, { seed: {} })
    const controlled = mock.project(project)
    const address = `"${text.replace(/["\\\p{Cc}]/gu, '').slice(0, 250)}"@example.com`
    const user = await controlled.users.create({ email: address, fullName: text, metadata: { [text]: text } })
    const link = await controlled.paymentLinks.create({
      invoice: text,
      payer: { fullName: text, email: text, taxNumber: text },
      partner: { redirectUrl: `https://shop.example/?${encodeURI(text).replaceAll("'", '%27')}` },
    })
    await controlled.paymentLinks.pay(link.id, { when: { reads: 2 } })
    await controlled.snapshots.save(text.slice(0, 200))
    await controlled.faults.add({
      match: { operation: 'createUser', body: { fullName: text } },
      times: null,
      effect: { status: 503, body: { text }, headers: { 'x-text': text.replace(/[^\x20-\x7e]/g, '') } },
    })
    const path = `/projects/${encodeURIComponent(project)}`
    const headers = {
      'user-agent': text.replace(/[^\x20-\x7e]/g, ''),
      'content-type': 'application/json',
      'x-text': '<b>',
    }
    await ask(`${path}/users?${encodeURIComponent(text)}=${encodeURIComponent(text)}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email: 'a@example.com', fullName: text, [text]: text }),
    })
    await ask(`${path}/paymentLinks`, { method: 'POST', headers, body: `${text}\n` })
    await ask(`${path}/users/${encodeURIComponent(text)}`, { headers: { accept: 'text/plain' } })
    const [first] = (await controlled.requests.list()).items
    for (const view of ['projects', ...projectViews({ user: user.id, link: link.id, request: first!.id })]) {
      await go(view, project)
      expect(
        await readNow(() => page.locator('img, svg, style, script:not([src]), base, iframe, form form').count()),
      ).toBe(0)
      expect(await readNow(() => page.locator('main meta, main title').count())).toBe(0)
    }
    await go(`user?id=${user.id}`, project)
    await expect.poll(() => page.locator('h1').textContent()).toBe(text)
    await expect.poll(() => page.getByLabel('Full name').inputValue()).toBe(text)
    await go('snapshots', project)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.locator('#confirm').getByRole('button', { name: 'Restore' }).click()
    await page.locator('#done').getByText('Restored').waitFor()
    await expect.poll(() => page.locator('#done').textContent()).toBe(`Restored ${text.slice(0, 200)}.`)
    expect(trouble).toEqual([])
  })

  it.each([
    '#../projects/acme/users',
    '#..%2fprojects/acme/users',
    '#/__admin/projects/acme/users',
    '#//evil.example/',
  ])('treats %s as an unknown view', async (hash) => {
    await using mock = await start()
    await mock.mock.project('acme').users.patch('usr_ada', { fullName: '<b id="hurt">' })
    const { page } = await open()
    await page.goto(`${mock.url}/__admin/${hash}`)
    await page.getByRole('heading', { name: /^There is no view / }).waitFor()
    expect(await readNow(() => page.locator('#hurt').count())).toBe(0)
  })

  it('shows the reason of a rejection as text, and changes nothing', async () => {
    const { mock, page, go, press, fill } = await openDashboard(open)
    await go('payment-links')
    const { revision } = await mock.project('acme').summary()
    await page.getByText('Add a payment link').click()
    await fill('Invoice', '<b>inv</b>')
    await fill('Redirect URL', '<img src=x onerror=alert(1)>')
    await press('Add the payment link')
    const alert = page.getByRole('alert')
    const problem = page.getByText('Redirect URL must be an absolute http or https URL')
    await expect.poll(() => problem.textContent()).toContain("(got '<img src=x onerror=alert(1)>')")
    // The typed text stays, to be corrected.
    expect(await readNow(() => page.getByLabel('Invoice', { exact: true }).inputValue())).toBe('<b>inv</b>')
    await mock.project('acme').paymentLinks.delete('pml_paid')
    await go('payment-link?id=pml_open')
    // The page must not show the cancellation, or there is no button.
    await press('Live: on')
    await page.getByRole('button', { name: 'Live: off' }).waitFor()
    await mock.project('acme').paymentLinks.cancel('pml_open')
    await press('Pay pml_open')
    const { message, hint } = errors.paymentLinkNotActive({ id: 'pml_open', status: 'canceled' }, 'paid')
    await alert.getByText(message).waitFor()
    await alert.getByText(hint!).waitFor()
    expect((await mock.project('acme').summary()).revision).toBe(revision + 2)
    await go('faults')
    await page.getByText('Add a fault').click()
    await fill('Status', '503')
    await page.getByLabel('Body (JSON)', { exact: true }).fill('{oops')
    await press('Create the fault')
    await page.getByText('Body (JSON) is not valid JSON: {oops').waitFor()
  })

  it('asks for the admin token again when it was wrong, once for all pending calls', async () => {
    await using mock = await start(adminToken)
    const { url } = mock
    const { page } = await open()
    await page.goto(`${url}/__admin/?project=acme#users`)
    const type = async (token: string) => {
      await page.getByRole('textbox', { name: 'Token' }).fill(token)
      await page.keyboard.press('Enter')
    }
    await page.getByRole('dialog', { name: 'Admin token' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await type('not the token')
    expect(await readNow(() => page.getByRole('dialog').count())).toBe(1)
    await type('tok_wrong')
    await page.getByText(errors.adminTokenWrong().message).waitFor()
    await type(adminToken)
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.reload()
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    expect(await readNow(() => page.getByRole('dialog').count())).toBe(0)
    // The token stays in its tab.
    const other = await page.context().newPage()
    await other.goto(`${url}/__admin/`)
    await other.getByRole('dialog', { name: 'Admin token' }).waitFor()
  })
})

const seed = {
  projects: {
    acme: {
      users: [{ id: 'usr_private', email: 'private@example.com' }],
      paymentLinks: [{ id: 'pml_open', invoice: 'inv_private', payer: { fullName: 'Ada Private' } }],
    },
  },
}

const start = async () => {
  const { mock, url, port } = await listeningMock({ seed, clock: noon })
  const readAll = async () =>
    structuredClone([
      await mock.projects(),
      await mock.state.get(),
      await mock.tokens.get(),
      (await mock.faults.list()).map(({ id }) => id),
    ])
  const before = await readAll()
  return { url, port, expectUnchanged: async () => expect(await readAll()).toEqual(before) }
}

const readable = ['/__admin/state', '/__admin/projects/acme/users', '/__admin/dashboard/users?project=acme']
const pages = ['/__admin/', '/pay/acme/pml_open', '/docs']

const addressesAt = (origin: string) => ({
  readable: readable.map((path) => origin + path),
  changing: 'reset projects/acme/reset projects/acme/paymentLinks/pml_open/pay tokens faults state'
    .split(' ')
    .map((path) => `${origin}/__admin/${path}`),
  pages: pages.map((path) => origin + path),
  events: `${origin}/__admin/events`,
})

// Runs in the page. Returns each attempt with its outcome.
const tryEverything = async ({ readable, changing, pages, events }: ReturnType<typeof addressesAt>) => {
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
    const { url, expectUnchanged } = await start()
    const merchant = await startMerchant('<h1>Look here</h1>')
    const { page } = await open()
    await page.goto(`http://${host}:${merchant.port}/`)
    const outcomes = await page.evaluate(tryEverything, addressesAt(url))
    expect(outcomes.length).toBeGreaterThan(50)
    // An opaque response has no text, and a stylesheet of another origin has no readable rules.
    const seen = outcomes.filter(([tried, came]) => tried !== 'link' && !/^(?:opaque $|rejected)/.test(came))
    expect(seen).toEqual([])
    expect(await openWindows(page, addressesAt(url).pages)).toEqual(['SecurityError', 'SecurityError', 'SecurityError'])
    await expectUnchanged()
  })

  it('reads and changes nothing in the control API by DNS rebinding', async () => {
    const { port, expectUnchanged } = await start()
    const origin = `http://rebound.example:${port}`
    // The docs accept any Host, so the page gets the origin of the mock. Without the policy of the docs it can send requests.
    const { page } = await open({ bypassCSP: true })
    await page.goto(`${origin}/docs`)
    const outcomes = await page.evaluate(tryEverything, addressesAt(origin))
    const seen = outcomes.map(([, came]) => came)
    expect(seen.join()).toContain('hostNotAllowed')
    expect(seen.filter((came) => /private/i.test(came))).toEqual([])
    await expectUnchanged()
  })
})

// Runs in the page.
const callAll = async (url: string) => {
  const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }
  const outcomeOf = async (path: string, init: RequestInit = {}) => {
    try {
      const response = await fetch(url + path, { headers, ...init })
      const { code, object } = await response.json()
      return [
        response.status,
        code ?? object,
        response.headers.get('retry-after'),
        response.headers.has('mock-request-id'),
      ]
    } catch (error) {
      return (error as Error).name
    }
  }
  const users = '/projects/acme/users'
  const create = { method: 'POST', body: '{"email":"ada@example.com"}' }
  return {
    create: await outcomeOf(users, create),
    inSandbox: await outcomeOf(`/@a${users}`, create),
    unknown: await outcomeOf(`${users}/usr_none`, { method: 'DELETE' }),
    fault: await outcomeOf('/projects/acme/paymentLinks'),
    control: await outcomeOf('/__admin/projects'),
    controlInSandbox: await outcomeOf('/@a/__admin/reset', { method: 'POST' }),
  }
}

describeInBrowser('a page of another origin', (open) => {
  it('calls the mocked API with its origin in `cors`, and never the control API', async () => {
    const merchant = await startMerchant()
    const origin = `http://localhost:${merchant.port}`
    const { mock, url } = await listeningMock({ cors: [origin] })
    const effect = { status: 503, headers: { 'Retry-After': '7' } }
    await mock.faults.add({ match: { operation: 'listPaymentLinks' }, effect })
    const { page } = await open()
    await page.goto(`${origin}/`)
    expect(await page.evaluate(callAll, url)).toEqual({
      create: [201, 'user', null, true],
      inSandbox: [201, 'user', null, true],
      unknown: [404, 'userNotFound', null, true],
      fault: [503, 'injectedFault', '7', true],
      control: 'TypeError',
      controlInSandbox: 'TypeError',
    })
    const foreign = await startMerchant()
    await page.goto(`http://localhost:${foreign.port}/`)
    expect(Object.values(await page.evaluate(callAll, url))).toEqual(Array.from({ length: 6 }, () => 'TypeError'))
  })
})
