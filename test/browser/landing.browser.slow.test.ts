import { expect, it } from 'vitest'
import { describeInBrowser, type Open, readNow } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { listeningMock } from '../support/mock.ts'

const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_open', invoice: 'inv_1' }] } } }

const openLanding = async (open: Open, options?: Parameters<Open>[0]) => {
  const { mock, url } = await listeningMock({ seed })
  const opened = await open(options)
  await opened.page.goto(url)
  return { mock, url, ...opened }
}

describeInBrowser('the landing page', (open) => {
  it('shows that its link was paid, and the new counts, without a reload', async () => {
    const { mock, page, trouble } = await openLanding(open)
    await page.getByRole('status').filter({ hasText: 'is active' }).waitFor()
    await mock.project('acme').paymentLinks.pay('pml_open')
    await page.getByRole('status').filter({ hasText: 'completed' }).waitFor()
    await mock.project('acme').users.create({ email: 'ada@example.com' })
    await page.getByText('1 user, 1 payment link').waitFor()
    await expectNothingSerious(page, 'a paid link')
    expect(trouble).toEqual([])
  })

  it('shows the same without JavaScript, with a link that refreshes it', async () => {
    const { mock, page } = await openLanding(open, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
    expect(await readNow(() => page.locator('button').count())).toBe(0)
    await expect.poll(() => page.locator('.curl').count()).toBe(3)
    await mock.project('acme').paymentLinks.pay('pml_open')
    await page.getByRole('link', { name: 'Refresh it' }).click()
    await page.getByRole('status').filter({ hasText: 'completed' }).waitFor()
  })

  it('and the interface copy each command from inside its block, in one line', async () => {
    const { url, page, trouble } = await openLanding(open, {
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 390, height: 780 },
    })
    for (const [path, count] of [
      ['/', 3],
      ['/docs', 13],
    ] as const) {
      await page.goto(url + path)
      const blocks = await page.locator('.curl').all()
      expect(blocks).toHaveLength(count)
      for (const block of blocks) {
        const button = block.getByRole('button')
        const [outer, inner] = await Promise.all([block.boundingBox(), button.boundingBox()])
        expect(inner!.x).toBeGreaterThan(outer!.x)
        expect(inner!.x + inner!.width).toBeLessThan(outer!.x + outer!.width)
        expect(inner!.y + inner!.height).toBeLessThan(outer!.y + outer!.height)
        await button.click()
        await block.getByText('Copied').waitFor()
        const copied = await page.evaluate(() => navigator.clipboard.readText())
        expect(copied).toMatch(/^curl [^\n]+$/)
        await expect.poll(() => block.locator('code').textContent()).toBe(copied)
      }
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      await expectNothingSerious(page, path)
    }
    expect(trouble).toEqual([])
  })
})
