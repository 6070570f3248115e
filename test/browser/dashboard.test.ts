// Proves: Same on every transport, Pages, Outbound.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ListenOptions, MockOptions } from '../../src/node/index.ts'
import { views } from '../../src/dashboard/views.ts'
import { request } from '../cli/support/request.ts'
import { noon } from '../support/api.ts'
import { seed } from './support/dashboard.ts'
import { readText } from '../support/read.ts'
import { listeningMock } from '../support/mock.ts'

const open = ['/__admin/', '/__admin/dashboard/style.css', '/__admin/dashboard/script.js']
const still = ['/', '/docs', '/docs/style.css', '/docs/script.js']

const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

const start = async ({ adminToken, allowedHosts, ...options }: MockOptions & ListenOptions = {}) => {
  const { mock, url } = await listeningMock({ clock: noon, seed, ...options }, { adminToken, allowedHosts })
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { mock, url, get }
}

describe('the responses of the dashboard', () => {
  it('have headers that block other pages and scripts, are not recorded, and no fault applies to them', async () => {
    const { mock, get } = await start()
    await mock.faults.add({ times: null, effect: { status: 503 } })
    for (const path of [...open, ...still, '/__admin/dashboard/projects']) {
      const { status, headers } = await get(path)
      expect([status, path]).toEqual([200, path])
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect((await mock.requests.list()).items).toEqual([])
  })

  it('have a policy without inline script and style', async () => {
    const { get } = await start()
    for (const path of ['/__admin/', '/__admin/dashboard/users?project=acme'])
      expect((await get(path)).headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
    const docs = "style-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    for (const [path, policy] of [
      ['/', `default-src 'none'; script-src 'self'; connect-src 'self'; ${docs}`],
      ['/docs', `default-src 'none'; script-src 'self'; ${docs}`],
    ] as const)
      expect((await get(path)).headers.get('content-security-policy')).toBe(policy)
    for (const path of ['/__admin/', '/', '/docs'])
      expect((await get(path)).text).not.toMatch(/<script(?! src)|<style|style=|javascript:| on\w+=/)
  })

  it('are under 110 KB in total, and a view of the demo seed under 55 KB', async () => {
    const { get } = await start({ seed: demo })
    const size = async (path: string) => (await get(path)).text.length
    const sizes = await Promise.all([...open, ...still].map(size))
    expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThan(110 * 1024)
    for (const view of views.keys())
      expect(await size(`/__admin/dashboard/${view}?project=acme&id=`), view).toBeLessThan(55 * 1024)
  })

  it('load nothing from other servers', async () => {
    const { get, url } = await start()
    for (const path of [...open, '/', '/docs/style.css']) {
      const { text } = await get(path)
      const message = /https?:\/\/(?!shop\.example|www\.w3\.org\/1999\/xhtml)|url\(|@import/
      expect(text.replaceAll(url, ''), path).not.toMatch(message)
    }
  })

  it('are the same in process', async () => {
    const { mock, get } = await start()
    for (const path of [...open, ...still.slice(0, 1), '/__admin/dashboard/users?project=acme'])
      expect(await readText(mock.fetch(path))).toBe((await get(path)).text)
  })

  it('are also found under other paths', async () => {
    const { get, url } = await start()
    for (const path of ['/__admin', '/admin', '/admin/']) {
      const { status, headers } = await get(`${path}?project=acme`)
      const location = headers.get('location')!
      expect([status, new URL(location, url + path).href]).toEqual([307, `${url}/__admin/?project=acme`])
      // Relative: a proxy may put a prefix before the path.
      expect(location).not.toMatch(/^\/|:/)
    }
  })
})

describe('the access to the dashboard', () => {
  it('sends the frame without a token and without data', async () => {
    const { get } = await start({ adminToken: 'tok_admin' })
    const before = await get('/__admin/?project=acme')
    expect(before.status).toBe(200)
    expect(before.text).not.toMatch(/acme|ada@|usr_|pml_/)
    const { get: other } = await start({ seed: demo })
    expect((await other('/__admin/')).text).toBe(before.text)
  })

  it('requires the token for each view', async () => {
    const { get } = await start({ adminToken: 'tok_admin' })
    for (const view of [...views.keys(), 'nowhere']) {
      const path = `/__admin/dashboard/${view}?project=acme`
      expect(await get(path)).toMatchObject({ status: 401, text: expect.stringContaining('adminTokenMissing') })
      expect((await get(path, { authorization: 'Bearer tok_wrong' })).status).toBe(401)
      expect((await get(path, { authorization: 'Bearer tok_admin' })).status).not.toBe(401)
    }
  })

  it('rejects public host names unless they are allowed', async () => {
    const { url } = await start()
    for (const path of [...open, '/__admin', '/__admin/dashboard/projects'])
      for (const headers of [{ host: 'evil.example' }, { host: '127.0.0.1', origin: 'http://evil.example' }])
        expect((await request(url + path, { headers })).status).toBe(403)
    const allowed = await start({ allowedHosts: ['mock.example'] })
    expect((await request(`${allowed.url}/__admin`, { headers: { host: 'mock.example' } })).status).toBe(307)
  })

  it('creates no project by reading', async () => {
    const { mock, get } = await start({ seed: {} })
    for (const view of views.keys()) await get(`/__admin/dashboard/${view}?project=nobody`)
    expect(await mock.projects()).toEqual([])
  })

  it('rejects unknown views and records, and invalid queries', async () => {
    const { get } = await start()
    const rejected = [
      ['nowhere', 404, 'routeNotFound'],
      ['user?project=acme&id=usr_none', 404, 'userNotFound'],
      ['payment-link?project=acme&id=pml_none', 404, 'paymentLinkNotFound'],
      ['request?project=acme&id=req_none', 404, 'requestNotFound'],
      ['users?project=acme&after=usr_none', 400, 'cursorNotFound'],
      ['payment-links?project=acme&status=paid', 422, 'invalidQuery'],
      ['journal?status=x', 422, 'invalidQuery'],
      ['journal?operation=constructor', 422, 'invalidQuery'],
      ['users?project=..', 422, 'invalidQuery'],
    ]
    for (const [view, status, code] of rejected) {
      const response = await get(`/__admin/dashboard/${view}`)
      expect([view, response.status, JSON.parse(response.text).code]).toEqual([view, status, code])
    }
  })
})

describe('the code of the dashboard and the docs', () => {
  const src = new URL('../../src/', import.meta.url).pathname

  const reachedFrom = (file: string, reached = new Set<string>()): Set<string> => {
    if (reached.has(file)) return reached
    reached.add(file)
    for (const [, target] of readFileSync(join(src, file), 'utf8').matchAll(
      /^(?:import|export) (?!type)[^']*from '(\.[^']+)'/gm,
    ))
      reachedFrom(normalize(join(dirname(file), target!)), reached)
    return reached
  }

  it('is loaded by the first request', () => {
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    const late = files.filter((file) => /^(?:dashboard|core\/pages\/(?:docs|browser))\/.*\.ts$/.test(file))
    expect([...new Set(late.map(dirname))].toSorted()).toEqual([
      'core/pages/browser',
      'core/pages/docs',
      'dashboard',
      'dashboard/browser',
    ])
    const reached = reachedFrom('node/index.ts')
    // The paths of the dashboard are known before its code is loaded.
    expect(late.filter((file) => reached.has(file))).toEqual(['dashboard/dashboard-pages.ts'])
  })
})
