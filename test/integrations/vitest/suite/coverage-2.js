// Run by vitest in a folder of its own, where the packed mock is installed.
import { expect, test } from 'paylink-mock/vitest'

test.override({ coverage: 'coverage' })

const headers = { authorization: 'Bearer any', accept: 'application/json' }

test('retrieves', async ({ mock, project }) => {
  expect((await mock.fetch(`/projects/${project.id}/users/usr_1`, { headers })).status).toBe(404)
  await project.reset()
})
