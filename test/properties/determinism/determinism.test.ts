// Proves: Determinism.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const scenario = new URL('scenario.js', import.meta.url).pathname

const hashIn = async (env: Readonly<Record<string, string>>): Promise<string> =>
  (await promisify(execFile)(process.execPath, [scenario, '2'], { env: { PATH: process.env.PATH ?? '', ...env } }))
    .stdout

// `node test/quality nodes` has sixteen.
it('two clients get the same bytes alone and side by side, in every time zone and locale', async () => {
  const first = await hashIn({ TZ: 'UTC', LANG: 'C' })
  expect(first).toMatch(/^[0-9a-f]{64}\n$/)
  expect(await hashIn({ TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' })).toBe(first)
})
