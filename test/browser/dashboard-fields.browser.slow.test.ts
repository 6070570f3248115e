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

// One field of each kind: dashboard-forms.test.ts checks the names of all.
describeInBrowser('the fields of the dashboard', (open) => {
  it.each([
    ['Full name', 'fullName', 'Countess Lovelace', 'Countess Lovelace', null],
    ['Email', 'email', 'countess@example.com', 'countess@example.com', undefined],
    ['Metadata (JSON)', 'metadata', '{"seats":4}', { seats: 4 }, {}],
  ] as const)('set and clear the %s of a user', async (label, name, typed, set, cleared) => {
    const { page, go, press, done, acme } = await openDashboard(open)
    await go('user?id=usr_ada')
    await setField(page, label, typed)
    await press('Save')
    await done('Changed usr_ada.')
    expect((await acme.users.get('usr_ada'))[name]).toEqual(set)
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
      expect((await acme.users.get('usr_ada'))[name]).toEqual(set)
      return
    }
    await expect.poll(async () => (await acme.users.get('usr_ada'))[name]).toEqual(cleared)
    await expect.poll(() => shown.inputValue()).toBe(name === 'metadata' ? '{}' : '')
  })

  it('omit an empty field, also one that was cleared', async () => {
    const { page, go, fill, press, done, acme } = await openDashboard(open, { seed: { projects: { acme: {} } } })
    await go('payment-links')
    for (const typed of ['https://shop.example/done', '']) {
      await page.getByText('Add a payment link').click()
      await fill('Invoice', `inv_1${typed}`)
      await fill('Redirect URL', 'https://shop.example/done')
      await fill('Redirect URL', typed)
      await press('Add the payment link')
      await done('Payment link created.')
      const [link] = (await acme.paymentLinks.list({ limit: 1 })).items
      expect(link).toMatchObject({ invoice: `inv_1${typed}`, partner: { redirectUrl: typed === '' ? null : typed } })
      await expect.poll(() => page.getByLabel('Redirect URL').inputValue()).toBe('')
    }
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
    ['An error status', 'Headers (JSON)', '{"x-a":"1"}', { effect: { status: 503, headers: { 'x-a': '1' } } }, status],
    ['A broken connection', 'Connection', 'hang', { effect: { connection: 'hang' } }, none],
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
    // An unlimited fault has no number of times.
    await expect.poll(() => fieldOf(page, 'Times').isDisabled()).toBe(label === 'Unlimited')
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

  it('create an effect without a field', async () => {
    const { mock, page, go, press, done } = await openDashboard(open)
    await go('faults?project=acme')
    await page.getByText('Add a fault').click()
    await page.getByLabel('Effect').selectOption('A response that is held')
    await press('Create the fault')
    await done('Fault created.')
    expect((await mock.project('acme').faults.list())[0]).toMatchObject({ effect: { hold: true } })
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
    await go('faults?project=acme')
    await page.getByText('Add a fault').click()
    await fill('Status', '503')
    await fill('Headers (JSON)', '{"retry-after":1}')
    await press('Create the fault')
    await page.getByText('Headers (JSON): retry-after must be a string.').waitFor()
  })

  it.each([
    ['Time, in UTC', 'Freeze at this time', 'Clock frozen.', '2025-01-01T00:00:00.000Z', 'now'],
    ['Milliseconds of a step', 'Step with writes', 'The clock steps with each write.', '250', 'step'],
  ] as const)('set %s of the clock, and require it', async (label, button, message, typed, name) => {
    const { mock, page, go, fill, press, done, acme } = await openDashboard(open)
    await go('clock')
    await fill(label, typed)
    await press(button)
    // The form is empty again when the message is there.
    await done(message)
    expect(String((await acme.clock.get())[name])).toBe(typed)
    const { revision } = await mock.project('acme').summary()
    await fill(label, '')
    await press(button)
    const field = page.locator('main').getByLabel(label, { exact: true })
    await expect.poll(() => field.evaluate((element: HTMLInputElement) => element.validity.valueMissing)).toBe(true)
    expect((await mock.project('acme').summary()).revision).toBe(revision)
  })
})
