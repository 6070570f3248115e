import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { openDashboard } from './support/dashboard.ts'

/** The field whose label begins with a text. The text of a label includes that of its options. */
const fieldOf = (page: Page, label: string) =>
  page
    .locator('main label')
    .filter({ hasText: new RegExp(`^\\s*${label.replace(/[()]/g, String.raw`\$&`)}`) })
    .locator('input, select, textarea')

const setField = async (page: Page, label: string, value: string | boolean): Promise<void> => {
  const field = fieldOf(page, label)
  if (typeof value === 'boolean') await field.setChecked(value)
  else if (await field.evaluate((element) => element.tagName === 'SELECT')) await field.selectOption(value)
  else await field.fill(value)
}

describeInBrowser('the fields of the dashboard', (open) => {
  it.each([
    ['Full name', 'fullName', 'Countess Lovelace', 'Countess Lovelace', null],
    ['Birthday', 'birthday', '1815-12-10', '1815-12-10', null],
    ['Preferred locale', 'preferredLocale', 'pt-BR', 'pt-BR', undefined],
    ['Email', 'email', 'countess@example.com', 'countess@example.com', undefined],
    ['Metadata (JSON)', 'metadata', '{"seats":4}', { seats: 4 }, {}],
  ] as const)('set and clear the %s of a user', async (label, name, typed, set, cleared) => {
    const { mock, page, go, press, done } = await openDashboard(open)
    const { users } = mock.project('acme')
    await go('user?id=usr_ada')
    await setField(page, label, typed)
    await press('Save')
    await done('Changed usr_ada.')
    expect((await users.get('usr_ada'))[name]).toEqual(set)
    await go('users')
    await go('user?id=usr_ada')
    const shown = fieldOf(page, label)
    const withoutSpace = (text: string) => text.replace(/\s/g, '')
    await expect.poll(async () => withoutSpace(await shown.inputValue())).toBe(withoutSpace(typed))
    await setField(page, label, '')
    await press('Save')
    if (cleared === undefined) {
      // A required field cannot be cleared: the browser says so, and nothing is sent.
      await expect.poll(() => shown.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true)
      expect((await users.get('usr_ada'))[name]).toEqual(set)
      return
    }
    await expect.poll(async () => (await users.get('usr_ada'))[name]).toEqual(cleared)
    await expect.poll(() => shown.inputValue()).toBe(name === 'metadata' ? '{}' : '')
  })

  it('add a user with each optional field, and without', async () => {
    const { mock, page, go, fill, press, done } = await openDashboard(open, { seed: { projects: { acme: {} } } })
    await go('users')
    for (const fullName of ['Hedy Lamarr', null]) {
      await page.getByText('Add a user').click()
      await fill('Email', 'hedy@example.com')
      await fill('Full name', 'Hedy Lamarr')
      if (fullName === null) await fill('Full name', '')
      await press('Add the user')
      await done('User created.')
      const { items } = await mock.project('acme').users.list({ limit: 1 })
      expect(items[0]).toMatchObject({ email: 'hedy@example.com', fullName })
      await expect.poll(() => page.getByLabel('Full name').inputValue()).toBe('')
    }
  })

  it.each([
    ['Full name of the payer', ['payer', 'fullName'], 'Ada Lovelace'],
    ['Email of the payer', ['payer', 'email'], 'ada@example.com'],
    ['Tax number of the payer', ['payer', 'taxNumber'], '12345678909'],
    ['Redirect URL', ['partner', 'redirectUrl'], 'https://shop.example/done'],
  ] as const)('add a payment link with the %s, and without', async (label, [part, name], typed) => {
    const { mock, page, go, fill, press, done } = await openDashboard(open, { seed: { projects: { acme: {} } } })
    const { paymentLinks } = mock.project('acme')
    await go('payment-links')
    const values: unknown[] = []
    for (const cleared of [false, true]) {
      await page.getByText('Add a payment link').click()
      await fill('Invoice', `inv_${cleared}`)
      await fill(label, typed)
      if (cleared) await fill(label, '')
      await press('Add the payment link')
      await done('Payment link created.')
      const [link] = (await paymentLinks.list({ limit: 1 })).items
      expect(link!.invoice).toBe(`inv_${cleared}`)
      values.push((link as unknown as Record<string, Record<string, unknown>>)[part]?.[name] ?? null)
    }
    expect(values).toEqual([typed, null])
  })

  type Entry = [label: string, typed: string | boolean, rule: object, others: Readonly<Record<string, string>>]
  const none = {}
  const status = { Status: '503' }
  it.each<Entry>([
    ['Status', '503', { effect: { status: 503 } }, none],
    ['Headers (JSON)', '{"x-a":"1"}', { effect: { status: 503, headers: { 'x-a': '1' } } }, status],
    ['Body (JSON)', '{"a":1}', { effect: { status: 503, body: { a: 1 } } }, status],
    ['Delay in milliseconds', '7', { effect: { delay: { milliseconds: 7 } } }, none],
    [
      'Random extra delay',
      '3',
      { effect: { delay: { milliseconds: 7, jitter: 3 } } },
      { 'Delay in milliseconds': '7' },
    ],
    ['Hold until released', true, { effect: { hold: true } }, none],
    ['Connection', 'hang', { effect: { connection: 'hang' } }, none],
    ['Response', 'empty', { effect: { corrupt: 'empty' } }, none],
    ['Deliver twice', true, { effect: { duplicate: true } }, none],
    ['Stale: changes', '2', { effect: { stale: { changes: 2 } } }, none],
    ['Later release', true, { effect: { evolve: true } }, none],
    [
      'Rate limit: milliseconds',
      '9',
      { effect: { rateLimit: { limit: 4, window: 9 } } },
      { 'Rate limit: requests': '4' },
    ],
    ['Operation', 'listUsers', { match: { operation: 'listUsers' } }, status],
    ['Part of the body (JSON)', '{"a":1}', { match: { body: { a: 1 } } }, status],
    ['Phase', 'after', { phase: 'after', effect: { corrupt: 'empty' } }, { Response: 'empty' }],
    ['From', '2025-06-02T00:00:00Z', { from: '2025-06-02T00:00:00.000Z' }, status],
    ['Until', '2025-06-03T00:00:00Z', { until: '2025-06-03T00:00:00.000Z' }, status],
    ['Skip', '2', { skip: 2 }, status],
    ['Times', '3', { times: 3 }, status],
    ['Unlimited', true, { times: null }, status],
    ['Probability', '0.5', { probability: 0.5 }, status],
  ])('set and clear %s of a fault', async (label, typed, rule, others) => {
    const { mock, page, go, press, done } = await openDashboard(open)
    await go('faults?project=acme')
    await page.getByText('Add a fault').click()
    const field = fieldOf(page, label)
    for (const [name, value] of Object.entries(others)) await setField(page, name, value)
    await setField(page, label, typed)
    await press('Create the fault')
    await done('Fault created.')
    const [fault] = await mock.project('acme').faults.list()
    expect(fault).toMatchObject(rule)
    // The next fault starts from an empty form, and a value that is cleared is not sent.
    await page.getByText('Add a fault').click()
    if (typeof typed === 'boolean') await expect.poll(() => field.isChecked()).toBe(false)
    else await expect.poll(() => field.inputValue()).toMatch(/^(?:before)?$/)
    await mock.project('acme').faults.remove()
    await setField(page, label, typed)
    await setField(page, label, typeof typed === 'boolean' ? false : label === 'Phase' ? 'before' : '')
    await setField(page, 'Delay in milliseconds', '1')
    await press('Create the fault')
    await expect.poll(async () => (await mock.project('acme').faults.list()).length).toBe(1)
    expect((await mock.project('acme').faults.list())[0]).not.toMatchObject(rule)
  })

  it.each([
    ['Milliseconds', 'Advance', 'Clock advanced.', '1500', { now: '2025-06-01T12:00:01.500Z' }],
    [
      'Time, in UTC',
      'Freeze at this time',
      'Clock frozen.',
      '2025-01-01T00:00:00Z',
      { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' },
    ],
    [
      'Milliseconds of a step',
      'Step with writes',
      'The clock steps with each write.',
      '250',
      { mode: 'stepping', step: 250 },
    ],
  ] as const)('set %s of the clock, and require it', async (label, button, message, typed, expected) => {
    const { mock, page, go, fill, press, done } = await openDashboard(open)
    const { clock } = mock.project('acme')
    await go('clock')
    await fill(label, typed)
    await press(button)
    // The form is empty again when the message is there.
    await done(message)
    expect(await clock.get()).toMatchObject(expected)
    const { revision } = await mock.project('acme').summary()
    await fill(label, '')
    await press(button)
    const field = page.locator('main').getByLabel(label, { exact: true })
    await expect.poll(() => field.evaluate((element: HTMLInputElement) => element.validity.valueMissing)).toBe(true)
    expect((await mock.project('acme').summary()).revision).toBe(revision)
  })
})
