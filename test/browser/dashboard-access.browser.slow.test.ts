// Proves: Pages.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { describeInBrowser } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { openDashboard, seed } from './support/dashboard.ts'
import { countDistinct } from '../support/count-distinct.ts'

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
  'coverage',
]

describeInBrowser('every view of the dashboard for everybody', (open) => {
  it('has no serious axe findings in any view and theme', async () => {
    const opened = await openDashboard(open)
    const { page, go } = opened
    const request = await used(opened)
    for (const view of [...plainViews, `request?id=${request}`]) {
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
      await expect
        .poll(async () => {
          const { x, width } = (await current.boundingBox())!
          return x >= 0 && x + width <= 390
        })
        .toBe(true)
    }
  })

  it.each(['/', '/docs'])('has no serious axe findings on %s, which works without JavaScript', async (path) => {
    await using mock = createMock({ seed })
    const { url } = await mock.listen()
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
    const views = plainViews.map((view) => view.replace('usr_ada', `usr_${long}`))
    for (const view of ['projects', ...views, `request?id=${request}`]) {
      await go(view)
      await openDetails(page)
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: view }).toBe(320)
    }
    await go('payment-links', long)
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: 'a long project' })
      .toBe(320)
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
      expect(countDistinct(pages.flat())).toBe(100)
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
})
