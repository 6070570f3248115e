import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'

const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_open', invoice: 'inv_1' }] } } }

describeInBrowser('the landing page', (open) => {
  it('and the interface copy each command from inside its block, in one line', async () => {
    await using mock = createMock({ seed })
    const { url } = await mock.listen()
    const { page, trouble } = await open({
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
