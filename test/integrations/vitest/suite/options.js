// Run by vitest in a folder of its own, where the packed mock is installed.
import { expect, test } from 'paylink-mock/vitest'

test.override({ mockOptions: { seed: { template: { users: [{ email: 'ada@example.com' }] } } } })

test('starts from the seed of the file', async ({ project }) => {
  expect((await project.users.list()).items).toHaveLength(1)
})
