import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { openDashboard, seed } from './support/dashboard.ts'

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

const plainViews = [
  'users',
  'user?id=usr_ada',
  'payment-links',
  'payment-link?id=pml_open',
  'clock',
  'snapshots',
  'faults',
  'behaviors',
  'journal',
  'diagnostics',
]

describeInBrowser('the dashboard for everybody', (open) => {
  it('has no serious axe findings in any view and theme', async () => {
    const opened = await openDashboard(open)
    const { page, go } = opened
    const request = await used(opened)
    for (const view of [...plainViews, `request?id=${request}`]) {
      await go(view)
      for (const summary of await page.locator('summary').all()) await summary.click()
      await expectNothingSerious(page, view)
    }
    for (const view of ['projects', 'users']) {
      await go(view, '')
      await expectNothingSerious(page, `${view}, of all projects`)
    }
    await page.getByRole('link', { name: 'Show the projects' }).click()
    await page.getByLabel('New project').fill('/')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.locator('#done').getByText('Project created.').waitFor()
    await expectNothingSerious(page, 'with a notice')
    await page.getByRole('button', { name: 'Delete acme' }).click()
    await page.getByRole('dialog').waitFor()
    await expectNothingSerious(page, 'with a question')
  })

  it('has no serious axe findings when it asks for the admin token', async () => {
    await using mock = createMock({ seed })
    const { url } = await mock.listen({ adminToken: 'tok_admin' })
    const { page } = await open()
    await page.goto(`${url}/__admin/`)
    await page.getByRole('dialog').waitFor()
    await expectNothingSerious(page, 'the admin token')
  })

  it.each(['/', '/docs'])('has no serious axe findings on %s, which works without JavaScript', async (path) => {
    await using mock = createMock({ seed })
    const { url } = await mock.listen()
    const still = await open({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
    await still.page.goto(url + path)
    expect(await still.page.locator('h1').count()).toBe(1)
    const { page, trouble } = await open()
    await page.goto(url + path)
    await expectNothingSerious(page, path)
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    for (const link of await page.locator('main a:not([href^="#"]), header a').all()) {
      const answer = await page.request.get(new URL((await link.getAttribute('href'))!, page.url()).href)
      expect(answer.status()).toBe(200)
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
    const views = plainViews.map((view) => view.replace('usr_ada', `usr_${long}`))
    for (const view of ['projects', ...views, `request?id=${request}`]) {
      await go(view)
      for (const summary of await page.locator('summary').all()) await summary.tap()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBe(320)
    }
    await go('payment-links', long)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), 'a long project').toBe(320)
  })

  it('has the right accessibility tree', async () => {
    const { page, go } = await openDashboard(open)
    await go('payment-links')
    expect(await page.title()).toBe('Payment links - paylink-mock')
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
            - row "pml_open active inv_2 Grace Hopper 2025-06-01 11:59:59 Pay pml_open Fail pml_open Cancel pml_open Schedule Delete pml_open":
              - rowheader "pml_open":
                - link "pml_open":
                  - /url: "#payment-link?id=pml_open"
                  - code: pml_open
              - cell "active"
              - cell "inv_2"
              - cell "Grace Hopper"
              - cell "2025-06-01 11:59:59":
                - time: 2025-06-01 11:59:59
              - cell "Pay pml_open Fail pml_open Cancel pml_open Schedule Delete pml_open":
                - button "Pay pml_open"
                - button "Fail pml_open"
                - button "Cancel pml_open"
                - link "Schedule":
                  - /url: "#payment-link?id=pml_open"
                - button "Delete pml_open"
            - row "pml_paid completed inv_1 2025-06-01 11:59:58 Delete pml_paid":
              - rowheader "pml_paid":
                - link "pml_paid":
                  - /url: "#payment-link?id=pml_paid"
                  - code: pml_paid
              - cell "completed"
              - cell "inv_1"
              - cell
              - cell "2025-06-01 11:59:58":
                - time: 2025-06-01 11:59:58
              - cell "Delete pml_paid":
                - button "Delete pml_paid"
        - group: Add a payment link"
    `)
  })

  it('works with the keyboard, and keeps the focus', async () => {
    const { mock, page, go, confirm, done } = await openDashboard(open)
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, ' ').trim())
    await go('users')
    await page.locator('body').press('Tab')
    expect(await focused()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(page.url()).toContain('#users')
    await go('users')

    await page.getByRole('button', { name: 'Verify usr_grace', exact: true }).focus()
    await page.keyboard.press('Enter')
    await done('Marked the email of usr_grace as verified.')
    expect(await focused()).toBe('Unverify usr_grace')
    // Changes of other clients appear without a click, and the focus stays.
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.getByText('late@example.com').waitFor()
    expect(await focused()).toBe('Unverify usr_grace')
    await page.getByRole('button', { name: 'Delete usr_grace' }).focus()
    await page.keyboard.press('Enter')
    // A key that is held down must not confirm its own question.
    expect(await focused()).toBe('Go back')
    await confirm('Delete')
    await done('Deleted usr_grace.')
    expect(await focused()).toBe('Users')

    await page.getByRole('link', { name: 'Payment links' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
    await expect.poll(focused).toBe('Payment links')
    await page.getByRole('button', { name: 'Pay pml_open' }).focus()
    await page.keyboard.press('Enter')
    await done('Paid pml_open.')
    expect(await focused()).toBe('pml_open')
  })

  it('keeps typed text and open details while events arrive', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('users')
    await page.getByText('Add a user').click()
    await page.getByLabel('Full name').fill('Hedy')
    await page.locator('h1').click()
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.getByText('late@example.com').waitFor()
    expect(await page.getByLabel('Full name').inputValue()).toBe('Hedy')

    const live = page.getByRole('button', { name: 'Live' })
    await live.click()
    expect(await live.getAttribute('aria-pressed')).toBe('false')
    await mock.project('acme').users.create({ email: 'later@example.com' })
    await live.click()
    await page.getByText('later@example.com').waitFor()
  })

  it('reports a lost connection, and continues when the mock is back', async () => {
    const first = createMock({ seed })
    const { url, port } = await first.listen()
    const { page } = await open()
    await page.goto(`${url}/__admin/?project=acme#users`)
    await page.getByText('ada@example.com').waitFor()
    await first.close()
    await page.getByRole('button', { name: 'Not connected' }).waitFor()
    await using second = createMock({ seed: { projects: { acme: { users: [{ email: 'new@example.com' }] } } } })
    await second.listen({ port })
    await page.getByText('new@example.com').waitFor()
    await page.getByRole('button', { name: 'Live' }).waitFor()
  })

  it('switches to another project and back, and keeps the section', async () => {
    const { page, go } = await openDashboard(open)
    await go('users')
    await page.getByLabel('Project', { exact: true }).selectOption('other')
    await page.getByText('No users yet.').waitFor()
    expect(page.url()).toContain('?project=other#users')
    await page.goBack()
    await page.getByText('ada@example.com').waitFor()
    expect(await page.getByLabel('Project', { exact: true }).inputValue()).toBe('acme')
    await page.getByLabel('Project', { exact: true }).selectOption('')
    await page.getByRole('link', { name: 'Show the projects' }).click()
    await page.getByRole('link', { name: 'acme' }).click()
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
  })

  it('pages through 10,000 records', async () => {
    const many = { projects: { acme: { generate: { users: 10_000, paymentLinks: { active: 10_000 } } } } }
    const { mock, page, go } = await openDashboard(open, { seed: many })
    const shown = () => page.locator('tbody code').allTextContents()
    for (const view of ['users', 'payment-links']) {
      await go(view)
      await page.getByText('10,000 users').waitFor()
      const pages = [await shown()]
      for (let i = 0; i < 3; i++) {
        await page.getByRole('link', { name: 'Next' }).click()
        await expect.poll(shown).not.toEqual(pages.at(-1))
        pages.push(await shown())
      }
      expect(new Set(pages.flat()).size).toBe(100)
      await page.getByRole('link', { name: 'Previous' }).click()
      await expect.poll(shown).toEqual(pages[2])
      await page.getByRole('link', { name: 'First' }).click()
      await expect.poll(shown).toEqual(pages[0])
    }
    const { items } = await mock.project('acme').users.list({ limit: 1 })
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByLabel('Name, email or id').fill(items[0]!.email)
    await page.getByRole('button', { name: 'Find' }).click()
    await expect.poll(shown).toEqual([items[0]!.id])
  })

  it('is the same from the built package', async () => {
    const built = (await import('../../dist/node/index.js')) as { createMock: typeof createMock }
    await using mock = built.createMock({ seed })
    const { url } = await mock.listen()
    const { page, trouble } = await open()
    await page.goto(`${url}/__admin/?project=acme#payment-links`)
    await page.getByRole('button', { name: 'Pay pml_open' }).click()
    await page.getByText('Paid pml_open.').waitFor()
    expect(trouble).toEqual([])
  })
})
