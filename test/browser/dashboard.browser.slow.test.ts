import { execFile } from 'node:child_process'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import type { ProjectDocument } from '../../src/schema/seed.ts'
import { noon } from '../support/api.ts'
import { describeInBrowser } from '../support/browser.ts'
import { openDashboard } from './support/dashboard.ts'

const run = promisify(execFile)

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
      await confirm('Delete', 'a/b?c#d e')
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

    it('freezes, steps, runs and advances the clock', async () => {
      const { mock, page, go, press, fill, done } = await start()
      const { clock } = mock.project('acme')
      await go('clock')
      await press('Step')
      await done('Clock mode: step.')
      expect(await clock.get()).toMatchObject({ mode: 'stepping', now: noon })
      await press('Freeze')
      await done('Clock mode: freeze.')
      for (const name of ['+ 1 second', '+ 1 minute', '+ 1 hour', '+ 1 day', '+ 30 days']) {
        await press(name)
        await done(`Advanced by ${name.slice(2)}.`)
      }
      expect(await clock.get()).toEqual({ mode: 'frozen', now: '2025-07-02T13:01:01.000Z' })
      await page.locator('.big').getByText('2025-07-02 13:01:01').waitFor()
      await fill('Milliseconds', '1500')
      await press('Advance')
      await done('Clock advanced.')
      expect((await clock.get()).now).toBe('2025-07-02T13:01:02.500Z')
      await fill('Time, in UTC', '2030-01-01T00:00:00Z')
      await press('Freeze at this time')
      await done('Clock frozen.')
      expect(await clock.get()).toEqual({ mode: 'frozen', now: '2030-01-01T00:00:00.000Z' })
      await fill('Milliseconds of a step', '250')
      await press('Step with writes')
      await done('The clock steps with each write.')
      expect(await clock.get()).toMatchObject({ mode: 'stepping', step: 250 })
      await press('Real')
      await done('Clock mode: real.')
      expect((await clock.get()).mode).toBe('real')
      expect((await mock.project('other').clock.get()).mode).toBe('frozen')
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

    it('adds faults by preset and by form, shows their hits, and removes them', async () => {
      const { mock, page, go, press, fill, done, row, ask } = await start()
      const { faults } = mock.project('acme')
      await go('faults')
      for (const name of ['Lost response', 'Slow', 'Rate limit', '503 twice']) {
        await press(name)
        await done(`Fault created: ${name}.`)
      }
      expect((await faults.list()).map(({ effect, times, phase }) => ({ effect, times, phase }))).toMatchObject([
        { effect: { connection: 'reset' }, phase: 'after' },
        { effect: { delay: { milliseconds: 2000 } }, times: null },
        { effect: { rateLimit: { limit: 5 } } },
        { effect: { status: 503 }, times: 2 },
      ])
      expect((await ask('/projects/acme/users')).status).toBe(503)
      const last = (await faults.list())[3]!.id
      // The hits are updated without a click.
      await row(last).locator('[data-label=Hits]').getByText('1').waitFor()
      await row(last).getByRole('button', { name: 'Remove' }).click()
      await done('Removed flt_')
      await press('Remove all of this project')
      await done('Faults removed.')
      expect(await faults.list()).toEqual([])

      await page.getByText('Add a fault').click()
      await page.getByLabel('Operation').selectOption('createUser')
      await page.getByLabel('Phase').selectOption('after')
      await fill('Part of the body (JSON)', '{"email":"ada@example.com"}')
      await fill('Skip', '1')
      await page.getByLabel('Unlimited').check()
      await fill('Probability', '0.5')
      await fill('Status', '429')
      await fill('Headers (JSON)', '{"retry-after":"1"}')
      await press('Create the fault')
      await done('Fault created.')
      expect(await faults.list()).toMatchObject([
        {
          match: { operation: 'createUser', body: { email: 'ada@example.com' } },
          phase: 'after',
          skip: 1,
          times: null,
          probability: 0.5,
          effect: { status: 429, headers: { 'retry-after': '1' } },
        },
      ])
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

    it('shows requests as they arrive, and one request in full', async () => {
      const { page, go, press, confirm, done, ask, url } = await start()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
      await go('journal')
      await page.getByText('No requests yet.').waitFor()
      const body = JSON.stringify({ email: "o'hara@example.com", shoeSize: 'O' })
      const headers = { 'content-type': 'application/json' }
      await ask('/projects/acme/users?x=a%20b', { method: 'POST', headers, body })
      await page.getByRole('link', { name: 'POST /projects/acme/users?x=a b' }).click()
      await page.getByRole('heading', { name: 'POST /projects/acme/users' }).waitFor()
      const text = await page.locator('main').innerText()
      for (const part of ['201', 'createUser', '"shoeSize": "O"', '"mock-request-id"', 'created', 'createStatus'])
        expect(text).toContain(part)
      expect(text).toContain('shoeSize is not a field here')
      expect(text).not.toContain('tok_client')

      await press('Copy')
      await done('Copied.')
      const line = await page.evaluate(() => navigator.clipboard.readText())
      expect(line).toContain('Bearer $TOKEN')
      const { stdout } = await run('sh', ['-c', `${line} -s`], { env: { ...process.env, TOKEN: 'any' } })
      expect(JSON.parse(stdout)).toMatchObject({ object: 'user', email: "o'hara@example.com" })

      await page.getByRole('link', { name: 'The journal' }).click()
      await page.getByLabel('Operation').selectOption('listUsers')
      await press('Filter')
      await page.getByText('No request matches.').waitFor()
      await go('journal')
      await expect.poll(() => page.locator('tbody tr').count()).toBe(2)
      await press('Clear the journal')
      await confirm('Clear the journal')
      await page.getByText('No requests yet.').waitFor()
    })

    it('shows violations and assumptions', async () => {
      const { page, go, ask } = await start()
      await ask('/projects/acme/paymentLinks', { headers: { accept: '*/*' } })
      await go('diagnostics')
      await page.getByRole('cell', { name: 'listPaymentLinks' }).waitFor()
      await expect.poll(() => page.locator('main').innerText()).toMatch(/accept[^]*§5[^]*paymentLinkOrder/)
      await page.getByRole('link', { name: 'First request' }).first().click()
      await page.getByRole('heading', { name: 'GET /projects/acme/paymentLinks' }).waitFor()
    })
  })
})
