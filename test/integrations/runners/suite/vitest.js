// Run by vitest in a folder of its own, where the packed mock is installed: all tests fail.
import { connect } from 'paylink-mock/client'
import { test } from 'paylink-mock/vitest'

test('reads an unknown user', async ({ project }) => {
  await project.users.get('usr_none')
})

test('reads an unknown user over HTTP', async ({ mock }) => {
  const { url } = await mock.listen()
  await connect(url).project('acme').users.get('usr_none')
})

test('verifies a request', async ({ mock }) => {
  await mock.fetch('/projects/acme/users?limit=5', { headers: { authorization: 'Bearer any' } })
  const match = { operation: 'listUsers', query: { limit: '6' } }
  await mock.project('acme').requests.verify({ match })
})
