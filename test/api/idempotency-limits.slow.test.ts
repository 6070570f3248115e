import { describe, expect, it } from 'vitest'
import type { MockOptions } from '../../src/node/index.ts'
import { startApi } from '../support/api.ts'
import { readJson } from '../support/read.ts'

const users = '/projects/acme/users'
const replaying: MockOptions = { behaviors: { idempotencyKey: 'replay' } }

describe('the oldest Idempotency-Key', () => {
  it('is forgotten when 1,000 newer ones are known', async () => {
    const { mock } = await startApi('in process', replaying)
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const create = async (n: number) => {
      const init = { method: 'POST', headers: { ...headers, 'idempotency-key': `key-${n}` }, body: '{"email":"a@b.c"}' }
      return (await readJson(mock.fetch(users, init), 201)).id as string
    }
    const ids: string[] = []
    for (let n = 0; n < 1001; n++) ids.push(await create(n))
    expect(await create(1)).toBe(ids[1])
    expect(await create(0)).not.toBe(ids[0])
  })

  it('is forgotten when newer responses of the project have 16 MiB', async () => {
    const { mock } = await startApi('in process', { ...replaying, journalSize: 0 })
    const create = async (project: string, n: number) => {
      const response = await mock.fetch(`/projects/${project}/users`, {
        method: 'POST',
        headers: { authorization: 'Bearer t', 'content-type': 'application/json', 'idempotency-key': `key-${n}` },
        body: JSON.stringify({ email: 'a@b.c', fullName: 'x'.repeat(1_000_000) }),
      })
      return (await readJson(response, 201)).id as string
    }
    const other = await create('other', 0)
    const ids: string[] = []
    for (let n = 0; n < 17; n++) ids.push(await create('acme', n))
    expect(await create('acme', 1)).toBe(ids[1])
    expect(await create('acme', 0)).not.toBe(ids[0])
    expect(await create('other', 0)).toBe(other)
  })
})
