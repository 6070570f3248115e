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

  type Entry = [
    effect: string,
    label: string,
    typed: string | boolean,
    rule: object,
    others: Readonly<Record<string, string>>,
  ]
  const none = {}
  const status = { Status: '503' }
  it.each<Entry>([
    ['An error status', 'Status', '503', { effect: { status: 503 } }, none],
    ['An error status', 'Headers (JSON)', '{"x-a":"1"}', { effect: { status: 503, headers: { 'x-a': '1' } } }, status],
    ['An error status', 'Body (JSON)', '{"a":1}', { effect: { status: 503, body: { a: 1 } } }, status],
    ['A delay', 'Delay in milliseconds', '7', { effect: { delay: { milliseconds: 7 } } }, none],
    [
      'A delay',
      'Random extra delay',
      '3',
      { effect: { delay: { milliseconds: 7, jitter: 3 } } },
      { 'Delay in milliseconds': '7' },
    ],
    ['A broken connection', 'Connection', 'hang', { effect: { connection: 'hang' } }, none],
    ['A damaged body', 'Response', 'empty', { effect: { corrupt: 'empty' } }, none],
    ['A stale read', 'Changes', '2', { effect: { stale: { changes: 2 } } }, none],
    [
      'A rate limit',
      'Window in milliseconds',
      '9',
      { effect: { rateLimit: { limit: 4, window: 9 } } },
      { Requests: '4' },
    ],
    ['An error status', 'Operation', 'listUsers', { match: { operation: 'listUsers' } }, status],
    ['An error status', 'Part of the body (JSON)', '{"a":1}', { match: { body: { a: 1 } } }, status],
    ['A damaged body', 'Phase', 'after', { phase: 'after', effect: { corrupt: 'truncated' } }, none],
    ['An error status', 'From', '2025-06-02T00:00:00Z', { from: '2025-06-02T00:00:00.000Z' }, status],
    ['An error status', 'Until', '2025-06-03T00:00:00Z', { until: '2025-06-03T00:00:00.000Z' }, status],
    ['An error status', 'Skip', '2', { skip: 2 }, status],
    ['An error status', 'Times', '3', { times: 3 }, status],
    ['An error status', 'Unlimited', true, { times: null }, status],
    ['An error status', 'Probability', '0.5', { probability: 0.5 }, status],
  ])('set and clear, for %s, the field %s of a fault', async (effect, label, typed, rule, others) => {
    const { mock, page, go, press, done } = await openDashboard(open)
    await go('faults?project=acme')
    await page.getByText('Add a fault').click()
    await page.getByLabel('Effect').selectOption(effect)
    const field = fieldOf(page, label)
    const initial = typeof typed === 'boolean' ? '' : await field.inputValue()
    for (const [name, value] of Object.entries(others)) await setField(page, name, value)
    await setField(page, label, typed)
    await press('Create the fault')
    await done('Fault created.')
    const [fault] = await mock.project('acme').faults.list()
    expect(fault).toMatchObject(rule)
    // The form closes, and the next fault starts from an empty one. A value that is cleared is not sent.
    await expect.poll(() => page.getByLabel('Effect').isVisible()).toBe(false)
    await page.getByText('Add a fault').click()
    await expect.poll(() => page.getByLabel('Effect').inputValue()).toBe('An error status')
    if (typeof typed === 'boolean') await expect.poll(() => field.isChecked()).toBe(false)
    else await expect.poll(() => field.inputValue()).toBe(initial)
    await mock.project('acme').faults.remove()
    await page.getByLabel('Effect').selectOption(effect)
    await setField(page, label, typed)
    await setField(page, label, typeof typed === 'boolean' ? false : initial)
    await page.getByLabel('Effect').selectOption('A delay')
    await setField(page, 'Delay in milliseconds', '1')
    await press('Create the fault')
    await expect.poll(async () => (await mock.project('acme').faults.list()).length).toBe(1)
    expect((await mock.project('acme').faults.list())[0]).not.toMatchObject(rule)
  })

  it.each([
    ['A response that is held', { hold: true }],
    ['A request delivered twice', { duplicate: true }],
    ['A later release', { evolve: true }],
  ])('create the effect without a field: %s', async (effect, created) => {
    const { mock, page, go, press, done } = await openDashboard(open)
    await go('faults?project=acme')
    await page.getByText('Add a fault').click()
    await page.getByLabel('Effect').selectOption(effect)
    await press('Create the fault')
    await done('Fault created.')
    expect((await mock.project('acme').faults.list())[0]).toMatchObject({ effect: created })
  })

  it('show only the fields of the chosen effect, also after a refresh', async () => {
    const { mock, page, go, ask } = await openDashboard(open)
    await go('faults?project=acme')
    await page.getByText('Add a fault').click()
    await page.getByLabel('Effect').selectOption('A delay')
    const { id } = await mock.project('acme').faults.add({ effect: { status: 503 } })
    await ask('/projects/acme/users')
    await page.locator('h1').click()
    await page.locator(`[data-row="${id}"]`).waitFor()
    await expect.poll(() => page.getByLabel('Delay in milliseconds').isVisible()).toBe(true)
    await expect.poll(() => page.getByLabel('Headers (JSON)').isVisible()).toBe(false)
  })

  it('have the name of their label in an error', async () => {
    const { page, go, fill, press } = await openDashboard(open)
    await go('clock?project=acme')
    await fill('Time, in UTC', 'tomorrow')
    await press('Freeze at this time')
    await page
      .getByRole('alert')
      .getByText(/^Time, in UTC must be .* \(got 'tomorrow'\)/)
      .waitFor()
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
