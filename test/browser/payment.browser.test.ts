// Proves: Races, Pages.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { startMerchant } from './support/merchant.ts'
import { startInBrowser } from './support/start.ts'

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describeInBrowser('the payment page', (open) => {
  it.each([true, false])('is paid by a click (JavaScript: %s)', async (javaScriptEnabled) => {
    const { url, status } = await startInBrowser()
    const { page, trouble } = await open({ javaScriptEnabled })
    await page.goto(url)
    await page.getByTestId('pay').click()
    await page.getByText('The invoice has been paid.').waitFor()
    await expect.poll(() => heading(page)).toBe('Payment succeeded')
    expect(await status()).toBe('completed')
    expect(trouble).toEqual([])
  })

  it('is paid with the keyboard only', async () => {
    const { url, status } = await startInBrowser()
    const { page, trouble } = await open()
    await page.goto(url)
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator(':focus').getAttribute('data-testid')).toBe('pay')
    const outline = () => page.locator(':focus').evaluate((element) => getComputedStyle(element).outlineStyle)
    await expect.poll(outline).toBe('solid')
    await page.keyboard.press('Enter')
    await page.getByTestId('message').waitFor()
    expect(await status()).toBe('completed')
    expect(trouble).toEqual([])
  })

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
    expect(await status()).toBe('completed')
    expect(trouble).toEqual([])
  })

  it.each(['pay', 'fail'])('redirects to another origin after %s', async (button) => {
    const merchant = await startMerchant()
    const { url, status } = await startInBrowser({
      partner: { redirectUrl: `http://localhost:${merchant.port}/done?order=1` },
    })
    const { page, trouble } = await open({ javaScriptEnabled: false })
    await page.goto(url)
    await expect.poll(() => page.getByTestId('redirect').textContent()).toBe(`http://localhost:${merchant.port}`)
    await page.getByTestId(button).click()
    await page.getByText('Thank you').waitFor()
    expect(merchant.visits).toEqual(['GET /done?order=1'])
    expect(await status()).toBe(button === 'pay' ? 'completed' : 'active')
    expect(trouble).toEqual([])
  })

  // Chromium considers a source with `_` invalid, and then blocks the redirect after a payment.
  it('redirects to a host that a policy cannot name', async () => {
    const merchant = await startMerchant()
    const { url } = await startInBrowser({ partner: { redirectUrl: `http://my_shop:${merchant.port}/done` } })
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

  it('is paid once by a double click', async () => {
    const { url, revision } = await startInBrowser()
    const before = await revision()
    const { page } = await open()
    await page.goto(url)
    await page.getByTestId('pay').dblclick()
    await page.getByTestId('message').waitFor()
    await expect.poll(() => heading(page)).toMatch(/^(?:Payment succeeded|This invoice has been paid)$/)
    expect(await revision()).toBe(before + 1)
  })

  it('has a link to continue on the page of the second click', async () => {
    const merchant = await startMerchant()
    const { url, post } = await startInBrowser({ partner: { redirectUrl: `http://localhost:${merchant.port}/done` } })
    const { page } = await open()
    await page.goto(url)
    await post('succeeded')
    await page.getByTestId('pay').click()
    await expect.poll(() => page.getByTestId('message').textContent()).toContain('It can be paid only once.')
    await page.getByTestId('continue').click()
    await page.getByText('Thank you').waitFor()
  })
})
