import { expect } from 'vitest'
import type { ListenOptions, MockOptions, Mock } from '../../../src/node/index.ts'
import type { PaymentLinkSeed } from '../../../src/core/schema/payment-link.ts'
import { noon, type Transport } from '../../support/api.ts'
import { requestText } from '../../cli/support/request.ts'
import { closingMock } from '../../support/mock.ts'

type HeaderRecord = Readonly<Record<string, string>>

interface Starting extends MockOptions, ListenOptions {
  /** Changed fields of the payment link. */
  readonly link?: Partial<PaymentLinkSeed>
}

export const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Starts a mock with one payment link, `pml_1` of `acme`, and closes it after the test. */
export const startPages = async (
  transport: Transport,
  { link, port, host, allowedHosts, ...options }: Starting = {},
) => {
  const paymentLinks = [{ id: 'pml_1', invoice: 'inv_1', ...link }]
  const mock = closingMock({ clock: noon, seed: { projects: { acme: { paymentLinks } } }, ...options })
  const origin = transport === 'in process' ? 'http://mock' : (await mock.listen({ port, host, allowedHosts })).url
  const path = '/pay/acme/pml_1'
  const call = transport === 'in process' ? callIn(mock) : callOver
  const acme = mock.project('acme')
  const revision = async () => (await acme.summary()).revision

  const send = async (method: string, sending: { path?: string; headers?: HeaderRecord; body?: string } = {}) => {
    const { path: at = path, headers = {}, body } = sending
    const before = await revision()
    const response = await call(`${origin}${at}`, method, headers, body)
    // A rejected request changes nothing.
    if (response.status >= 400) expect(await revision(), 'revision after an error').toBe(before)
    return response
  }
  return {
    mock,
    acme,
    origin,
    path,
    send,
    get: (at = path) => send('GET', { path: at }),
    /** Posts the form as a test without a browser would. */
    post: (outcome: string, headers: HeaderRecord = {}) =>
      send('POST', { headers: { ...form, ...headers }, body: `outcome=${outcome}` }),
    /** Posts the form several times at once. */
    postAtOnce: (outcomes: readonly string[]) =>
      Promise.all(outcomes.map((outcome) => call(`${origin}${path}`, 'POST', form, `outcome=${outcome}`))),
    status: async () => (await acme.paymentLinks.get('pml_1')).status,
    revision,
  }
}

/** Starts a server for a browser; the link has a payer. */
export const startInBrowser = async (link: Partial<PaymentLinkSeed> = {}) => {
  const payer = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: '12345678909' }
  const pages = await startPages('over HTTP', { link: { payer, ...link } })
  return { ...pages, url: `${pages.origin}${pages.path}`, port: new URL(pages.origin).port }
}

const callIn = (mock: Mock) => async (url: string, method: string, headers: HeaderRecord, body: string | undefined) => {
  const response = await mock.fetch(url, { method, headers, ...(body !== undefined && { body }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const callOver: ReturnType<typeof callIn> = async (url, method, headers, body) => {
  const response = await requestText(url, { method, headers, ...(body !== undefined && { body }) })
  const all = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return { ...response, headers: new Headers(all) }
}

/** The raw text of the element with this `data-testid`, or undefined. */
export const textOf = (page: string, testId: string): string | undefined =>
  new RegExp(`data-testid="${testId}"[^>]*>([^<]*)<`).exec(page)?.[1]
