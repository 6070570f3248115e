// Proves: Pages.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser, readNow } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { openDashboard, projectViews, seed } from './support/dashboard.ts'
import { countDistinct } from '../support/read.ts'
import { listeningMock } from '../support/mock.ts'

const used = async (opened: Awaited<ReturnType<typeof openDashboard>>) => {
  const { mock, ask } = opened
  const acme = mock.project('acme')
  await acme.snapshots.save('before')
  await acme.faults.add({ match: { operation: 'createUser' }, times: null, effect: { status: 503 } })
  await acme.paymentLinks.pay('pml_open', { when: { reads: 5 } })
  await ask('/projects/acme/users?limit=1')
  await ask('/projects/acme/users', { method: 'POST', body: '{"email":"x@example.com"}' })
  await ask('/projects/acme/paymentLinks/pml_open', { headers: { accept: '*/*' } })
  return (await acme.requests.list()).items[0]!.id
}

/** Opens what is folded. Of the menus of rows, which may cover each other, only the last one stays open. */
const openDetails = (page: Page) =>
  page.locator('details').evaluateAll((all) => {
    for (const details of all) details.setAttribute('open', '')
  })

describeInBrowser('every view of the dashboard for everybody', (open) => {
  it('has no serious axe findings in any view and theme', async () => {
    const opened = await openDashboard(open)
    const { page, go } = opened
    const request = await used(opened)
    for (const view of projectViews({ request })) {
      await go(view)
      await openDetails(page)
      await expectNothingSerious(page, view)
    }
    await page.setViewportSize({ width: 390, height: 780 })
    await go('coverage')
    await openDetails(page)
    await expectNothingSerious(page, 'coverage, on a phone')
    await page.setViewportSize({ width: 1280, height: 720 })
    for (const view of ['projects', 'users']) {
      await go(view, '')
      await expectNothingSerious(page, `${view}, of all projects`)
    }
    await page.getByRole('link', { name: 'Show the projects' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await openDetails(page)
    await page.getByLabel('New project').fill('/')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.locator('#done').getByText('Project created.').waitFor()
    await expectNothingSerious(page, 'with a notice')
    await opened.choose('acme', 'Delete')
    await page.getByRole('dialog').waitFor()
    await expectNothingSerious(page, 'with a question')
  })

  it('marks the section of a view, and scrolls to it on a phone', async () => {
    const opened = await openDashboard(open)
    const { page, go } = opened
    const request = await used(opened)
    await page.setViewportSize({ width: 390, height: 780 })
    const current = page.getByRole('navigation', { name: 'Sections' }).locator('[aria-current]')
    const views = { users: 'Users', coverage: 'Coverage', [`request?id=${request}`]: 'Journal' }
    for (const [view, name] of Object.entries(views)) {
      await go(view)
      await expect.poll(() => current.allTextContents()).toEqual([name])
      const tabs = await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').all()
      const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()))
      expect(countDistinct(boxes.map((box) => box!.y))).toBe(1)
      await expect
        .poll(async () => {
          const { x, width } = (await current.boundingBox())!
          return x >= 0 && x + width <= 390
        })
        .toBe(true)
    }
  })

  it.each(['/', '/docs'])('has no serious axe findings on %s, which works without JavaScript', async (path) => {
    const { url } = await listeningMock({ seed })
    const still = await open({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
    await still.page.goto(url + path)
    await expect.poll(() => still.page.locator('h1').count()).toBe(1)
    const { page, trouble } = await open()
    await page.goto(url + path)
    await expectNothingSerious(page, path)
    await page.setViewportSize({ width: 320, height: 640 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    for (const link of await page.locator('main a:not([href^="#"]), header a').all()) {
      const response = await page.request.get(new URL((await link.getAttribute('href'))!, page.url()).href)
      expect(response.status()).toBe(200)
    }
    expect(trouble).toEqual([])
  })

  it('fits a phone', async () => {
    const long = 'x'.repeat(200)
    const projects = {
      acme: {
        users: [{ id: `usr_${long}`, email: `${long}@example.com`, fullName: long, metadata: { [long]: long } }],
        paymentLinks: [{ id: 'pml_open', invoice: long, payer: { fullName: long } }],
      },
      [long]: {},
    }
    const context = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true }
    const opened = await openDashboard(open, { seed: { projects }, context })
    const { page, go } = opened
    const request = await used(opened)
    for (const view of ['projects', ...projectViews({ user: `usr_${long}`, request })]) {
      await go(view)
      await openDetails(page)
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: view }).toBe(320)
    }
    await go('payment-links', long)
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: 'a long project' })
      .toBe(320)
  })

  it('finds a record by the form above a list', async () => {
    const { page, go } = await openDashboard(open)
    await go('users')
    await page.getByLabel('Name, email or id').fill('LOVE')
    await page.getByRole('button', { name: 'Find' }).click()
    await expect.poll(() => page.locator('tbody code').allTextContents()).toEqual(['usr_ada'])
  })
})

describeInBrowser('the dashboard for everybody', (open) => {
  it('has no serious axe findings when it asks for the admin token', async () => {
    const { url } = await listeningMock({ seed }, { adminToken: 'tok_admin' })
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
    // A row in full, with its headers and the names of its buttons.
    const main = await page.locator('main').ariaSnapshot()
    for (const part of [
      '- heading "Payment links" [level=1]',
      '- table "Payment links of acme"',
      '- row "Payment link Status Invoice Payer Created Actions"',
      '- columnheader "Payment link"',
      '- row "pml_open active inv_2 Grace Hopper 2025-06-01 11:59:59 Pay pml_open"',
      '- rowheader "pml_open"',
      '- button "Pay pml_open"',
      '- group: More for pml_open',
      '- searchbox "Invoice, payer or id"',
      '- combobox "Status"',
    ])
      expect(main).toContain(part)
    await expectNothingSerious(page, 'payment links')
  })

  it.each(['payment-link?id=pml_nope', 'nonsense'])('says that there is no view at #%s', async (view) => {
    const { page, url } = await openDashboard(open)
    await page.goto(`${url}/__admin/?project=acme#${view}`)
    await page.getByRole('heading', { name: /^(?:No|There is no) / }).waitFor()
    await expect.poll(() => page.title()).toMatch(/^(?:No|There is no) /)
    await expectNothingSerious(page, view)
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
    const { page, go, row, acme } = await openDashboard(open)
    await go('users')
    await row('usr_grace').locator('summary').click()
    const element = await row('usr_grace').elementHandle()
    await acme.users.create({ email: 'late@example.com' })
    await page.getByText('late@example.com').waitFor()
    await acme.users.delete('usr_ada')
    await row('usr_ada').waitFor({ state: 'detached' })
    expect(await readNow(() => element.evaluate((one) => one.isConnected))).toBe(true)
    expect(await readNow(() => page.locator('.menu[open]').count())).toBe(1)
    expect(await readNow(() => row('usr_grace').locator('.menu').getAttribute('open'))).toBe('')
  })

  it('shows what happened while it was not live', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('users')
    // The script shows the state at the click.
    const live = page.locator('#live')
    await live.click()
    expect(await readNow(() => live.textContent())).toBe('Live: off')
    await mock.project('acme').users.create({ email: 'later@example.com' })
    await live.click()
    expect(await readNow(() => live.textContent())).toMatch(/^Live: (?:not connected|on)$/)
    await expect.poll(() => live.textContent()).toBe('Live: on')
    await page.getByText('later@example.com').waitFor()
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
