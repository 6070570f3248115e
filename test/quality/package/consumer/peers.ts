// Integrations that need a test runner or an interceptor.
import { test as base } from '@playwright/test'
import { setupServer } from 'msw/node'
import { createMock } from 'paylink-mock'
import { paylinkHandlers } from 'paylink-mock/msw'
import { paylinkTest } from 'paylink-mock/playwright'
import { expect, test } from 'paylink-mock/vitest'

setupServer(...paylinkHandlers(createMock(), 'https://api.example.com/v1'))

test('a project', async ({ project, serviceUrl }) => {
  await fetch(serviceUrl)
  const received: Promise<unknown> = expect(project).toHaveReceived('listUsers', { times: 1 })
  await received
})

test('the matchers of vitest and of the mock', async ({ project, mock }) => {
  expect('text').toMatch(/x/)
  expect(project).toHaveProperty('id')
  await expect(mock, 'nothing yet').not.toHaveReceived({ operation: 'listUsers' })
  await expect(project).toHaveNoViolations()
  await expect.soft(project).toHaveNoUnusedFaults()
  await expect.poll(() => project, { timeout: 1000 }).toHaveReceived('listUsers')
  await expect.poll(() => 1).toBe(1)
  expect.soft(1).toBe(1)
  // @ts-expect-error -- a text is no mock
  await expect('acme').toHaveNoViolations()
})

const seeded = paylinkTest(base, { idSeed: 'mine' })
seeded('a payment page', async ({ page, project, paymentPage, mock }) => {
  await paymentPage.open(await project.paymentLinks.create({ invoice: 'inv_1' }))
  const status: 'active' | 'canceled' | 'completed' = await paymentPage.status()
  await page.goto(status)
  await mock.reset()
})
