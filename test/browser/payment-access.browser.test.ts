// Proves: Pages.
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { startInBrowser } from './support/start.ts'

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
