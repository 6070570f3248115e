// Proves: Races, Pages.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { maskTaxNumber } from '../../src/core/pages/payment.ts'
import { transports } from '../support/api.ts'
import { form, startPages, textOf } from './support/start.ts'

const payer = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: '12345678909' }
const redirectUrl = 'http://shop.example:8080/done'
const partner = { redirectUrl }
const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))
const completed = { status: 'completed', completedAt: '2025-01-02T03:04:05.678Z' } as const
const canceled = { status: 'canceled', canceledAt: '2025-01-02T03:04:05.678Z' } as const

describe.each(transports)('the payment page, %s', (transport) => {
  it('shows the invoice and the payer', async () => {
    const { get } = await startPages(transport, { link: { payer } })
    const { status, text } = await get()
    expect(status).toBe(200)
    expect(textOf(text, 'invoice')).toBe('inv_1')
    expect(textOf(text, 'payer-name')).toBe('Ada Lovelace')
    expect(textOf(text, 'payer-email')).toBe('ada@example.com')
    expect(textOf(text, 'payer-tax-number')).toBe('*********09')
    expect(textOf(text, 'status')).toBe('active')
    expect(textOf(text, 'project')).toBe('acme')
    expect(textOf(text, 'payment-link')).toBe('pml_1')
    expect(text).not.toContain('1234')
  })

  it('marks missing fields as not given', async () => {
    const { get } = await startPages(transport, { link: { payer: { fullName: '', email: ' ' } } })
    const { text } = await get()
    for (const field of ['payer-name', 'payer-email', 'payer-tax-number']) expect(textOf(text, field)).toBe('Not given')
  })

  it('is at the paymentUrl, also for a client of the mocked API', async () => {
    const { mock, get, origin } = await startPages(transport)
    const link = await mock.project('acme & sons').paymentLinks.create({ invoice: 'inv_2' })
    expect(link.paymentUrl).toMatch(`${origin}/pay/acme%20%26%20sons/`)
    const { status, text } = await get(new URL(link.paymentUrl).pathname)
    expect(status).toBe(200)
    expect(textOf(text, 'project')).toBe('acme &amp; sons')
  })

  it('accepts a payment, and shows the result without a redirect', async () => {
    const { mock, post } = await startPages(transport)
    const { status, text } = await post('succeeded')
    expect(status).toBe(200)
    expect(text).toContain('Payment succeeded')
    expect(textOf(text, 'status')).toBe('completed')
    const link = await mock.project('acme').paymentLinks.get('pml_1')
    expect(link).toMatchObject({ status: 'completed', completedAt: '2025-06-01T12:00:00.000Z' })
  })

  it('fails a payment, keeps the link active and offers another try', async () => {
    const { post, status, revision } = await startPages(transport)
    const before = await revision()
    const failed = await post('failed')
    expect(failed.status).toBe(200)
    expect(failed.text).toContain('Payment failed')
    expect(failed.text).toContain('href="./pml_1"')
    expect(await status()).toBe('active')
    expect(await revision()).toBe(before)
    expect((await post('succeeded')).status).toBe(200)
  })

  it.each(['succeeded', 'failed'])('redirects to the stored URL when the payment has %s', async (outcome) => {
    const { post } = await startPages(transport, { link: { partner } })
    const { status, headers, text } = await post(outcome)
    expect([status, headers.get('location'), text]).toEqual([303, redirectUrl, ''])
  })

  it('redirects to a stored path at the origin of the page, and shows that origin', async () => {
    const { origin, send, get, post, acme, mock } = await startPages(transport, {
      link: { partner: { redirectUrl: '/?a' } },
    })
    expect(textOf((await get()).text, 'redirect')).toBe(origin)
    expect((await acme.paymentLinks.get('pml_1')).partner.redirectUrl).toBe(`${origin}/?a`)
    expect((await post('failed')).headers.get('location')).toBe(`${origin}/?a`)
    expect((await post('succeeded')).headers.get('location')).toBe(`${origin}/?a`)
    expect((await get()).text).toContain(`href="${origin}/?a"`)
    const shown = await send('GET', {
      path: '/projects/acme/paymentLinks/pml_1',
      headers: { authorization: 'Bearer t' },
    })
    expect(JSON.parse(shown.text).partner).toEqual({ redirectUrl: `${origin}/?a` })
    const document = await mock.state.get()
    expect(document.projects?.acme?.paymentLinks?.[0]?.partner).toEqual({ redirectUrl: '/?a' })
  })

  it('redirects to a stored path at the public URL', async () => {
    const { post } = await startPages(transport, {
      publicUrl: 'https://mock.example',
      link: { partner: { redirectUrl: '/' } },
    })
    expect((await post('succeeded')).headers.get('location')).toBe('https://mock.example/')
  })

  it('sends a person who pays a demo link to the start page of the mock', async () => {
    const { send, origin } = await startPages(transport, { seed: demo })
    const path = '/pay/acme/pml_open_with_redirect'
    const { headers } = await send('POST', { path, headers: form, body: 'outcome=succeeded' })
    expect(headers.get('location')).toBe(`${origin}/`)
  })

  it('redirects only to the stored URL', async () => {
    const { send } = await startPages(transport, { link: { partner } })
    const { headers } = await send('POST', {
      path: '/pay/acme/pml_1?redirectUrl=http://evil.example',
      headers: form,
      body: 'outcome=succeeded&redirectUrl=http%3A%2F%2Fevil.example',
    })
    expect(headers.get('location')).toBe(redirectUrl)
  })

  it('is paid once when it is posted twice', async () => {
    const { postAtOnce, revision } = await startPages(transport, { link: { partner } })
    const before = await revision()
    const responses = await postAtOnce(['succeeded', 'succeeded'])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 410])
    const second = responses.find(({ status }) => status === 410)!
    expect(second.text).toContain('This invoice has been paid')
    expect(second.text).toContain(`href="${redirectUrl}"`)
    expect(await revision()).toBe(before + 1)
  })

  it.each([
    ['completed', completed, 'The payment link was paid at', 'This invoice has been paid'],
    ['canceled', canceled, 'It was canceled at', 'This payment link was canceled'],
  ] as const)('returns 410 for a link that is %s, and says so', async (status, link, sentence, title) => {
    const { get, post } = await startPages(transport, { link: { ...link, partner } })
    for (const response of [await get(), await post('succeeded'), await post('failed')]) {
      expect(response.status).toBe(410)
      expect(response.text).toContain(`<h1>${title}</h1>`)
      expect(response.text).toContain(sentence)
      expect(response.text).toContain('2025-01-02 03:04:05 UTC')
      expect(textOf(response.text, 'status')).toBe(status)
      expect(response.text).not.toContain('<form')
      expect(response.text).toContain('data-testid="continue"')
    }
  })

  const missingLinks = ['/pay/acme/pml_none', '/pay/nobody/pml_1', '/pay/%00/%3Cscript%3E']
  it.each(missingLinks)('returns 404 for %s, and creates nothing', async (path) => {
    const { mock, send } = await startPages(transport)
    const sent = { path, headers: form, body: 'outcome=succeeded' }
    for (const response of [await send('GET', { path }), await send('POST', sent)]) {
      expect(response.status).toBe(404)
      expect(response.text).toContain('<h1>No such payment link</h1>')
      expect(response.text).not.toContain('<script>')
      expect(response.text).toContain('<a href="../../__admin/">Dashboard</a>')
    }
    expect(await mock.projects()).toHaveLength(1)
  })

  it('is not paid again after a scheduled payment', async () => {
    const { post, acme } = await startPages(transport)
    await acme.paymentLinks.pay('pml_1', { when: { in: 1000 } })
    await acme.clock.advance(2000)
    expect((await post('succeeded')).status).toBe(410)
    expect(await acme.paymentLinks.get('pml_1')).toMatchObject({ completedAt: '2025-06-01T12:00:01.000Z' })
  })

  it('shows any content of a field as text', async () => {
    const nasty = `"><img src=x onerror=alert(1)>'</dd><script>alert(2)</script>&amp;`
    const { mock, get } = await startPages(transport)
    const record = { invoice: nasty, payer: { fullName: nasty, email: nasty, taxNumber: nasty } }
    const link = await mock.project(nasty).paymentLinks.create(record)
    const { text } = await get(new URL(link.paymentUrl).pathname)
    expect(text).not.toMatch(/<img|<script|onerror=alert\(1\)>'/)
    const escaped =
      '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&lt;/dd&gt;&lt;script&gt;alert(2)&lt;/script&gt;&amp;amp;'
    for (const field of ['invoice', 'payer-name', 'payer-email', 'project']) expect(textOf(text, field)).toBe(escaped)
  })
})

it.each([
  ['12345678909', '*********09', 'ends in 09'],
  ['1234', '****', 'hidden'],
])('reads the masked tax number %s to a screen reader', async (taxNumber, shown, said) => {
  const { get } = await startPages('in process', { link: { payer: { taxNumber } } })
  const { text } = await get()
  expect(/aria-hidden="true" data-testid="payer-tax-number">([^<]*)</.exec(text)?.[1]).toBe(shown)
  expect(/<span class="unseen">([^<]*)</.exec(text)?.[1]).toBe(said)
})

it.each([
  ['12345678909', '*********09'],
  ['123.456.789-09', '************09'],
  ['12345', '***45'],
  ['1234', '****'],
  ['12', '**'],
  ['1', '*'],
  ['ab😀😀😀', '***😀😀'],
  ['9'.repeat(1_000_000), '******************99'],
])('the masked tax number of %s is %s', (taxNumber, expected) => {
  expect(maskTaxNumber(taxNumber)).toBe(expected)
})
