// Proves: Pages.
import type { Page } from 'playwright-core'
import { it } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import { expectNothingSerious } from './support/axe.ts'
import { form, startInBrowser } from './support/start.ts'

const at = '2025-01-02T03:04:05.678Z'

type State = readonly [name: string, link: Parameters<typeof startInBrowser>[0], act?: (page: Page) => Promise<unknown>]

describeInBrowser('every state of the payment page for everybody', (open) => {
  const states: readonly State[] = [
    ['active', { partner: { redirectUrl: 'https://shop.example/done' } }],
    ['active, without a payer', { payer: {} }],
    ['completed', { status: 'completed', completedAt: at, partner: { redirectUrl: 'https://shop.example/' } }],
    ['canceled', { status: 'canceled', canceledAt: at }],
    ['succeeded', {}, (page) => sendForm(page, 'pay')],
    ['failed', {}, (page) => sendForm(page, 'fail')],
    ['unknown', {}, (page) => page.goto(new URL('pml_none', page.url()).href)],
    ['rejected', {}, (page) => sendWrongForm(page)],
  ]

  const cases = states.map(([name, ...state]) => [name, state] as const)
  it.each(cases)('has no serious axe findings in either theme: %s', async (name, [link, act]) => {
    const { url } = await startInBrowser(link)
    const { page } = await open()
    await page.setViewportSize({ width: 900, height: 800 })
    await page.goto(url)
    await act?.(page)
    await expectNothingSerious(page, name)
  })
})

const sendForm = async (page: Page, button: string) => {
  await page.getByTestId(button).click()
  await page.getByTestId('message').waitFor()
}

// The browser cannot send an invalid form, so the request is replaced.
const sendWrongForm = async (page: Page) => {
  await page.route('**/pml_1', async (route) => {
    await route.continue({
      method: 'POST',
      headers: { ...route.request().headers(), ...form },
      postData: 'outcome=maybe',
    })
  })
  await page.reload()
}
