import type { Locator, Page } from '@playwright/test'
import type { PaymentLinkView } from '../schema/payment-link.ts'

/** The page on which a payment link is paid, in the browser of a test. */
export interface PaymentPage {
  /** Opens the page of a link. Without a link: waits for the browser to be led there by the shop. */
  open(link?: Pick<PaymentLinkView, 'paymentUrl'>): Promise<void>
  /** Pays, and waits until the browser is where that leads: on the `redirectUrl`, or on the result. */
  pay(): Promise<void>
  /** Lets the payment fail, and waits likewise. The link stays active. */
  fail(): Promise<void>
  /** What the page says of the link. */
  status(): Promise<PaymentLinkView['status']>
  /** Anything else on it, by its `data-testid`. */
  part(testId: string): Locator
}

/** The payment page in this tab. */
export const paymentPageIn = (page: Page): PaymentPage => {
  // Not `getByTestId`: the tests of the user may have another attribute for it.
  const part = (testId: string) => page.locator(`[data-testid="${testId}"]`)
  const press = async (button: string) => {
    const led = page.waitForEvent('framenavigated', (frame) => frame === page.mainFrame())
    await Promise.all([led, part(button).click()])
    await page.waitForLoadState()
  }
  return {
    open: async (link) => {
      if (link !== undefined) await page.goto(link.paymentUrl)
      await part('mock-note').waitFor()
    },
    pay: () => press('pay'),
    fail: () => press('fail'),
    status: async () => (await part('status').textContent()) as PaymentLinkView['status'],
    part,
  }
}
