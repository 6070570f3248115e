import { MockError } from '../schema/error.ts'
import { isOwnHost } from '../wire/transport.ts'
import type { PageContext } from './serve.ts'

/**
 * Rejects a request with a Host header that could be a public name. DNS rebinding gives a foreign page the origin of the
 * mock, and it could read the payment page. A request in process has no connection and cannot be rebound.
 */
export const requireOwnHost = ({ req, env: { connection } }: PageContext, publicUrl: string | undefined): void => {
  if (connection === undefined) return
  const host = req.header('host') ?? ''
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  if (isOwnHost(host, [...connection.admin.allowedHosts, ...publicHosts])) return
  throw new MockError(
    'hostNotAllowed',
    `The payment page is not available under the Host '${host}', which could be a public name. ` +
      'Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.',
  )
}

/**
 * Rejects a form that a page of another site sent. Browsers send `Origin` and `Sec-Fetch-Site`; a test without a browser
 * sends neither and is allowed.
 */
export const requireSameOrigin = ({ req }: PageContext, publicUrl: string | undefined): void => {
  const site = req.header('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none') throw originNotAllowed(`a ${site} page`)
  const origin = req.header('origin')
  if (origin === undefined || [publicUrl, req.url].some((url) => url !== undefined && new URL(url).origin === origin))
    return
  throw originNotAllowed(origin === 'null' ? 'a page that hides its origin' : `'${origin}'`)
}

const originNotAllowed = (source: string) =>
  new MockError(
    'originNotAllowed',
    `Payments are taken from this page alone, and this one was posted from ${source}. Pay on the payment page itself.`,
  )
