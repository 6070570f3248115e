// Run by vitest in a folder of its own, where the packed mock is installed. Two tests fail on purpose, and one wrongly uses `project`.
import { describe } from 'vitest'
import { expect, test as base } from 'paylink-mock/vitest'

const headers = { authorization: 'Bearer any', accept: 'application/json' }
const projects = { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } }
const test = base.extend({ mockOptions: [{ basePath: '/v1', seed: { projects } }, { scope: 'worker' }] })
test.override({ isolation: 'sandbox' })

/** A client whose project id is fixed. */
const statusOf = async (serviceUrl) => {
  const response = await fetch(`${serviceUrl}/projects/acme/paymentLinks/pml_1`, { headers })
  return (await response.json()).status
}

describe.concurrent('side by side', () => {
  test('one pays', async ({ sandbox, serviceUrl }) => {
    expect(new URL(serviceUrl).pathname).toBe(`/@${sandbox.name}/v1`)
    expect(sandbox.name).toMatch(/^one-pays-[0-9a-f]{16}$/)
    await sandbox.project('acme').paymentLinks.pay('pml_1')
    expect(await statusOf(serviceUrl)).toBe('completed')
  })
  test('one cancels', async ({ sandbox, serviceUrl }) => {
    await sandbox.project('acme').paymentLinks.cancel('pml_1')
    expect(await statusOf(serviceUrl)).toBe('canceled')
  })
  test('one only reads', async ({ serviceUrl }) => expect(await statusOf(serviceUrl)).toBe('active'))
})

let attempts = 0
test('another try starts from the seed', { retry: 1 }, async ({ sandbox }) => {
  await sandbox.project('acme').paymentLinks.pay('pml_1')
  if (attempts++ === 0) throw new Error('the first try')
})

test('fails with a client only', async ({ serviceUrl }) => {
  await fetch(`${serviceUrl}/projects/shop-1/users`, { headers })
  await fetch(`${serviceUrl}/projects/shop-2/users`, { headers })
  expect(1).toBe(2)
})

test('has an unused fault', async ({ sandbox }) => {
  await sandbox.project('acme').faults.add({ match: { operation: 'cancelPaymentLink' }, effect: { status: 504 } })
})

test('has no project', ({ project }) => project.summary())
base('has no sandbox without the option', ({ sandbox }) => sandbox.reset())
describe('with another isolation', () => {
  const wrong = base.extend({ isolation: 'test' })
  wrong('has no service URL', ({ serviceUrl }) => statusOf(serviceUrl))
  wrong('has no project', ({ project }) => project.summary())
})
