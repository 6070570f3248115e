import { expect, test } from '../../../src/testing/vitest/index.ts'

test('a repeated test starts with an empty project each time', { repeats: 1 }, async ({ project }) => {
  expect(await project.summary()).toMatchObject({ users: 0 })
  await project.users.create({ email: 'ada@example.com' })
})
