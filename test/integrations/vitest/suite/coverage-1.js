// Run by vitest in a folder of its own, where the packed mock is installed.
import { expect, test } from 'paylink-mock/vitest'

test.override({ coverage: 'coverage' })

const headers = { authorization: 'Bearer any', accept: 'application/json' }

test('lists', async ({ mock, project }) => {
  expect((await mock.fetch(`/projects/${project.id}/users`, { headers })).status).toBe(200)
  await project.reset()
})
