import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, readNow } from '../support/browser.ts'
import { openDashboard, seed } from './support/dashboard.ts'

/** Holds the responses for a URL until they are released. The mock has already handled their requests. */
const hold = async (page: Page, url: RegExp | string) => {
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  let arrive = () => {}
  const hasArrived = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(url, async (route) => {
    const response = await route.fetch()
    arrive()
    await isReleased
    await route.fulfill({ response })
  })
  return { hasArrived, release }
}

describeInBrowser('the dashboard while something happens', (open) => {
  it('keeps the input in every kind of field', async () => {
    const { mock, page, go, ask } = await openDashboard(open)
    await go('faults')
    await page.getByText('Add a fault').click()
    // Also the option after the default stays.
    await page.getByLabel('Operation').selectOption({ index: 1 })
    const operation = await page.getByLabel('Operation').inputValue()
    await page.getByLabel('Skip').fill('3')
    await page.getByLabel('Unlimited').check()
    await page.getByLabel('Part of the body (JSON)').fill('{"a":1}')
    await page.locator('h1').click()
    const { id } = await mock.project('acme').faults.add({ effect: { status: 503 } })
    await ask('/projects/acme/users')
    await page.locator(`[data-row="${id}"]`).waitFor()
    expect(operation).not.toBe('')
    expect(await readNow(() => page.getByLabel('Operation').inputValue())).toBe(operation)
    expect(await readNow(() => page.getByLabel('Skip').inputValue())).toBe('3')
    expect(await readNow(() => page.getByLabel('Times').inputValue())).toBe('')
    expect(await readNow(() => page.getByLabel('Unlimited').isChecked())).toBe(true)
    expect(await readNow(() => page.getByLabel('Part of the body (JSON)').inputValue())).toBe('{"a":1}')
  })

  it('does not update a field with the focus until the focus leaves', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('users')
    await page.getByText('Add a user').click()
    const name = page.getByLabel('Full name')
    await name.pressSequentially('Hedy')
    await name.press('ArrowLeft')
    // The bar shows that the event has arrived.
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.locator('#bar').getByText('3 users').waitFor()
    await page.getByText('Live: paused').waitFor()
    expect(await readNow(() => page.getByText('late@example.com').count())).toBe(0)
    await page.keyboard.type('!')
    await expect.poll(() => name.inputValue()).toBe('Hed!y')
    await name.blur()
    await page.getByText('late@example.com').waitFor()
    await page.getByText('Live: on').waitFor()
    expect(await readNow(() => name.inputValue())).toBe('Hed!y')
  })

  it('keeps a text selection, and updates afterwards', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('users')
    const marked = () => page.evaluate(() => String(getSelection()))
    await page.getByText('ada@example.com').selectText()
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.locator('#bar').getByText('3 users').waitFor()
    expect(await readNow(marked)).toBe('ada@example.com')
    expect(await readNow(() => page.getByText('late@example.com').count())).toBe(0)
    await page.evaluate(() => getSelection()!.removeAllRanges())
    await page.getByText('late@example.com').waitFor()
  })

  it('keeps a confirmation open when its record changes', async () => {
    const { mock, page, go, confirm, done, choose } = await openDashboard(open)
    await go('users')
    await choose('usr_grace', 'Delete')
    await mock.project('acme').users.patch('usr_grace', { fullName: 'Grace Hopper' })
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.locator('#bar').getByText('3 users').waitFor()
    expect(await readNow(() => page.getByText('late@example.com').count())).toBe(0)
    await confirm('Delete')
    await done('Deleted usr_grace.')
    await page.getByText('late@example.com').waitFor()
    expect((await mock.project('acme').users.list()).items.map(({ email }) => email)).toEqual([
      'late@example.com',
      'ada@example.com',
    ])
  })

  it('shows changes that happened while another view was loading', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('journal')
    const { hasArrived, release } = await hold(page, /dashboard\/users/)
    await page.getByRole('link', { name: 'Users' }).click()
    await hasArrived
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.locator('#bar').getByText('3 users').waitFor()
    release()
    await page.getByText('late@example.com').waitFor()
  })

  it('shows the view of the URL when another one loads too late', async () => {
    const { page, go } = await openDashboard(open)
    await go('users')
    const { hasArrived, release } = await hold(page, /dashboard\/payment-links/)
    const current = page.getByRole('navigation', { name: 'Sections' }).locator('[aria-current]')
    await page.getByRole('link', { name: 'Payment links' }).click()
    await hasArrived
    await page.goBack()
    const late = page.waitForResponse(/dashboard\/payment-links/)
    release()
    await (await late).finished()
    await expect.poll(() => current.textContent()).toBe('Users')
    // A later response arrives after the one that was held.
    await page.evaluate(() => fetch('dashboard/bar').then((response) => response.text()))
    expect(await readNow(() => page.locator('h1').textContent())).toBe('Users')
  })

  it('shows a request that is held, and changes of the control API', async () => {
    const { page, go, ask, press, done, acme } = await openDashboard(open)
    await go('faults')
    const { id } = await acme.faults.add({ effect: { hold: true } })
    const response = ask('/projects/acme/users')
    await press(`Release ${id}`)
    await done('Released 1.')
    expect((await response).status).toBe(200)
    await go('behaviors')
    await acme.behaviors.set({ createStatus: 200 })
    await page.locator('main').getByText('changed', { exact: true }).waitFor()
    await go('snapshots')
    await acme.snapshots.save('by a test')
    await page.locator('[data-row="by a test"]').waitFor()
  })

  it('sends a form once, however often its button is clicked', async () => {
    const { mock, page, go, fill, done } = await openDashboard(open)
    await go('users')
    await page.getByText('Add a user').click()
    await fill('Email', 'twice@example.com')
    await page.getByRole('button', { name: 'Add the user' }).dblclick()
    await done('User created.')
    const { items } = await mock.project('acme').users.list()
    expect(items.filter(({ email }) => email === 'twice@example.com')).toHaveLength(1)
  })

  it('empties a form that was sent, even if an event shows the new record first', async () => {
    const { page, go, fill, press, done } = await openDashboard(open)
    await go('users')
    await page.getByText('Add a user').click()
    await fill('Email', 'hedy@example.com')
    await fill('Full name', 'Hedy Lamarr')
    const { release } = await hold(page, '**/__admin/projects/acme/users')
    await press('Add the user')
    await page.getByRole('link', { name: 'Hedy Lamarr' }).waitFor()
    release()
    await done('User created.')
    await expect.poll(() => page.getByLabel('Full name').inputValue()).toBe('')
  })

  it('shows a new project while none is selected', async () => {
    const { mock, page, url } = await openDashboard(open, { seed: {} })
    await page.goto(`${url}/__admin/`)
    await page.getByText('Live: on').waitFor()
    await mock.project('late').users.create({ email: 'ada@example.com' })
    await page.locator('[data-row="late"]').waitFor()
  })

  it('keeps the bar of the selected project when that of another one loads too late', async () => {
    const { mock, page, go } = await openDashboard(open)
    await go('users')
    const { hasArrived, release } = await hold(page, /dashboard\/bar\?project=acme/)
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await hasArrived
    await page.getByLabel('Project', { exact: true }).selectOption('other')
    await page.locator('#bar').getByText('0 users').waitFor()
    const late = page.waitForResponse(/dashboard\/bar\?project=acme/)
    release()
    await (await late).finished()
    // A later response arrives after the one that was held.
    await page.evaluate(() => fetch('dashboard/bar').then((response) => response.text()))
    expect(await readNow(() => page.locator('#bar').getByText('0 users').count())).toBe(1)
  })

  it('shows the new time of an advanced real clock with the next event', async () => {
    const { page, go, acme } = await openDashboard(open)
    await acme.clock.set({ mode: 'real' })
    await go('clock')
    const read = async () => (await page.locator('#bar time').textContent()) ?? ''
    const today = (await read()).slice(0, 10)
    await acme.clock.advance(86_400_000)
    // A changed clock is no event.
    await acme.users.create({ email: 'ada@example.com' })
    await expect.poll(async () => (await read()).slice(0, 10) > today).toBe(true)
    // The page counts on from the new time.
    const later = await read()
    const isLater = (time: string) => time > later && time.slice(0, 10) > today
    await expect.poll(async () => isLater(await read())).toBe(true)
  })

  it('updates the time of a real clock only', async () => {
    const { page, go, acme } = await openDashboard(open)
    await acme.clock.set({ mode: 'real' })
    await go('clock')
    const shown = (where: string) => page.locator(`${where} time`).first().textContent()
    const [bar, main] = [await shown('#bar'), await shown('main')]
    // A changed text may also be an empty or an earlier one.
    const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
    const isLater = (later: string | null, earlier: string | null) =>
      time.test(later ?? '') && time.test(earlier ?? '') && later! > earlier!
    await expect.poll(async () => isLater(await shown('#bar'), bar)).toBe(true)
    await expect.poll(async () => isLater(await shown('main'), main)).toBe(true)
    await go('projects', '')
    const frozen = page.locator('[data-row=other] time')
    const real = page.locator('[data-row=acme] time')
    const [before, after] = [await frozen.textContent(), await real.textContent()]
    await expect.poll(async () => isLater(await real.textContent(), after)).toBe(true)
    expect(await readNow(() => frozen.textContent())).toBe(before)
  })
})

