// Run by jest in a folder of its own, where the packed mock is installed: the test fails.
import { test } from '@jest/globals'
import { createMock } from 'paylink-mock'

test('verifies a request', async () => {
  const mock = createMock()
  await mock.fetch('/projects/acme/users?limit=5', { headers: { authorization: 'Bearer any' } })
  const match = { operation: 'listUsers', query: { limit: '6' } }
  await mock.project('acme').requests.verify({ match })
})
