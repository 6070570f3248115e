import { test as base, expect } from 'paylink-mock/vitest'
import { createCheckout } from './checkout.js'

const test = base.extend('checkout', ({ serviceUrl, project }) =>
  createCheckout({ baseUrl: serviceUrl, token: 'any', project: project.id }),
)

test('an invoice is paid when the customer has paid', async ({ checkout, project }) => {
  const link = await checkout.start('inv_1')
  expect(await checkout.isPaid(link)).toBe(false)
  await project.paymentLinks.pay(link.id)
  expect(await checkout.isPaid(link)).toBe(true)
})

test('a lost response does not lead to a second link', async ({ checkout, project }) => {
  await project.faults.add({
    match: { operation: 'createPaymentLink' },
    phase: 'after',
    effect: { connection: 'reset' },
  })
  await checkout.start('inv_1')
  expect((await project.paymentLinks.list()).items).toHaveLength(1)
})

test('the client follows the specification', async ({ checkout, project }) => {
  await checkout.isPaid(await checkout.start('inv_1'))
  await expect(project).toHaveNoViolations()
})