describeInBrowser('the page of one record', (open) => {
  it('follows changes made elsewhere', async () => {
    const { page, go, acme } = await openDashboard(open)
    await go('payment-link?id=pml_paid')
    await acme.paymentLinks.delete('pml_paid')
    await page.getByRole('heading', { name: "No payment link 'pml_paid' in project 'acme'." }).waitFor()
    await page.locator('main').getByRole('link', { name: 'Payment links' }).click()
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
    await go('payment-link?id=pml_open')
    await acme.paymentLinks.pay('pml_open')
    await page.locator('main .badge').getByText('completed').waitFor()
    expect(await readNow(() => page.getByRole('button', { name: 'Pay pml_open' }).count())).toBe(0)
    await go('user?id=usr_ada')
    await acme.users.patch('usr_ada', { fullName: 'Countess' })
    await page.getByRole('heading', { name: 'Countess' }).waitFor()
    await expect.poll(() => page.getByLabel('Full name').inputValue()).toBe('Countess')
  })

  it('keeps edits, says that the record was changed elsewhere, and saves only what was edited', async () => {
    const { page, go, fill, press, done, acme } = await openDashboard(open)
    await go('user?id=usr_ada')
    const notice = page.getByText('This user was changed elsewhere.')
    const edit = async (birthday: string, fullName: string) => {
      await fill('Birthday', birthday)
      await page.locator('h1').click()
      await acme.users.patch('usr_ada', { fullName })
      await notice.waitFor()
      await expect.poll(() => page.getByLabel('Full name').inputValue()).toBe(fullName)
    }
    await edit('1991-01-01', 'Countess')
    await press('Save')
    await done('Changed usr_ada.')
    expect(await acme.users.get('usr_ada')).toMatchObject({ fullName: 'Countess', birthday: '1991-01-01' })
    await expect.poll(() => notice.isVisible()).toBe(false)
    await edit('1992-02-02', 'Ada')
    await press('Discard the edits')
    await expect.poll(() => page.getByLabel('Birthday').inputValue()).toBe('1991-01-01')
    expect(await readNow(() => notice.isVisible())).toBe(false)
  })

  it('is refreshed after an action that failed', async () => {
    const { mock, page, go, press } = await openDashboard(open)
    await go('payment-link?id=pml_open')
    await page.locator('#live').click()
    await mock.project('acme').paymentLinks.pay('pml_open')
    await press('Cancel pml_open')
    await page.locator('main .badge').getByText('completed').waitFor()
    await page.getByRole('alert').getByText('it is completed').waitFor()
  })
})

