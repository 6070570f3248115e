// Proves: Races, Pages.
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { startMerchant } from './support/merchant.ts'
import { startInBrowser } from './support/start.ts'
import { createPaymentPage } from '../../src/testing/playwright/payment-page.ts'
import { listeningMock } from '../support/mock.ts'

describeInBrowser('the payment page', (open) => {
  it('fails on demand, and is paid by another try, with the keyboard only', async () => {
    const { url, status } = await startInBrowser()
    const { page, trouble } = await open()
    await page.goto(url)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.getByText('No payment was made').waitFor()
    expect(await status()).toBe('active')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator(':focus').getAttribute('data-testid')).toBe('retry')
    await page.keyboard.press('Enter')
    await page.getByTestId('pay').click()
    await page.getByText('The invoice has been paid.').waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Payment succeeded')
    expect(await status()).toBe('completed')
    expect(trouble).toEqual([])
  })

  it('redirects to another origin, also without JavaScript', async () => {
    const merchant = await startMerchant()
    const { url, status } = await startInBrowser({
      partner: { redirectUrl: `http://localhost:${merchant.port}/done?order=1` },
    })
    const { page, trouble } = await open({ javaScriptEnabled: false })
    for (const [button, after] of [
      ['fail', 'active'],
      ['pay', 'completed'],
    ] as const) {
      await page.goto(url)
      await expect.poll(() => page.getByTestId('redirect').textContent()).toBe(`http://localhost:${merchant.port}`)
      await page.getByTestId(button).click()
      await page.getByText('Thank you').waitFor()
      expect(await status()).toBe(after)
    }
    expect(merchant.visits).toEqual(['GET /done?order=1', 'GET /done?order=1'])
    expect(trouble).toEqual([])
  })
})

describeInBrowser('the page object of the payment page', (open) => {
  const start = async (redirectPath?: string) => {
    const { mock, url } = await listeningMock()
    const { paymentLinks } = mock.project('acme')
    const partner = redirectPath === undefined ? null : { redirectUrl: url + redirectPath }
    const link = await paymentLinks.create({ invoice: 'inv_1', partner })
    const { page } = await open()
    const status = async () => (await paymentLinks.get(link.id)).status
    return { url, paymentLinks, link, page, paymentPage: createPaymentPage(page), status }
  }

  it('opens a link, fails, pays, and waits for each result', async () => {
    const { link, paymentPage, status } = await start()
    await paymentPage.open(link)
    expect(await paymentPage.status()).toBe('active')
    await expect.poll(() => paymentPage.part('invoice').textContent()).toBe('inv_1')
    await paymentPage.fail()
    await expect.poll(() => paymentPage.part('message').textContent()).toMatch(/\S/)
    expect([await paymentPage.status(), await status()]).toEqual(['active', 'active'])
    await paymentPage.open(link)
    await paymentPage.pay()
    expect([await paymentPage.status(), await status()]).toEqual(['completed', 'completed'])
  })

  it('shows a link that was canceled', async () => {
    const { link, paymentLinks, paymentPage } = await start()
    await paymentLinks.cancel(link.id)
    await paymentPage.open(link)
    expect(await paymentPage.status()).toBe('canceled')
  })

  it('waits for the browser to arrive, and follows it to the shop', async () => {
    const { url, link, page, paymentPage, status } = await start('/docs')
    const opened = paymentPage.open()
    await page.goto(link.paymentUrl)
    await opened
    await paymentPage.pay()
    await expect.poll(() => page.url()).toBe(`${url}/docs`)
    expect(await status()).toBe('completed')
  })
})
