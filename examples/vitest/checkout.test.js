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

test('a lost response leaves one active link, also if the list lags behind', async ({ checkout, project }) => {
  await project.faults.add({
    match: { operation: 'createPaymentLink' },
    phase: 'after',
    effect: { connection: 'reset' },
  })
  await project.faults.add({ effect: { stale: { changes: 1 } } })
  const { id } = await checkout.start('inv_1')
  expect((await project.paymentLinks.list({ status: 'active' })).items).toMatchObject([{ id }])
})

test('the client follows the specification', async ({ checkout, project }) => {
  await checkout.isPaid(await checkout.start('inv_1'))
  await expect(project).toHaveNoViolations()
})
