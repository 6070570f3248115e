import { expect, it } from 'vitest'
import { startAdmin } from '../support/steer.ts'

const long = 'x'.repeat(16 * 1024)
const tooLong = `${long}x`
/** The path of a field whose name is too long. */
const name = (of: string) => `${of}.${'x'.repeat(100)}...`

it.each([
  [{ path: `/${long}` }, ['path']],
  [{ headers: { 'x-long': tooLong } }, ['headers.x-long']],
  [{ headers: { [tooLong]: 'x' } }, ['headers']],
  [{ query: { long: tooLong } }, ['query.long']],
  [{ query: { long: ['x', tooLong] } }, ['query.long[1]']],
  [{ query: { [tooLong]: 'x' } }, [name('query')]],
] as const)('a matcher has texts of at most 16 KiB, case %#', async (match, paths) => {
  const { call } = await startAdmin()
  for (const [path, body, at] of [
    ['/requests/verify', { match }, 'match'],
    ['/requests/verify', { sequence: [match] }, 'sequence[0]'],
    ['/faults', { match, effect: { status: 503 } }, 'match'],
  ] as const)
    expect(await call('POST', path, body)).toMatchObject({
      status: 422,
      body: { code: 'invalidBody', details: paths.map((part) => ({ path: `${at}.${part}` })) },
    })
})

it('a matcher can have texts of 16 KiB', async () => {
  const { call } = await startAdmin()
  const match = { path: `/${long.slice(1)}`, headers: { 'x-long': long }, query: { [long]: [long] }, body: tooLong }
  const { status, body } = await call('POST', '/requests/verify', { match, times: 0 })
  expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } })
})

it.each([
  ['/faults', '{"effect":{"status":503,"body":1e999}}', 'effect.body'],
  ['/faults', '{"effect":{"status":503,"body":{"a":[-1e999]}}}', 'effect.body'],
  ['/faults', '{"effect":{"status":503},"match":{"body":1e999}}', 'match.body'],
  ['/requests/verify', '{"match":{"body":{"a":{"b":1e999}}}}', 'match.body'],
  ['/requests/verify', '{"sequence":[{},{"body":[1e999]}]}', 'sequence[1].body'],
  ['/projects/acme/users', '{"email":"a@b.c","metadata":{"a":1e999}}', 'metadata'],
])('rejects a number that is too large for JSON: POST %s %s', async (path, raw, at) => {
  const { url, mock } = await startAdmin()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/__admin${path}`, { method: 'POST', headers, body: raw })
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 422,
    body: { code: 'invalidBody', details: [{ path: at }] },
  })
  expect(await mock.faults.list()).toEqual([])
})
