// Run by node:test in a folder of its own, where the packed mock is installed: all tests fail.
import { after, test } from 'node:test'
import { createMock } from 'paylink-mock'
import { connect } from 'paylink-mock/client'

const mock = createMock()
after(() => mock.close())

void test('reads an unknown user', async () => {
  await mock.project('acme').users.get('usr_none')
})

void test('reads an unknown user over HTTP', async () => {
  const { url } = await mock.listen()
  await connect(url).project('acme').users.get('usr_none')
})

void test('verifies a request', async () => {
  await mock.fetch('/projects/acme/users?limit=5', { headers: { authorization: 'Bearer any' } })
  const match = { operation: 'listUsers', query: { limit: '6' } }
  await mock.project('acme').requests.verify({ match })
})
