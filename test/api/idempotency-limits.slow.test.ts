import { expect, it } from 'vitest'
import { startApi } from '../support/api.ts'
import { readJson } from '../support/read.ts'

/** A mock that replays, and a function that creates a user with the nth key. */
const start = async (fullName: string | null, journalSize = 5000) => {
  const { mock } = await startApi('in process', { behaviors: { idempotencyKey: 'replay' }, journalSize })
  return async (n: number, project = 'acme'): Promise<string> => {
    const response = mock.fetch(`/projects/${project}/users`, {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json', 'idempotency-key': `key-${n}` },
      body: JSON.stringify({ email: 'a@b.c', fullName }),
    })
    return (await readJson(response, 201)).id
  }
}

it('the oldest Idempotency-Key is forgotten when 1,000 newer ones are known', async () => {
  const create = await start(null)
  const ids: string[] = []
  for (let n = 0; n < 1001; n++) ids.push(await create(n))
  expect(await create(1)).toBe(ids[1])
  expect(await create(0)).not.toBe(ids[0])
})

it('the oldest Idempotency-Key is forgotten when newer responses of the project have 16 MiB', async () => {
  const create = await start('x'.repeat(1_000_000), 0)
  const other = await create(0, 'other')
  const ids: string[] = []
  for (let n = 0; n < 17; n++) ids.push(await create(n))
  expect(await create(1)).toBe(ids[1])
  expect(await create(0)).not.toBe(ids[0])
  expect(await create(0, 'other')).toBe(other)
})
