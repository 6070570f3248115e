import type { Context } from 'hono'
import { Refusal } from '../schema/error.ts'
import type { ConnectionEnv } from '../wire/connection.ts'
import { isOwnHost } from '../wire/host.ts'

type OwnContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

/**
 * Rejects a request under a Host that could be a public name: a page whose name was rebound to this address has the
 * origin of the mock and could read what it shows. In process there is no connection, and no such page.
 */
export const refuseOtherHost = ({ req, env: { connection } }: OwnContext, publicUrl: string | undefined): void => {
  if (connection === undefined) return
  const host = req.header('host') ?? ''
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  if (isOwnHost(host, [...connection.admin.allowedHosts, ...publicHosts])) return
  throw new Refusal(
    'hostNotAllowed',
    `The payment page is not available under the Host '${host}', which could be a public name. ` +
      'Open it by an IP address or localhost, or allow the name with --public-url or --allowed-hosts.',
  )
}

/**
 * Refuses a post that another site's page has sent. A browser says where a post comes from, with `Origin` and
 * `Sec-Fetch-Site`; a test without a browser sends neither, and may post.
 */
export const refuseForeignPost = ({ req }: OwnContext, publicUrl: string | undefined): void => {
  const site = req.header('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none') throw foreign(`a ${site} page`)
  const origin = req.header('origin')
  if (origin === undefined || origin === originOf(publicUrl)) return
  if (origin !== originOf(req.url)) throw foreign(origin === 'null' ? 'a page that hides its origin' : `'${origin}'`)
}

const foreign = (whose: string) =>
  new Refusal(
    'originNotAllowed',
    `Payments are taken from this page alone, and this one was posted from ${whose}. Pay on the payment page itself.`,
  )

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin)
