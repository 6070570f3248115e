import { getBearerToken, isSameSecret } from '../domain/tokens.ts'
import { type Connection, getHost } from '../http/transport.ts'
import { errors } from '../schema/error.ts'
import { parseUrl } from '../schema/url.ts'

interface AccessRequest {
  readonly req: { header(name: string): string | undefined; readonly method: string; readonly url: string }
  readonly env: { readonly connection?: Pick<Connection, 'admin'> | undefined }
}

/**
 * Throws if a request may not call the control API. Checks the Host header against DNS rebinding, Origin and Sec-Fetch-Site
 * against other web pages, and the token against all other callers. A request in process has no connection and is allowed.
 */
export const checkAccess = ({ req, env }: AccessRequest): void => {
  checkAccessWithoutToken({ req, env })
  if (env.connection === undefined) return
  // Any site may link here. An embedded resource would reveal by `load` or `error` whether a record exists.
  const isLink = req.method === 'GET' && req.header('sec-fetch-dest') === 'document'
  if (!isLink) rejectOtherSite(req.header('sec-fetch-site'))
  const { token } = env.connection.admin
  if (token === undefined) return
  const presented = getBearerToken(req.header('authorization') ?? '')
  if (presented === undefined) throw errors.adminTokenMissing()
  if (!isSameSecret(token, presented)) throw errors.adminTokenWrong()
}

/** Checks everything but the token, for pages without data: a browser that opens the dashboard has no token yet. */
export const checkAccessWithoutToken = ({ req, env }: AccessRequest): void => {
  if (env.connection === undefined) return
  if (env.connection.admin.isClosed) throw errors.controlApiClosed()
  const host = getHost(req.url)
  if (!hasTrustedHost({ req, env })) throw errors.hostNotAllowed({ host, name: normalizeHost(host) })
  const origin = req.header('origin')
  if (origin !== undefined && parseUrl(origin)?.host !== host) throw errors.originNotAllowed({ origin })
  if (req.method !== 'GET') rejectOtherSite(req.header('sec-fetch-site'))
}

const rejectOtherSite = (site: string | undefined) => {
  if (isOtherSite(site)) throw errors.originNotAllowed({ site })
}

/** Returns true if the page of another site sent a request. A test without a browser sends no `Sec-Fetch-Site`. */
export const isOtherSite = (site: string | undefined): site is string =>
  site !== undefined && site !== 'same-origin' && site !== 'none'

/**
 * Returns true for a Host that no public site can have, such as `localhost`, and for an allowed one. Otherwise DNS rebinding
 * could give a foreign page the origin of the mock. A request in process has no connection and cannot be rebound.
 */
export const hasTrustedHost = ({ req, env }: AccessRequest, moreHosts: readonly string[] = []): boolean => {
  if (env.connection === undefined) return true
  const name = normalizeHost(getHost(req.url))
  const allowedHosts = [...env.connection.admin.allowedHosts, ...moreHosts]
  return isPrivateName(name) || allowedHosts.some((pattern) => matchesHost(name, normalizeHost(pattern)))
}

/** Normalizes a host: `Mock.example.:4600` becomes `mock.example`. */
const normalizeHost = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** Returns true if public DNS does not resolve the name, so that DNS rebinding cannot use it. */
const isPrivateName = (name: string): boolean =>
  name === '' ||
  /^\[[\da-f:.]+\]$/.test(name) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) ||
  /^[a-z\d_-]+$/.test(name) ||
  /\.(?:localhost|local|internal|test)$/.test(name)

/** Returns true if a name fits a pattern, in which `*.` matches any labels. */
const matchesHost = (name: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
