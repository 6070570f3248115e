// Proves: Rejected means unchanged.
import { expect, it } from 'vitest'
import { errors } from '../../src/core/schema/error.ts'
import { startAdmin } from '../support/control.ts'
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
  const error = errors.bodyTooLarge(64 * mb, 'state').toJSON()
  expect(await send(url, text.padEnd(64 * mb + 1))).toMatchObject({ status: 413, body: error })
  expect((await call('GET', '/state')).body).toEqual(before)
})

it('a state is returned when it has few but large records, as are its parts', async () => {
  const metadata = { text: 'x'.repeat(1024 * 1024) }
  const users = Array.from({ length: 33 }, (_, n) => ({ email: `u${n}@b.c`, metadata }))
  const { url } = await startAdmin({ seed: { projects: { acme: { users } } } })
  for (const path of ['/state', '/projects/acme/state', '/projects/acme/users']) {
    const response = await fetch(`${url}/__admin${path}`)
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('cache-control'), path).toBe('no-store')
    let size = 0
    for await (const chunk of response.body!) size += chunk.length
    expect(size, path).toBeGreaterThan(33 * 1024 * 1024)
  }
})
