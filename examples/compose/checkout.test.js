// These tests need only Node: the mock is controlled over HTTP.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

const { PAYLINK_MOCK_URL: baseUrl, ADMIN_TOKEN: adminToken } = process.env

const control = async (method, path) => {
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await fetch(`${baseUrl}/__admin${path}`, { method, headers })
  assert.ok(response.ok, `${path}: ${response.status}`)
}

const statusOf = async (id) => {
  const headers = { authorization: 'Bearer any', accept: 'application/json' }
  return (await (await fetch(`${baseUrl}/projects/acme/paymentLinks/${id}`, { headers })).json()).status
}

beforeEach(() => control('POST', '/projects/acme/reset'))

test('the link of the seed is active', async () => {
  assert.equal(await statusOf('pml_1'), 'active')
})

test('a paid link is completed', async () => {
  await control('POST', '/projects/acme/paymentLinks/pml_1/pay')
  assert.equal(await statusOf('pml_1'), 'completed')
})