describeInBrowser('the dashboard at its start', (open) => {
  it('selects the only project, unless all are chosen', async () => {
    const { page, url } = await openDashboard(open, { seed: { projects: { 'a b': {} } } })
    await page.goto(`${url}/admin`)
    await page.getByRole('heading', { name: 'Payment links' }).waitFor()
    await expect.poll(() => page.url()).toBe(`${url}/__admin/?project=a%20b`)
    const select = page.getByLabel('Project', { exact: true })
    await expect.poll(() => select.inputValue()).toBe('a b')
    await select.selectOption('')
    await page.getByText('This tab shows one project').waitFor()
    await page.reload()
    await page.getByText('This tab shows one project').waitFor()
    await expect.poll(() => select.inputValue()).toBe('')
    await page.goto('about:blank')
    await page.goto(`${url}/__admin/#clock`)
    await page.getByText('For the project a b only').waitFor()
  })
})

describeInBrowser('the dashboard without a clipboard', (open) => {
  it('selects the command to copy', async () => {
    const { page, go, url, trouble } = await openDashboard(open)
    // Browsers have a clipboard for localhost only, unless a page came over HTTPS.
    await page.goto(`http://paylink-mock:${new URL(url).port}/__admin/?project=acme#journal`)
    await page.getByText('No requests yet.').waitFor()
    const command = page.locator('main code').filter({ hasText: 'curl' }).first()
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
    const selected = () => page.evaluate(() => String(getSelection()))
    await expect.poll(async () => (await selected()).trim()).toBe((await command.textContent())?.trim())
    expect(await readNow(() => page.locator('#done').textContent())).toBe('')
    // With a clipboard nothing is selected.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
    await go('journal')
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
    await page.locator('#done').getByText('Copied.').waitFor()
    expect(await readNow(selected)).toBe('')
    expect(trouble).toEqual([])
  })
})

