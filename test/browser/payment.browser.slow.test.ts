// Proves: Races, Pages.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { startMerchant } from './support/merchant.ts'
import { startInBrowser, form } from './support/start.ts'
import { expectNothingSerious } from './support/axe.ts'

describeInBrowser('the payment page', (open) => {
  // Chromium applies a `form-action` to the redirect and to each redirect after it.
  it.each([
    ['to a host that a policy cannot name', 'my_shop', () => '/done'],
    ['on to another origin', 'localhost', (port: number) => `/to/http://127.0.0.1:${port}/login`],
  ])('redirects %s', async (_, host, getPath) => {
    const merchant = await startMerchant()
    const redirectUrl = `http://${host}:${merchant.port}${getPath(merchant.port)}`
    const { url } = await startInBrowser({ partner: { redirectUrl } })
    const { page, trouble } = await open()
    await page.goto(url)
    await page.getByTestId('pay').click()
    await page.getByText('Thank you').waitFor()
    expect(trouble).toEqual([])
  })

  // Without a secure context, a browser sends no Sec-Fetch-Site, and only the Origin identifies the page.
  it('is paid under the name of a container', async () => {
    const { port, path, status } = await startInBrowser()
    const { page, trouble } = await open()
    await page.goto(`http://paylink-mock:${port}${path}`)
    await page.getByTestId('pay').click()
    await page.getByText('The invoice has been paid.').waitFor()
    expect(await status()).toBe('completed')
    expect(trouble).toEqual([])
  })
})

describeInBrowser('the payment page for everybody', (open) => {
  it('has the right accessibility tree', async () => {
    const { url } = await startInBrowser()
    const { page } = await open()
    await page.goto(url)
    await expect.poll(() => page.title()).toBe('Pay this invoice - paylink-mock')
    expect(await page.locator('main').ariaSnapshot()).toMatchInlineSnapshot(`
      "- main:
        - heading "Pay this invoice" [level=1]
        - term: Invoice
        - definition: inv_1
        - term: Name
        - definition: Ada Lovelace
        - term: Email
        - definition: ada@example.com
        - term: Tax number
        - definition: ends in 09
        - term: Status
        - definition: active
        - button "Pay"
        - button "Let the payment fail""
    `)
    await expectNothingSerious(page, 'active')
  })

  it('fits a phone, with buttons large enough for a thumb', async () => {
    const { url, status } = await startInBrowser({
      invoice: `inv_${'x'.repeat(300)}`,
      payer: { email: `${'y'.repeat(300)}@example.com` },
      partner: { redirectUrl: `https://${'z'.repeat(60)}.${'z'.repeat(60)}.example/` },
    })
    const { page } = await open({ viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true })
    await page.goto(url)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    for (const button of await page.getByRole('button').all())
      await expect.poll(async () => (await button.boundingBox())!.height).toBeGreaterThanOrEqual(44)
    await page.getByTestId('pay').tap()
    await expect.poll(status).toBe('completed')
  })
})

const at = '2025-01-02T03:04:05.678Z'

type State = readonly [name: string, link: Parameters<typeof startInBrowser>[0], act?: (page: Page) => Promise<unknown>]

describeInBrowser('every state of the payment page for everybody', (open) => {
  const states: readonly State[] = [
    ['active', { partner: { redirectUrl: 'https://shop.example/done' } }],
    ['active, without a payer', { payer: {} }],
    ['completed', { status: 'completed', completedAt: at, partner: { redirectUrl: 'https://shop.example/' } }],
    ['canceled', { status: 'canceled', canceledAt: at }],
    ['succeeded', {}, (page) => sendForm(page, 'pay')],
    ['failed', {}, (page) => sendForm(page, 'fail')],
    ['unknown', {}, (page) => page.goto(new URL('pml_none', page.url()).href)],
    ['rejected', {}, (page) => sendWrongForm(page)],
  ]

  const cases = states.map(([name, ...state]) => [name, state] as const)
  it.each(cases)('has no serious axe findings in either theme: %s', async (name, [link, act]) => {
    const { url } = await startInBrowser(link)
    const { page } = await open()
    await page.setViewportSize({ width: 900, height: 800 })
    await page.goto(url)
    await act?.(page)
    await expectNothingSerious(page, name)
  })
})

const sendForm = async (page: Page, button: string) => {
  await page.getByTestId(button).click()
  await page.getByTestId('message').waitFor()
}

// The browser cannot send an invalid form, so the request is replaced.
const sendWrongForm = async (page: Page) => {
  await page.route('**/pml_1', async (route) => {
    await route.continue({
      method: 'POST',
      headers: { ...route.request().headers(), ...form },
      postData: 'outcome=maybe',
    })
  })
  await page.reload()
}
