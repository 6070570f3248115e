// Proves: Pages.
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser, readNow } from '../support/browser.ts'
import { openDashboard, seed } from './support/dashboard.ts'
import { startMerchant } from './support/merchant.ts'
import { errors } from '../../src/schema/error.ts'

const adminToken = 'tok_admin_0123456789'

const nasty = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'</title></style></textarea></pre><svg onload=alert(1)>",
  '<base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=/"><style>*{display:none}</style>',
  '<form data-method="POST" data-path="reset"><button data-copy="x">Pay</button></form>',
  '&lt;b&gt; ${alert(1)} {{alert(1)}} {project} <!-- \u202Eright to left \u0007 javascript:alert(1)',
]

/** Every view, with its parameters. */
const views = (id: { user: string; link: string; request: string }) => [
  'projects',
  'users',
  `user?id=${id.user}`,
  'payment-links',
  `payment-link?id=${id.link}`,
  'clock',
  'snapshots',
  'faults',
  'behaviors',
  'journal',
  `request?id=${id.request}`,
  'diagnostics',
  'coverage',
]

describeInBrowser('what the dashboard withstands', (open) => {
  const start = async (token?: string) => {
    const mock = createMock({ seed })
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

    for (const view of views({ user: user.id, link: link.id, request: first!.id })) {
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
    await page.getByRole('alert').getByText('No route matches GET').waitFor()
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
    await alert.getByText('Redirect URL must be an absolute http or https URL').waitFor()
    await expect.poll(() => alert.textContent()).toContain("(got '<img src=x onerror=alert(1)>')")
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
    await alert.getByText('Body (JSON) is not valid JSON: {oops').waitFor()
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

  it('rejects requests after DNS rebinding', async () => {
    await using mock = await start()
    const { page } = await open()
    const response = await page.goto(`http://rebound.example:${mock.port}/__admin/`)
    expect(response?.status()).toBe(403)
    await expect.poll(() => page.textContent('body')).toContain('hostNotAllowed')
    // Public pages are available, but show no data.
    await page.goto(`http://rebound.example:${mock.port}/docs`)
    expect(await readNow(() => page.textContent('body'))).not.toMatch(/usr_ada|usr_grace|pml_open|grace@/)
  })

  it.each(['/__admin/', '/docs', '/'])('does not let %s be framed', async (path) => {
    await using mock = await start()
    const merchant = await startMerchant(`<iframe src="${mock.url}${path}"></iframe>`)
    const { page, trouble } = await open()
    await page.goto(`http://localhost:${merchant.port}/`)
    await expect.poll(() => trouble.join()).toContain('frame-ancestors')
    expect(await readNow(() => page.frameLocator('iframe').locator('main').count())).toBe(0)
  })

  it.each(['localhost', '127.0.0.1'])('rejects calls from a page of http://%s', async (host) => {
    await using mock = await start()
    const path = '/__admin/projects/acme/paymentLinks/pml_open/pay'
    const merchant = await startMerchant(`
      <form method="post" action="${mock.url}${path}"><button>Form</button></form>
      <form method="post" action="${mock.url}${path}" enctype="text/plain"><input name='{"x":"' value='"}'><button>Text</button></form>`)
    const { page } = await open()
    for (const name of ['Form', 'Text']) {
      await page.goto(`http://${host}:${merchant.port}/`)
      await page.getByRole('button', { name }).click()
      await page.getByText('originNotAllowed').waitFor()
    }
    await page.goto(`http://${host}:${merchant.port}/`)
    const outcomes = await page.evaluate(
      async (urls) => {
        const outcome = (promise: Promise<Response>) =>
          promise.then(
            (response) => response.type,
            () => 'rejected',
          )
        return Promise.all([
          outcome(fetch(urls.pay, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })),
          outcome(fetch(urls.view)),
          outcome(fetch(urls.pay, { method: 'POST', mode: 'no-cors', body: '{}' })),
        ])
      },
      { pay: mock.url + path, view: `${mock.url}/__admin/dashboard/users?project=acme` },
    )
    expect(outcomes).toEqual(['rejected', 'rejected', 'opaque'])
    expect((await mock.mock.project('acme').paymentLinks.get('pml_open')).status).toBe('active')
  })
})
