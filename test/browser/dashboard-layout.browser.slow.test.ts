// Proves: Pages.
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { openDashboard } from './support/dashboard.ts'
import { listeningMock } from '../support/mock.ts'

const phone = { width: 390, height: 780 }

describeInBrowser('the layout of the dashboard', (open) => {
  it('keeps a table a table for screen readers on a phone, and its actions in sight', async () => {
    const { page, go } = await openDashboard(open)
    await page.setViewportSize(phone)
    await go('payment-links')
    const session = await page.context().newCDPSession(page)
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    const countRole = (role: string) => nodes.filter((node) => node.role?.value === role).length
    const rows = await page.locator('tbody tr').count()
    expect([countRole('table'), countRole('columnheader'), countRole('row')]).toEqual([1, 6, rows + 1])
    expect([countRole('rowheader'), countRole('cell')]).toEqual([rows, rows * 5])
    const { x, width } = (await page.getByRole('button', { name: 'Pay pml_open' }).boundingBox())!
    expect(x).toBeGreaterThan(0)
    expect(x + width).toBeLessThanOrEqual(phone.width)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  })

  it('wraps the text of an error below its field, whose width and button stay', async () => {
    const { page, go, fill, press } = await openDashboard(open)
    await go('clock')
    const label = 'Time, in UTC'
    const measure = async () => {
      const [field, button] = [
        page.getByLabel(label, { exact: true }),
        page.getByRole('button', { name: 'Freeze at this time' }),
      ]
      const [fieldBox, buttonBox] = [(await field.boundingBox())!, (await button.boundingBox())!]
      // The page may scroll to the field.
      return { width: fieldBox.width, x: buttonBox.x, below: buttonBox.y - fieldBox.y }
    }
    const before = await measure()
    await fill(label, 'soon')
    await press('Freeze at this time')
    await page.locator('small.problem').waitFor()
    expect(await measure()).toEqual(before)
  })

  it('aligns the text of a row with the text of its buttons', async () => {
    const { page, go } = await openDashboard(open)
    await go('payment-links')
    const row = page.locator('[data-row="pml_open"]')
    const getBottom = (element: Element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const [rect] = range.getClientRects()
      return rect!.top + rect!.height / 2
    }
    const text = await row.locator('th a').evaluate(getBottom)
    const button = await row.getByRole('button', { name: 'Pay pml_open' }).evaluate(getBottom)
    expect(Math.abs(text - button)).toBeLessThan(1.5)
  })

  it('closes the form of a fault with Escape, and returns the focus to its button', async () => {
    const { page, go } = await openDashboard(open)
    await go('faults')
    await page.getByText('Add a fault').click()
    await page.getByLabel('Status', { exact: true }).fill('503')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('details.add').getAttribute('open')).toBeNull()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Add a fault')
  })

  it('shows the message of a failed payment in another color than a success', async () => {
    const { page, go, press, done } = await openDashboard(open)
    const getColor = () => page.locator('#done').evaluate((element) => getComputedStyle(element).color)
    await go('payment-link?id=pml_open')
    await press('Fail pml_open')
    await done('A payment of pml_open failed.')
    const failed = await getColor()
    await press('Pay pml_open')
    await done('Paid pml_open.')
    expect(await getColor()).not.toBe(failed)
  })

  it('shows each command of the start page whole', async () => {
    const paymentLinks = [{ id: `pml_${'a1B2'.repeat(7)}`, invoice: 'inv_1' }]
    const { url } = await listeningMock({ seed: { projects: { acme: { paymentLinks } } } })
    const { page } = await open()
    await page.goto(url)
    const commands = page.locator('.curl pre')
    await expect.poll(() => commands.count()).toBe(3)
    const isCut = await commands.evaluateAll((all) => all.map((one) => one.scrollWidth > one.clientWidth))
    expect(isCut).toEqual([false, false, false])
  })
})
