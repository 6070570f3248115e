import { expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { createPaymentPage } from '../../src/extensions/playwright/payment-page.ts'
import { describeInBrowser } from '../support/browser.ts'

describeInBrowser('the page object of the payment page', (open) => {
  const start = async (redirectPath?: string) => {
    const mock = createMock()
    onTestFinished(() => mock.close())
    const { url } = await mock.listen()
    const { paymentLinks } = mock.project('acme')
    const partner = redirectPath === undefined ? null : { redirectUrl: url + redirectPath }
    const link = await paymentLinks.create({ invoice: 'inv_1', partner })
    const { page } = await open()
    const status = async () => (await paymentLinks.get(link.id)).status
    return { url, paymentLinks, link, page, paymentPage: createPaymentPage(page), status }
  }

  it('opens a link, pays, and waits for the result', async () => {
    const { link, paymentPage, status } = await start()
    await paymentPage.open(link)
    expect(await paymentPage.status()).toBe('active')
    await expect.poll(() => paymentPage.part('invoice').textContent()).toBe('inv_1')
    await paymentPage.pay()
    expect([await paymentPage.status(), await status()]).toEqual(['completed', 'completed'])
  })

  it('fails a payment, which leaves the link active', async () => {
    const { link, paymentPage, status } = await start()
    await paymentPage.open(link)
    await paymentPage.fail()
    await expect.poll(() => paymentPage.part('message').textContent()).toMatch(/\S/)
    expect([await paymentPage.status(), await status()]).toEqual(['active', 'active'])
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
