import type { Context } from 'hono'
import { Refusal } from '../schema/error.ts'
import type { ConnectionEnv } from '../wire/connection.ts'
import { isOwnHost } from '../wire/host.ts'

/**
 * Refuses a post that another site's page has sent. A browser says where a post comes from, with `Origin` and
 * `Sec-Fetch-Site`; a test without a browser sends neither, and may post.
 */
export const refuseForeignPost = (
  { req, env }: Pick<Context<ConnectionEnv>, 'req' | 'env'>,
  publicUrl: string | undefined,
): void => {
  const site = req.header('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none') throw foreign(`a ${site} page`)
  const origin = req.header('origin')
  if (origin === undefined || origin === originOf(publicUrl)) return
  if (origin !== originOf(req.url)) throw foreign(origin === 'null' ? 'a page that hides its origin' : `'${origin}'`)
  // A page whose name was rebound to this address has the same origin as the Host, and is foreign all the same.
  const { host } = new URL(origin)
  if (env.connection !== undefined && !isOwnHost(host, env.connection.admin.allowedHosts))
    throw new Refusal(
      'hostNotAllowed',
      `Payments are not taken under the name '${host}', which may be anybody's. ` +
        `Open the page by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.`,
    )
}

const foreign = (whose: string) =>
  new Refusal(
    'originNotAllowed',
    `Payments are taken from this page alone, and this one was posted from ${whose}. Pay on the payment page itself.`,
  )

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin)
