// Proves: Pages.
import { expect, it } from 'vitest'
import { describeInBrowser, readNow } from '../support/browser.ts'
import { startMerchant } from './support/merchant.ts'
import { startInBrowser } from './support/start.ts'

describeInBrowser('what the payment page rejects', (open) => {
  it('does not let itself be framed', async () => {
    const { url } = await startInBrowser()
    const merchant = await startMerchant(`<iframe src="${url}"></iframe>`)
    const { page, trouble } = await open()
    await page.goto(`http://localhost:${merchant.port}/`)
    await expect.poll(() => trouble.join()).toContain('frame-ancestors')
    expect(await readNow(() => page.frameLocator('iframe').getByTestId('pay').count())).toBe(0)
  })

  it.each(['localhost', '127.0.0.1'])('takes no payment from a page of http://%s', async (host) => {
    const { url, status } = await startInBrowser()
    const merchant = await startMerchant(
      `<form method="post" action="${url}"><button name="outcome" value="succeeded">Win</button></form>`,
    )
    const { page } = await open()
    await page.goto(`http://${host}:${merchant.port}/`)
    await page.getByText('Win').click()
    await page.getByTestId('message').getByText('A payment can only be posted from its payment page').waitFor()
    expect(await status()).toBe('active')
  })

  it('shows nothing under a name that was rebound to it', async () => {
    const { port, path, status } = await startInBrowser()
    const { page } = await open()
    const response = await page.goto(`http://rebound.example:${port}${path}`)
    expect(response?.status()).toBe(403)
    await expect.poll(() => page.getByTestId('message').textContent()).toContain("under the Host 'rebound.example:")
    expect(await readNow(() => page.textContent('body'))).not.toMatch(/Ada|inv_1/)
    expect(await status()).toBe('active')
  })

  // Three at a time: each text costs two loads of the page.
  it.each([
    `<script>alert(1)</script>"><img src=x onerror=alert(1)>'-alert(1)-'</title></style><svg onload=alert(1)>`,
    `<style>body{display:none}</style><base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=/">
    <form action="http://evil.example/"><button name="outcome" value="succeeded">Pay</button></form>
    &lt;b&gt; \${alert(1)} {{alert(1)}} <!-- \u202Eright\u0000 to left`,
  ])('shows %s as text in every field', async (nasty) => {
    const { mock, origin } = await startInBrowser()
    const record = { invoice: nasty, payer: { fullName: nasty, email: nasty, taxNumber: nasty } }
    const link = await mock.project(nasty).paymentLinks.create(record)
    const { page, trouble } = await open()
    const shown = nasty.replace('\u0000', '')
    for (const [button, state] of [
      ['fail', 'active'],
      ['pay', 'completed'],
    ] as const) {
      await page.goto(link.paymentUrl)
      await page.getByTestId(button).click()
      // Only the page of the result has a message.
      await page.getByTestId('message').waitFor()
      for (const field of ['invoice', 'payer-name', 'payer-email', 'project'])
        await expect.poll(() => page.getByTestId(field).textContent()).toBe(shown)
      await expect.poll(() => page.getByTestId('status').textContent()).toBe(state)
      await expect.poll(() => page.url()).toBe(`${origin}${new URL(link.paymentUrl).pathname}`)
      expect(await readNow(() => page.locator('img, form form, style, script, base').count())).toBe(0)
    }
    expect(trouble).toEqual([])
  })
})
