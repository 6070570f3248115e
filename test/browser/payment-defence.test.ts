// Proves: Pages.
// Over HTTP, where there is a host. `payment.test.ts` tests the page on every transport.
import { describe, expect, it } from 'vitest'
import { form, startPages, textOf } from './support/start.ts'
import { errors } from '../../src/core/schema/error.ts'

const redirectUrl = 'http://shop.example:8080/done'
const partner = { redirectUrl }

describe('what the payment page rejects', () => {
  it.each([
    ['', 'outcome is required'],
    ['result=succeeded', 'outcome is required'],
    ['outcome=', 'outcome must be &#39;succeeded&#39; or &#39;failed&#39; (got &#39;&#39;).'],
    ['outcome=Succeeded', '(got &#39;Succeeded&#39;).'],
    ['outcome=%3Cb%3E', '(got &#39;&lt;b&gt;&#39;).'],
    ['outcome=succeeded&outcome=failed', 'outcome must be sent once.'],
  ])('rejects the form %j', async (body, sentence) => {
    const { send } = await startPages('over HTTP')
    const { status, text } = await send('POST', { headers: form, body })
    expect(status).toBe(400)
    expect(textOf(text, 'message')).toContain(sentence)
  })

  const types = 'application/json multipart/form-data;boundary=x text/plain application/x-www-form-urlencodedx'
  it.each(types.split(' '))('rejects a post of %s', async (type) => {
    const { send } = await startPages('over HTTP')
    const { status, text } = await send('POST', { headers: { 'content-type': type }, body: 'outcome=succeeded' })
    expect(status).toBe(415)
    expect(textOf(text, 'message')).toContain('must be sent as application/x-www-form-urlencoded')
  })

  it('accepts a content type with a charset', async () => {
    const { post } = await startPages('over HTTP')
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }
    expect((await post('succeeded', headers)).status).toBe(200)
  })

  it.each([{}, { 'transfer-encoding': 'chunked' }])('rejects a form of more than 4 KiB (%j)', async (headers) => {
    const { post } = await startPages('over HTTP')
    const { status, text } = await post(`succeeded&more=${'x'.repeat(5000)}`, headers)
    expect(status).toBe(413)
    expect(textOf(text, 'message')).toBe(errors.bodyTooLarge(4096).message)
  })

  it('allows GET, HEAD, POST and OPTIONS', async () => {
    const { send } = await startPages('over HTTP')
    const allow = 'GET, HEAD, POST, OPTIONS'
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await send(method)
      expect([method, status, headers.get('allow')]).toEqual([method, method === 'OPTIONS' ? 204 : 405, allow])
    }
    expect(await send('HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://127.0.0.1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'later-word' },
  ])('rejects a post from another site: %j', async (headers) => {
    const { post, status } = await startPages('over HTTP', { link: { partner } })
    const response = await post('succeeded', headers)
    expect(response.status).toBe(403)
    expect(textOf(response.text, 'message')).toContain('A payment can only be posted from its payment page')
    expect(await status()).toBe('active')
  })

  const origins = ['https://pay.example.com.evil.example', 'https://pay.example.com:8443', 'http://pay.example.com']
  it.each(origins)('rejects a post of %s, which is not the public address', async (origin) => {
    const { post, status } = await startPages('over HTTP', { publicUrl: 'https://pay.example.com/mock' })
    expect((await post('succeeded', { origin })).status).toBe(403)
    expect(await status()).toBe('active')
  })

  it('accepts its own posts, also behind the public URL', async () => {
    const own = await startPages('over HTTP')
    expect((await own.post('succeeded', { origin: own.origin, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    const proxied = await startPages('over HTTP', { publicUrl: 'https://pay.example.com/mock' })
    expect((await proxied.post('failed', { origin: 'https://pay.example.com' })).status).toBe(200)
    // Opened at the address of the mock itself.
    expect((await proxied.post('succeeded', { origin: proxied.origin })).status).toBe(200)
  })
})

describe('what guards the payment page', () => {
  const guards = {
    'content-type': 'text/html; charset=UTF-8',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }

  it('has security headers on every page', async () => {
    const { get, post, send } = await startPages('over HTTP')
    const responses = [
      await get(),
      await get('/pay/acme/pml_none'),
      await post('nothing'),
      await post('succeeded', { origin: 'null' }),
      await send('PUT'),
      await post('failed'),
      await post('succeeded'),
      await get(),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 400, 403, 405, 200, 200, 410])
    for (const { headers, text } of responses) {
      expect(Object.fromEntries(headers)).toMatchObject(guards)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      expect(text).toMatch(/<html lang="en">[^]*<h1>[^]*<\/h1>/)
      expect(text).not.toMatch(/<script|style=|javascript:/)
    }
  })

  it('serves its stylesheet itself', async () => {
    const { get } = await startPages('over HTTP')
    const { status, headers, text } = await get('/pay/style.css')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(text).not.toMatch(/url\(|@import/)
  })

  const redirectUrls = [redirectUrl, 'HTTPS://Shop.Example/x', 'http://a;sandbox/', 'http://a,default-src/']
  it.each(redirectUrls)('allows the form to lead anywhere from %s: a shop may redirect on', async (redirectUrl) => {
    const { get, post } = await startPages('over HTTP', { link: { partner: { redirectUrl } } })
    for (const { headers } of [await get(), await post('failed')])
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
  })
})

describe('the Host of a payment page', () => {
  const link = { invoice: 'inv_private', payer: { fullName: 'Ada Private', email: 'ada@private.example' } }

  it.each([
    ['active', {}],
    ['canceled', { status: 'canceled' }],
    ['completed', { status: 'completed' }],
  ] as const)('may not be any name, which would show the payer of a link that is %s', async (_, status) => {
    const { send } = await startPages('over HTTP', { link: { ...link, ...status } })
    for (const method of ['GET', 'HEAD', 'POST'])
      for (const host of ['evil.example', 'localhost.evil.example:4600', '127.0.0.1.nip.io'])
        for (const path of ['/pay/acme/pml_1', '/pay/acme/pml_none', '/pay/nobody/pml_1']) {
          const { status, text } = await send(method, {
            path,
            headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', ...form },
            ...(method === 'POST' && { body: 'outcome=failed' }),
          })
          expect([method, path, status]).toEqual([method, path, 403])
          expect(text).not.toMatch(/private/i)
          if (method !== 'HEAD') expect(textOf(text, 'message')).toContain(`Host &#39;${host}&#39;`)
        }
  })

  it('may be a name that cannot be public', async () => {
    const { send } = await startPages('over HTTP', { link })
    const hosts = ['localhost:4600', '127.0.0.1', '[::1]:4600', '10.0.0.1', 'paylink-mock:4600', 'mock.internal']
    for (const host of [...hosts, 'mock.test']) {
      const { status, text } = await send('GET', { headers: { host } })
      expect([host, status, textOf(text, 'payer-name')]).toEqual([host, 200, 'Ada Private'])
      const headers = { host, origin: `http://${host}`, ...form }
      expect((await send('POST', { headers, body: 'outcome=failed' })).status).toBe(200)
    }
  })

  it.each([
    [{ allowedHosts: ['mock.example'] }, 'mock.example'],
    [{ publicUrl: 'https://pay.example.com' }, 'pay.example.com'],
    [{ publicUrl: 'https://Pay.Example.com:8443/mock' }, 'PAY.example.com.:8443'],
    [{ publicUrl: 'http://pay.example.com' }, 'pay.example.com:8080'],
  ])('may be a host that %j allows: %s', async (options, host) => {
    const { send } = await startPages('over HTTP', { link, ...options })
    expect((await send('GET', { headers: { host } })).status).toBe(200)
    expect((await send('POST', { headers: { host, ...form }, body: 'outcome=failed' })).status).toBe(200)
    expect((await send('GET', { headers: { host: 'other.example.org' } })).status).toBe(403)
    expect((await send('GET', { headers: { host: `x.${host.replace(/:.*/, '')}` } })).status).toBe(403)
  })

  it('is not checked in process', async () => {
    const { mock } = await startPages('in process', { link })
    expect((await mock.fetch('http://evil.example/pay/acme/pml_1')).status).toBe(200)
  })

  it('is not checked for the stylesheet, which has no data', async () => {
    const { send } = await startPages('over HTTP', { link })
    expect((await send('GET', { path: '/pay/style.css', headers: { host: 'evil.example' } })).status).toBe(200)
  })
})
