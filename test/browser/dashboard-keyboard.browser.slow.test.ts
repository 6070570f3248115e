// Proves: Pages.
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser, readNow } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { openDashboard, seed } from './support/dashboard.ts'

describeInBrowser('the dashboard for everybody', (open) => {
  it('has no serious axe findings when it asks for the admin token', async () => {
    await using mock = createMock({ seed })
    const { url } = await mock.listen({ adminToken: 'tok_admin' })
    const { page } = await open()
    await page.goto(`${url}/__admin/`)
    await page.getByRole('dialog').waitFor()
    await expectNothingSerious(page, 'the admin token')
  })

  it('has the right accessibility tree', async () => {
    const { page, go } = await openDashboard(open)
    await go('payment-links')
    await expect.poll(() => page.title()).toBe('Payment links - paylink-mock')
    expect(await page.locator('body').ariaSnapshot()).toContain(`- navigation "Sections":`)
    expect(await page.locator('main').ariaSnapshot()).toMatchInlineSnapshot(`
      "- main:
        - heading "Payment links" [level=1]
        - paragraph: For the project acme only
        - search:
          - text: Invoice, payer or id
          - searchbox "Invoice, payer or id"
          - text: Any part of it, in upper or lower case; a payer by name or email. Status
          - combobox "Status":
            - option "any" [selected]
            - option "active"
            - option "canceled"
            - option "completed"
          - button "Find"
        - group: Add a payment link
        - table "Payment links of acme":
          - caption: Payment links of acme
          - rowgroup:
            - row "Payment link Status Invoice Payer Created Actions":
              - columnheader "Payment link"
              - columnheader "Status"
              - columnheader "Invoice"
              - columnheader "Payer"
              - columnheader "Created"
              - columnheader "Actions"
          - rowgroup:
            - row "pml_open active inv_2 Grace Hopper 2025-06-01 11:59:59 Pay pml_open":
              - rowheader "pml_open":
                - link "pml_open":
                  - /url: "#payment-link?id=pml_open"
                  - code: pml_open
              - cell "active"
              - cell "inv_2"
              - cell "Grace Hopper"
              - cell "2025-06-01 11:59:59":
                - time: 2025-06-01 11:59:59
              - cell "Pay pml_open":
                - button "Pay pml_open"
                - group: More for pml_open
            - row "pml_paid completed inv_1 2025-06-01 11:59:58":
              - rowheader "pml_paid":
                - link "pml_paid":
                  - /url: "#payment-link?id=pml_paid"
                  - code: pml_paid
              - cell "completed"
              - cell "inv_1"
              - cell
              - cell "2025-06-01 11:59:58":
                - time: 2025-06-01 11:59:58
              - cell:
                - group: More for pml_paid"
    `)
    await expectNothingSerious(page, 'payment links')
  })

  it('works with the keyboard, and keeps the focus', async () => {
    const { mock, page, go, confirm, done, row } = await openDashboard(open)
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, ' ').trim())
    await go('users')
    await page.locator('body').press('Tab')
    await expect.poll(focused).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(await readNow(() => page.url())).toContain('#users')
    await go('users')

    const more = row('usr_grace').locator('summary')
    await more.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Verify usr_grace')
    await page.keyboard.press('Enter')
    await done('Marked the email of usr_grace as verified.')
    await expect.poll(focused).toBe('More for usr_grace')
    // Changes of other clients appear without a click, and the focus and the open menu stay.
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Unverify usr_grace')
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.getByText('late@example.com').waitFor()
    expect(await readNow(focused)).toBe('Unverify usr_grace')
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Delete usr_grace')
    await page.keyboard.press('Enter')
    // A key that is held down must not confirm its own question.
    await expect.poll(focused).toBe('Go back')
    await confirm('Delete')
    await done('Deleted usr_grace.')
    await expect.poll(focused).toBe('Users')

    await page.getByRole('link', { name: 'Payment links' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
    await expect.poll(focused).toBe('Payment links')
    await page.getByRole('button', { name: 'Pay pml_open' }).focus()
    await page.keyboard.press('Enter')
    await done('Paid pml_open.')
    await expect.poll(focused).toBe('pml_open')
  })

  it('opens one menu at a time, and closes it with Escape, a click elsewhere and its action', async () => {
    const { page, go, row, choose, done } = await openDashboard(open)
    await go('payment-links')
    const [open1, open2] = [row('pml_open').locator('.menu'), row('pml_paid').locator('.menu')]
    const isOpen = () => Promise.all([open1, open2].map((menu) => menu.evaluate((one) => one.hasAttribute('open'))))
    await open1.locator('summary').click()
    await expect.poll(isOpen).toEqual([true, false])
    await expectNothingSerious(page, 'an open menu')
    // A handler of the dashboard must not close the menu that a keyboard opens, and the first one closes.
    await open2.locator('summary').press('Enter')
    await expect.poll(isOpen).toEqual([false, true])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await expect.poll(isOpen).toEqual([false, false])
    await expect
      .poll(() => open2.locator('summary').evaluate((summary) => summary === document.activeElement))
      .toBe(true)
    await open1.locator('summary').click()
    await page.locator('h1').click()
    await expect.poll(isOpen).toEqual([false, false])
    await choose('pml_open', 'Cancel')
    await done('Canceled pml_open.')
    await expect.poll(isOpen).toEqual([false, false])
  })

  it('keeps a row and its menu when rows before it come and go', async () => {
    const { mock, page, go, row } = await openDashboard(open)
    await go('users')
    await row('usr_grace').locator('summary').click()
    const element = await row('usr_grace').elementHandle()
    const { users } = mock.project('acme')
    await users.create({ email: 'late@example.com' })
    await page.getByText('late@example.com').waitFor()
    await users.delete('usr_ada')
    await row('usr_ada').waitFor({ state: 'detached' })
    expect(await readNow(() => element.evaluate((one) => one.isConnected))).toBe(true)
    expect(await readNow(() => page.locator('.menu[open]').count())).toBe(1)
    expect(await readNow(() => row('usr_grace').locator('.menu').getAttribute('open'))).toBe('')
  })

  it('keeps typed text and open details while events arrive', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('users')
    await page.getByText('Add a user').click()
    await page.getByLabel('Full name').fill('Hedy')
    await page.locator('h1').click()
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.getByText('late@example.com').waitFor()
    expect(await readNow(() => page.getByLabel('Full name').inputValue())).toBe('Hedy')

    await page.getByRole('button', { name: 'Live: on' }).click()
    await mock.project('acme').users.create({ email: 'later@example.com' })
    await page.getByRole('button', { name: 'Live: off' }).click()
    await page.getByRole('button', { name: 'Live: on' }).waitFor()
    await page.getByText('later@example.com').waitFor()
  })

  it('reports a lost connection, and continues when the mock is back', async () => {
    const first = createMock({ seed })
    const { url, port } = await first.listen()
    const { page } = await open()
    await page.goto(`${url}/__admin/?project=acme#users`)
    await page.getByText('ada@example.com').waitFor()
    await first.close()
    await page.getByRole('button', { name: 'Live: not connected' }).waitFor()
    await using second = createMock({ seed: { projects: { acme: { users: [{ email: 'new@example.com' }] } } } })
    await second.listen({ port })
    await page.getByText('new@example.com').waitFor()
    await page.getByRole('button', { name: 'Live: on' }).waitFor()
  })

  it('switches to another project and back, and keeps the section', async () => {
    const { page, go } = await openDashboard(open)
    await go('users')
    await page.getByLabel('Project', { exact: true }).selectOption('other')
    await page.getByText('No users yet.').waitFor()
    await expect.poll(() => page.url()).toContain('?project=other#users')
    await page.goBack()
    await page.getByText('ada@example.com').waitFor()
    // The bar loads beside the view, so it may come later.
    await page.locator('#project option[value="acme"]:checked').waitFor({ state: 'attached' })
    await page.getByLabel('Project', { exact: true }).selectOption('')
    await page.getByRole('link', { name: 'Show the projects' }).click()
    await page.getByRole('link', { name: 'acme' }).click()
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
  })

  it('is the same from the built package', async () => {
    // The path is a variable, so that the types need no build.
    const entry = '../../dist/node/index.js'
    const built = (await import(entry)) as { createMock: typeof createMock }
    await using mock = built.createMock({ seed })
    const { url } = await mock.listen()
    const { page, trouble } = await open()
    await page.goto(`${url}/__admin/?project=acme#payment-links`)
    await page.getByRole('button', { name: 'Pay pml_open' }).click()
    await page.getByText('Paid pml_open.').waitFor()
    expect(trouble).toEqual([])
  })
})
