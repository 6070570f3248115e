// Proves: Rejected means unchanged.
import { expect, it } from 'vitest'
import { errors } from '../../src/schema/error.ts'
import { startAdmin } from '../support/start-admin.ts'
import { readResponse } from '../support/read.ts'

const mb = 1024 * 1024

const send = async (url: string, body: string) => {
  const headers = { 'content-type': 'application/json' }
  return await readResponse(await fetch(`${url}/__admin/state`, { method: 'PUT', headers, body }))
}

it('a state over HTTP is loaded with up to 64 MB, and rejected with a hint beyond', async () => {
  const { url, call } = await startAdmin()
  const text = '{"projects":{"acme":{"users":[{"id":"usr_1","email":"a@b.c"}]}}}'
  expect((await send(url, text.padEnd(64 * mb))).status).toBe(200)
  const before = (await call('GET', '/state')).body
  expect(await send(url, text.padEnd(64 * mb + 1))).toMatchObject({
    status: 413,
    body: errors.bodyTooLarge(64 * mb, 'state').toJSON(),
  })
  expect((await call('GET', '/state')).body).toEqual(before)
})
