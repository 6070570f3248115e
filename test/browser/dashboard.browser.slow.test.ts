import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import type { ProjectDocument } from '../../src/core/schema/seed.ts'
import { describeInBrowser } from '../support/browser.ts'
import { openDashboard } from './support/dashboard.ts'

describeInBrowser('the dashboard', (open) => {
  // With a token, each call must send it. The other files of the dashboard test it without a token.
  describe('with an admin token', () => {
    const start = () => openDashboard(open, { adminToken: 'tok_admin_0123456789' })

    it('schedules payments, and cancels them', async () => {
      const { page, go, press, done, choose, acme } = await start()
      await go('payment-links')
      await choose('pml_open', 'Schedule')
      await page.getByRole('heading', { name: 'pml_open' }).waitFor()
      const schedule = async (label: string, value: string, outcome: string) => {
        const card = page.locator('.card').filter({ has: page.getByLabel(label, { exact: true }) })
        await card.getByLabel(label, { exact: true }).fill(value)
        await card.getByLabel('Outcome').selectOption(outcome)
        await card.getByRole('button').click()
        await done('Scheduled a payment of')
      }
      await schedule('Reads', '2', 'failed')
      await page.getByText('payment fails in 2 reads').waitFor()
      await schedule('Milliseconds', '60000', 'succeeded')
      await schedule('Time, in UTC', '2025-06-02T00:00:00Z', 'succeeded')
      await page.getByText('payment succeeds at 2025-06-02 00:00:00').waitFor()
      expect((await acme.scheduledPayments.list()).map(({ when }) => when)).toEqual([
        { reads: 2 },
        { at: '2025-06-01T12:01:00.000Z' },
        { at: '2025-06-02T00:00:00.000Z' },
      ])
      await press('Cancel scheduled payments')
      await done('Scheduled payments canceled.')
      expect(await acme.scheduledPayments.list()).toEqual([])
    })

    it('saves a snapshot, and downloads the state as a seed', async () => {
      const { page, go, press, confirm, fill, done, row, acme } = await start()
      await go('snapshots')
      await fill('Name', 'before / paid')
      await press('Save')
      await done('Snapshot saved.')
      await fill('Name', 'before / paid')
      await press('Save')
      await done('Snapshot replaced.')
      await acme.users.patch('usr_ada', { fullName: 'Augusta' })
      const [download] = await Promise.all([page.waitForEvent('download'), press('Download the seed')])
      expect(download.suggestedFilename()).toBe('acme.seed.json')
      const document = (await json(await download.createReadStream())) as ProjectDocument
      await using next = createMock({ seed: { projects: { acme: document } } })
      expect((await next.project('acme').users.get('usr_ada')).fullName).toBe('Augusta')
      await row('before / paid').getByRole('button', { name: 'Restore' }).click()
      await confirm('Restore')
      await done('Restored before / paid.')
      expect((await acme.users.get('usr_ada')).fullName).toBe('Ada Lovelace')
    })
  })
})

describeInBrowser('the sandboxes of the dashboard', (open) => {
  it('are selected, controlled and left', async () => {
    const { mock, page, go, press, confirm, done } = await openDashboard(open, {
      adminToken: 'tok_admin_0123456789',
    })
    await mock.sandbox('checkout-1').project('acme').users.delete('usr_ada')
    await go('users', '')
    await page.getByLabel('Sandbox').selectOption('checkout-1')
    await page.waitForURL('**/@checkout-1/__admin/')
    await page.getByRole('link', { name: 'acme' }).click()
    await page.locator('#bar').getByText('1 user', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Users' }).click()
    const grace = page.locator('[data-row=usr_grace] .menu')
    await grace.locator('summary').click()
    await grace.getByRole('button', { name: 'Delete' }).click()
    await confirm('Delete')
    await done('Deleted usr_grace.')
    expect((await mock.sandbox('checkout-1').project('acme').summary()).users).toBe(0)
    expect((await mock.project('acme').summary()).users).toBe(2)
    await page.getByLabel('Sandbox').selectOption('None')
    await page.getByRole('link', { name: '1 sandbox' }).click()
    await press('Delete checkout-1')
    await confirm('Delete')
    await done('Deleted checkout-1.')
    expect(await mock.sandboxes.list()).toEqual([])
  })
})
