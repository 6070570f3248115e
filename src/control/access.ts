import { type ErrorCode, errors } from '../schema/error.ts'
import { getBearerToken, isSameSecret } from '../domain/tokens.ts'
import { type Connection, normalizeHost, isTrustedHost } from '../wire/transport.ts'
import { parseUrl } from '../schema/url.ts'

/** The parts of a request that the access checks read. */
interface AccessRequest {
  readonly req: { header(name: string): string | undefined; readonly method: string }
  readonly env: { readonly connection?: Connection | undefined }
}

/**
 * Throws if a request may not call the control API. Checks the Host header against DNS rebinding, Origin and Sec-Fetch-Site
 * against other web pages, and the token against all other callers. A request in process has no connection and is allowed.
 */
export const checkAccess = (c: AccessRequest): void => {
  checkAccessWithoutToken(c)
  const { connection } = c.env
  if (connection === undefined) return
  if (!isNavigation(c.req)) rejectOtherSite(c.req.header('sec-fetch-site'))
  checkToken(connection, c.req.header('authorization'))
}

/** Checks everything but the token, for pages without data: a browser that opens the dashboard has no token yet. */
export const checkAccessWithoutToken = ({ req, env: { connection } }: AccessRequest): void => {
  if (connection === undefined) return
  const host = req.header('host') ?? ''
  checkHost(host, connection.admin.allowedHosts)
  checkOrigin(req.header('origin'), host)
  if (req.method !== 'GET') rejectOtherSite(req.header('sec-fetch-site'))
}

// Any site may link here. An embedded resource would reveal by `load` or `error` whether a record exists.
const isNavigation = (req: AccessRequest['req']): boolean =>
  req.method === 'GET' && req.header('sec-fetch-dest') === 'document'

const checkHost = (host: string, allowed: readonly string[]) => {
  if (isTrustedHost(host, allowed)) return
  throw errors.hostNotAllowed({ host, name: normalizeHost(host) })
}

const checkOrigin = (origin: string | undefined, host: string) => {
  if (origin === undefined || getOriginHost(origin) === host.toLowerCase()) return
  throw errors.originNotAllowed({ origin })
}

const rejectOtherSite = (site: string | undefined) => {
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw errors.originNotAllowed({ site })
}

const checkToken = ({ admin }: Connection, authorization = '') => {
  if (admin.token === undefined) return
  const presented = getBearerToken(authorization)
  if (presented !== undefined && isSameSecret(admin.token, presented)) return
  throw presented === undefined ? errors.adminTokenMissing() : errors.adminTokenWrong()
}

const getOriginHost = (origin: string): string | undefined => parseUrl(origin)?.host

/** The errors of access. */
export const accessErrors = [
  'adminTokenMissing',
  'adminTokenWrong',
  'hostNotAllowed',
  'originNotAllowed',
] as const satisfies readonly ErrorCode[]
