import type { Locator, Page } from '@playwright/test'
import type { PaymentLinkView } from '../../core/schema/payment-link.ts'

/** A page object for the payment page of a payment link. */
export interface PaymentPage {
  /** Opens the page of a link. Without a link, waits until the application navigates there. */
  open(link?: Pick<PaymentLinkView, 'paymentUrl'>): Promise<void>
  /** Pays, and waits for the `redirectUrl` or the result page. */
  pay(): Promise<void>
  /** Lets the payment fail, and waits in the same way. The link stays active. */
  fail(): Promise<void>
  /** Returns the status that the page shows. */
  status(): Promise<PaymentLinkView['status']>
  /** Returns a locator for an element by its `data-testid`. */
  part(testId: string): Locator
}

export const createPaymentPage = (page: Page): PaymentPage => {
  // Not `getByTestId`: a Playwright configuration can change its attribute.
  const findPart = (testId: string) => page.locator(`[data-testid="${testId}"]`)
  const pressButton = async (button: string) => {
    const navigation = page.waitForEvent('framenavigated', (frame) => frame === page.mainFrame())
    await Promise.all([navigation, findPart(button).click()])
    await page.waitForLoadState()
  }
  return {
    open: async (link) => {
      if (link !== undefined) await page.goto(link.paymentUrl)
      await findPart('mock-note').waitFor()
    },
    pay: () => pressButton('pay'),
    fail: () => pressButton('fail'),
    status: async () => (await findPart('status').textContent()) as PaymentLinkView['status'],
    part: findPart,
  }
}