describeInBrowser('the questions and complaints of the dashboard', (open) => {
  it('deletes nothing without a confirmation', async () => {
    const { mock, page, go, choose } = await openDashboard(open)
    await go('users')
    const { revision } = await mock.project('acme').summary()
    for (const way of ['Go back', 'Escape']) {
      await choose('usr_ada', 'Delete')
      const dialog = page.getByRole('dialog', { name: 'Delete the user usr_ada?' })
      await dialog.waitFor()
      if (way === 'Escape') await page.keyboard.press('Escape')
      else await dialog.getByRole('button', { name: way }).click()
      await dialog.waitFor({ state: 'hidden' })
    }
    // The next click sends the only request.
    await choose('usr_grace', 'Verify')
    await page.locator('#done').getByText('as verified').waitFor()
    expect((await mock.project('acme').summary()).revision).toBe(revision + 1)
  })

  it('marks each invalid field, and moves the focus to the first', async () => {
    const { mock, page, go, press, fill, done } = await openDashboard(open)
    await go('payment-links')
    await page.getByText('Add a payment link').click()
    await fill('Invoice', 'inv_9')
    await fill('Redirect URL', 'nowhere')
    await press('Add the payment link')
    const invalid = page.locator('[aria-invalid=true]')
    await invalid.waitFor()
    await expect.poll(() => invalid.getAttribute('name')).toBe('partner.redirectUrl')
    await expect.poll(() => invalid.evaluate((field) => field === document.activeElement)).toBe(true)
    // The message is at the field, also after a refresh, and covers nothing.
    const problem = page.locator('main .problem')
    const text = 'Redirect URL must be an absolute http or https URL'
    await problem.getByText(text).waitFor()
    await mock.project('acme').users.create({ email: 'late@example.com' })
    await page.locator('#bar').getByText('3 users').waitFor()
    await page.locator('h1').click()
    await page.getByText('Live: on').waitFor()
    expect(await readNow(() => invalid.getAttribute('aria-describedby'))).toBe(await problem.getAttribute('id'))
    expect(await readNow(() => page.getByRole('alert').textContent())).toBe('')
    await fill('Redirect URL', 'https://shop.example/done')
    await expect.poll(() => invalid.or(problem).count()).toBe(0)
    await press('Add the payment link')
    await done('Payment link created.')
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toBe('Add a payment link')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('#done').textContent()).toBe('')
    await go('faults')
    await page.getByText('Add a fault').click()
    await fill('Status', '204')
    await fill('Part of the body (JSON)', '{oops')
    await press('Create the fault')
    await expect.poll(() => invalid.getAttribute('name')).toBe('match.body')
    await fill('Part of the body (JSON)', '{"a":1}')
    await fill('Headers (JSON)', '{"content-length":"1","a b":"c"}')
    await fill('Body (JSON)', '1')
    await press('Create the fault')
    const names = () => invalid.evaluateAll((fields) => fields.map((field) => field.getAttribute('name')))
    await expect.poll(names).toEqual(['effect.headers', 'effect.body'])
  })

  it('shows the status of a proxy that responds with a page instead of an error object', async () => {
    const { page, go } = await openDashboard(open)
    await go('users')
    await page.route(/dashboard.payment-links/, (route) => route.fulfill({ status: 502, body: '<h1>Oops</h1>' }))
    await page.getByRole('link', { name: 'Payment links' }).click()
    await page.getByRole('heading', { name: 'The mock returned status 502.' }).waitFor()
  })

  it('reports that the mock has stopped, until it returns', async () => {
    const { mock, page, url, go, press } = await openDashboard(open)
    await go('clock')
    const { port } = new URL(url)
    await mock.close()
    await page.getByRole('button', { name: 'Live: not connected' }).waitFor()
    await press('Freeze')
    const alert = page.getByRole('alert')
    await alert.getByText('The mock does not respond.').waitFor()
    await alert.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => alert.textContent()).toBe('')
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('heading', { name: 'The mock does not respond.' }).waitFor()
    const { createMock } = await import('../../src/node/index.ts')
    await using second = createMock({ seed })
    await second.listen({ port: Number(port) })
    await page.getByText('ada@example.com').waitFor()
    await page.getByRole('button', { name: 'Live: on' }).waitFor()
    await expect.poll(() => alert.textContent()).toBe('')
  })
})
