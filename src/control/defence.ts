import { bearerOf, sameSecret } from '../domain/tokens.ts'
import { Refusal } from '../schema/error.ts'
import type { Connection } from '../wire/connection.ts'
import { hostName, isOwnHost } from '../wire/host.ts'
import { urlOf } from '../schema/url.ts'

/** What is looked at of a request. */
interface Visit {
  readonly req: { header(name: string): string | undefined; readonly method: string }
  readonly env: { readonly connection?: Connection }
}

/**
 * Keeps web pages and strangers off the control plane: Host against DNS rebinding, Origin and Sec-Fetch-Site against
 * other pages, the token against everybody else. In process there is no connection, and nobody to keep off.
 */
export const defend = (c: Visit): void => {
  defendWithoutToken(c)
  const { connection } = c.env
  if (connection === undefined) return
  if (!isNavigation(c.req)) refuseOtherSites(c.req.header('sec-fetch-site'))
  refuseToken(connection, c.req.header('authorization'))
}

/** The same for what holds no data: the browser that opens the dashboard cannot send a token yet. */
export const defendWithoutToken = ({ req, env: { connection } }: Visit): void => {
  if (connection === undefined) return
  const host = req.header('host') ?? ''
  refuseHost(host, connection.admin.allowedHosts)
  refuseOrigin(req.header('origin'), host)
  if (req.method !== 'GET') refuseOtherSites(req.header('sec-fetch-site'))
}

// A page of any site may link here. What it embeds tells it, by `load` or `error`, whether a record exists.
const isNavigation = (req: Visit['req']): boolean => req.method === 'GET' && req.header('sec-fetch-dest') === 'document'

const refuseHost = (host: string, allowed: readonly string[]) => {
  if (isOwnHost(host, allowed)) return
  throw new Refusal('hostNotAllowed', `The admin plane does not answer to the Host '${host}'.`, {
    hint: `Use a literal IP address or localhost, or allow the name with --allowed-hosts ${hostName(host)}.`,
  })
}

const refuseOrigin = (origin: string | undefined, host: string) => {
  if (origin === undefined || originHost(origin) === host.toLowerCase()) return
  throw new Refusal('originNotAllowed', `The admin plane takes no calls from pages of '${origin}'.`, {
    hint: 'Call it from a test or with curl.',
  })
}

const refuseOtherSites = (site: string | undefined) => {
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw new Refusal('originNotAllowed', `The admin plane takes no ${site} calls from pages.`, {
    hint: 'Call it from a test or with curl.',
  })
}

const refuseToken = ({ admin }: Connection, authorization = '') => {
  if (admin.token === undefined) return
  const presented = bearerOf(authorization)
  if (presented !== undefined && sameSecret(admin.token, presented)) return
  const hint = "Send 'Authorization: Bearer <admin token>'; the token is set with PAYLINK_MOCK_ADMIN_TOKEN."
  if (presented === undefined) throw new Refusal('adminTokenMissing', 'The admin plane needs its token here.', { hint })
  throw new Refusal('adminTokenWrong', 'The admin token is not the configured one.', { hint })
}

const originHost = (origin: string): string | undefined => urlOf(origin)?.host
