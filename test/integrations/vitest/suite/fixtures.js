// Run by vitest in a folder of its own, where the packed mock is installed.
import { describe } from 'vitest'
import { expect, test } from 'paylink-mock/vitest'

const headers = { authorization: 'Bearer any', accept: 'application/json' }
const print = (what) => console.log(`printed: ${JSON.stringify(what)}`)

describe('a project', () => {
  test('is named after the test', async ({ project }) => {
    const { id } = await project.users.create({ email: 'ada@example.com' })
    print([project.id, id])
  })
  test('is alone in it', async ({ project }) => {
    expect((await project.users.list()).items).toEqual([])
    print([project.id])
  })
  test('has a twin', ({ project }) => print([project.id]))
  test('has a twin', ({ project }) => print([project.id]))
})

describe.concurrent('side by side', () => {
  test.for([1, 2, 3])('%i', async (count, { project, mock }) => {
    for (let i = 0; i < count; i++) await mock.fetch(`/projects/${project.id}/users`, { headers })
    await expect(project).toHaveReceived('listUsers', { times: count })
    await expect(project).toHaveNoViolations()
    print([project.id])
  })
})

test('soft and repeated assertions have the matchers', async ({ project, mock }) => {
  void mock.fetch(`/projects/${project.id}/users`, { headers })
  await expect.poll(() => project).toHaveReceived('listUsers')
  await expect.soft(project).toHaveNoViolations()
})

let first
test('shares the mock of the worker', ({ mock }) => {
  first = mock
})
test('with the next test', ({ mock }) => expect(mock).toBe(first))

test('gives an address to the code under test', async ({ project, serviceUrl }) => {
  await fetch(`${serviceUrl}/projects/${project.id}/users`, { headers })
  await expect(project).toHaveReceived('listUsers', { times: 1 })
})

const other = test.extend({ mockOptions: [{ basePath: '/v1', clock: '2025-01-01T00:00:00Z' }, { scope: 'worker' }] })
other('is made from other options', async ({ mock, project, serviceUrl }) => {
  expect(mock).not.toBe(first)
  expect(new URL(serviceUrl).pathname).toBe('/v1')
  await fetch(`${serviceUrl}/projects/${project.id}/users`, { headers })
  expect((await project.summary()).clock.now).toBe('2025-01-01T00:00:00.000Z')
  await expect(project).toHaveReceived('listUsers')
})

test('finds the same in another round', { repeats: 2 }, async ({ project }) => {
  await project.users.create({ email: 'ada@example.com' })
  expect((await project.users.list()).items).toHaveLength(1)
})

const slashed = test.extend({ mockOptions: [{ basePath: '/v1/' }, { scope: 'worker' }] })
slashed('has an address without a slash at its end', ({ serviceUrl }) => {
  expect(new URL(serviceUrl).pathname).toBe('/v1')
})

let attempts = 0
test('finds the same in another try', { retry: 1 }, async ({ project }) => {
  print([project.id, (await project.users.create({ email: 'ada@example.com' })).id])
  expect((await project.users.list()).items).toHaveLength(1)
  if (attempts++ === 0) throw new Error('the first try')
})

test('has an unused fault', async ({ project, mock }) => {
  await project.faults.add({ match: { operation: 'listUsers' }, effect: { status: 503 } })
  await mock.fetch(`/projects/${project.id}/paymentLinks`, { headers })
})

test('has a used fault', async ({ project, mock }) => {
  await project.faults.add({ match: { operation: 'listUsers' }, effect: { status: 502 } })
  await mock.fetch(`/projects/${project.id}/users`, { headers })
})
