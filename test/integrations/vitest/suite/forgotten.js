// Run by vitest in a folder of its own, where the packed mock is installed: an assertion without `await`.
import { expect, test } from 'paylink-mock/vitest'

test('forgets to wait', ({ project }) => {
  void expect(project).toHaveReceived('createUser')
})

test('comes next', async ({ project }) => {
  await expect(project).not.toHaveReceived('createUser')
})

test('forgets to wait for what holds', ({ project }) => {
  void expect(project).toHaveNoViolations()
})

test('forgets to wait for a soft assertion', ({ project }) => {
  void expect.soft(project).toHaveNoUnusedFaults()
})

test('waits in other ways', async ({ project, mock, onTestFinished }) => {
  await Promise.all([expect(project).toHaveNoViolations(), expect(project).toHaveNoUnusedFaults()])
  const later = expect(project).toHaveReceived('listUsers', { within: 10_000 })
  await mock.fetch(`/projects/${project.id}/users`, {
    headers: { authorization: 'Bearer any', accept: 'application/json' },
  })
  await later
  await expect(Promise.resolve(project)).resolves.toHaveReceived('listUsers')
  await expect.soft(project).toHaveNoViolations()
  onTestFinished(async () => {
    await expect(project).toHaveReceived('listUsers')
  })
  await expect.poll(() => project).toHaveReceived('listUsers')
  return expect(project)
    .toHaveNoViolations()
    .finally(() => {})
})

test('fails before it waits', ({ project }) => {
  const received = expect(project).toHaveReceived('createUser')
  throw new Error(`another problem than ${typeof received}`)
})
