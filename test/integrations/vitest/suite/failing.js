// Run by vitest in a folder of its own, where the packed mock is installed: these fail.
import { expect, test } from 'paylink-mock/vitest'

const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }

test('fails', async ({ project, mock }) => {
  const body = JSON.stringify({ email: 'nobody', fullName: '\u001b[31mred' })
  await mock.fetch(`/projects/${project.id}/users`, { method: 'POST', headers, body })
  await project.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
  await expect(project).toHaveReceived('createPaymentLink')
})

test('fails after much', async ({ project, mock }) => {
  for (let i = 0; i < 50; i++)
    await mock.fetch(`/projects/${project.id}/users?limit=${i}`, { headers: { authorization: 'Bearer any' } })
  for (let i = 0; i < 50; i++) await project.users.create({ email: `${'x'.repeat(40)}${i}@example.com` })
  expect.soft(1).toBe(2)
})

test('passes', async ({ project }) => {
  await project.users.create({ email: 'quiet@example.com' })
})
