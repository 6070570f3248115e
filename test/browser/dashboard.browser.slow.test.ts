import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import type { ProjectDocument } from '../../src/schema/seed.ts'
import { noon } from '../support/api.ts'
import { describeInBrowser } from '../support/browser.ts'
import { openDashboard } from './support/dashboard.ts'

describeInBrowser('the dashboard', (open) => {
  // With a token, each call must send it. The other files of the dashboard test it without a token.
  describe('with an admin token', () => {
    const start = () => openDashboard(open, { adminToken: 'tok_admin_0123456789' })

    it('creates, resets and deletes a project', async () => {
      const { mock, page, go, press, confirm, fill, done, choose } = await start()
      await go('projects', '')
      await fill('New project', 'a/b?c#d e')
      await press('Create')
      await done('Project created.')
      expect((await mock.projects()).map(({ id }) => id)).toContain('a/b?c#d e')
      await choose('a/b?c#d e', 'Delete')
      await confirm('Delete')
      await done('Deleted a/b?c#d e.')
      expect((await mock.projects()).map(({ id }) => id)).toEqual(['acme', 'other'])

      await mock.project('acme').users.delete('usr_ada')
      await choose('acme', 'Reset')
      await confirm('Reset')
      await done('Reset acme.')
      expect((await mock.project('acme').summary()).users).toBe(2)

      await mock.project('other').delete()
      await page.getByText('All projects', { exact: true }).last().click()
      await press('Reset all projects')
      await confirm('Reset')
      await done('Reset all projects.')
      expect((await mock.projects()).map(({ id }) => id)).toEqual(['acme', 'other'])
    })

    it('finds, verifies, changes, adds and deletes users', async () => {
      const { mock, page, go, press, confirm, fill, done, choose } = await start()
      const { users } = mock.project('acme')
      await go('users')
      await choose('usr_grace', 'Verify')
      await done('Marked the email of usr_grace as verified.')
      expect((await users.get('usr_grace')).emailVerified).toBe(true)
      await choose('usr_grace', 'Unverify')
      await done('as not verified.')
      expect((await users.get('usr_grace')).emailVerified).toBe(false)

      await page.getByText('Add a user').click()
      await fill('Email', 'hedy@example.com')
      await press('Add the user')
      await done('User created.')
      expect((await users.list({ email: 'hedy@example.com' })).items).toHaveLength(1)

      await fill('Name, email or id', 'ADA@example.com')
      await press('Find')
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
      await page.getByRole('link', { name: 'Ada Lovelace' }).click()
      await fill('Full name', '')
      await fill('Birthday', '1815-12-10')
      await page.locator('textarea').fill('{ "seats": [1, null] }')
      await press('Save')
      await done('Changed usr_ada.')
      expect(await users.get('usr_ada')).toMatchObject({
        fullName: null,
        birthday: '1815-12-10',
        metadata: { seats: [1, null] },
      })
      await press('Delete usr_ada')
      await confirm('Delete')
      await done('Deleted usr_ada.')
      await page.getByRole('heading', { name: 'Users' }).waitFor()
      await fill('Name, email or id', 'usr_grace')
      await press('Find')
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
      await choose('usr_grace', 'Delete')
      await confirm('Delete')
      await page.getByText('No user matches.').waitFor()
    })

    it('finds, fails, pays, cancels and deletes payment links', async () => {
      const { mock, page, go, press, confirm, fill, done, row, choose } = await start()
      const { paymentLinks } = mock.project('acme')
      await go('payment-links')
      await choose('pml_open', 'Fail')
      await done('A payment of pml_open failed')
      expect((await paymentLinks.get('pml_open')).status).toBe('active')
      await row('pml_open').getByRole('button', { name: 'Pay' }).click()
      await done('Paid pml_open.')
      expect(await paymentLinks.get('pml_open')).toMatchObject({ status: 'completed', completedAt: noon })
      await row('pml_open').getByText('completed').waitFor()

      await page.getByText('Add a payment link').click()
      await fill('Invoice', 'inv_new')
      await fill('Redirect URL', 'https://shop.example/done')
      await press('Add the payment link')
      await done('Payment link created.')
      const [added] = (await paymentLinks.list({ invoice: 'inv_new' })).items
      expect(added).toMatchObject({ status: 'active', partner: { redirectUrl: 'https://shop.example/done' } })
      await choose(added!.id, 'Cancel')
      await done('Canceled pml_')
      expect((await paymentLinks.get(added!.id)).status).toBe('canceled')
      await choose(added!.id, 'Delete')
      await confirm('Delete')
      await done('Deleted pml_')
      await expect(paymentLinks.get(added!.id)).rejects.toMatchObject({ code: 'paymentLinkNotFound' })

      await fill('Invoice, payer or id', 'inv_2')
      await page.getByLabel('Status').selectOption('completed')
      await press('Find')
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
      await expect.poll(() => new URL(page.url()).hash).toBe('#payment-links?q=inv_2&status=completed')
      await fill('Invoice, payer or id', 'pml_paid')
      await press('Find')
      await row('pml_paid').waitFor()
    })

    it('schedules payments by reads, milliseconds and an instant, and cancels them', async () => {
      const { mock, page, go, press, fill, done, ask, choose } = await start()
      const { scheduledPayments, paymentLinks } = mock.project('acme')
      await go('payment-links')
      await choose('pml_open', 'Schedule')
      await page.getByRole('heading', { name: 'pml_open' }).waitFor()
      const schedule = async (label: string, value: string) => {
        const card = page.locator('.card').filter({ has: page.getByLabel(label, { exact: true }) })
        await card.getByLabel(label, { exact: true }).fill(value)
        await card.getByRole('button').click()
        await done('Scheduled a payment of')
      }
      await schedule('Milliseconds', '60000')
      await expect
        .poll(() => scheduledPayments.list())
        .toEqual([{ paymentLink: 'pml_open', outcome: 'succeeded', when: { at: '2025-06-01T12:01:00.000Z' } }])
      await press('Cancel scheduled payments')
      await done('Scheduled payments canceled.')
      expect(await scheduledPayments.list()).toEqual([])
      await schedule('Time, in UTC', '2025-06-02T00:00:00Z')
      await page.getByText('payment succeeds at 2025-06-02 00:00:00').waitFor()
      await fill('Reads', '1')
      await page.locator('.card').first().getByLabel('Outcome').selectOption('failed')
      await page.locator('.card').first().getByRole('button').click()
      await page.getByText('fails in 1 read').waitFor()
      await ask('/projects/acme/paymentLinks/pml_open')
      expect((await scheduledPayments.list()).map(({ when }) => when)).toEqual([{ at: '2025-06-02T00:00:00.000Z' }])
      expect((await paymentLinks.get('pml_open')).status).toBe('active')
    })

    it('saves, restores and deletes snapshots, and downloads the state as a seed', async () => {
      const { mock, page, go, press, confirm, fill, done, row, choose } = await start()
      const acme = mock.project('acme')
      await go('snapshots')
      await fill('Name', 'before / paid')
      await press('Save')
      await done('Snapshot saved.')
      await acme.paymentLinks.pay('pml_open')
      await row('before / paid').getByRole('button', { name: 'Restore' }).click()
      await done('Restored before / paid.')
      expect((await acme.paymentLinks.get('pml_open')).status).toBe('active')
      await choose('before / paid', 'Delete')
      await confirm('Delete')
      await done('Deleted before / paid.')
      expect(await acme.snapshots.list()).toEqual([])

      await acme.users.patch('usr_ada', { fullName: 'Augusta' })
      const [download] = await Promise.all([page.waitForEvent('download'), press('Download the seed')])
      expect(download.suggestedFilename()).toBe('acme.seed.json')
      const document = (await json(await download.createReadStream())) as ProjectDocument
      await using next = createMock({ seed: { projects: { acme: document } } })
      expect((await next.project('acme').users.get('usr_ada')).fullName).toBe('Augusta')
      await press('Reset acme')
      await confirm('Reset')
      await done('Reset acme.')
      expect((await acme.users.get('usr_ada')).fullName).toBe('Ada Lovelace')
    })

    it('sets behaviors for a project and for all', async () => {
      const { mock, page, go, press, done } = await start()
      const group = (key: string) => page.getByRole('group', { name: key })
      await go('behaviors')
      await expect.poll(() => group('cancelInactive').textContent()).toContain('§3')
      await group('cancelInactive').getByRole('button', { name: 'idempotent' }).click()
      await group('cancelInactive').getByRole('button', { name: 'idempotent', pressed: true }).waitFor()
      await group('createStatus').getByRole('button', { name: '200' }).click()
      await group('createStatus').getByRole('button', { name: '200', pressed: true }).waitFor()
      await group('emailVerifiedOnCreate').getByRole('button', { name: 'false' }).click()
      await group('emailVerifiedOnCreate').getByRole('button', { name: 'false', pressed: true }).waitFor()
      expect((await mock.project('acme').behaviors.get()).values).toMatchObject({
        cancelInactive: 'idempotent',
        createStatus: 200,
        emailVerifiedOnCreate: false,
      })
      expect((await mock.behaviors.get()).values).toMatchObject({ cancelInactive: 'conflict', createStatus: 201 })

      await go('behaviors', '')
      await press('Use the profile strict')
      await done('Set the behaviors of the profile strict.')
      expect((await mock.project('other').behaviors.get()).values).toMatchObject({ unknownFields: 'reject' })
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
