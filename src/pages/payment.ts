import type { Context, Hono } from 'hono'
import { Refusal } from '../schema/error.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import { quote } from '../schema/problem.ts'
import { readText } from '../wire/body.ts'
import type { ConnectionEnv } from '../wire/connection.ts'
import { emptyResponse } from '../wire/respond.ts'
import { textResponse } from './headers.ts'
import { refuseForeignPost, refuseOtherHost } from './own-origin.ts'
import { pageResponse, redirectResponse, stylePath } from './page.ts'
import { attempted, closed, payable, type Place, refused } from './payment-view.ts'
import { stylesheet } from './style.ts'

type Outcome = 'succeeded' | 'failed'
type PageContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

export interface PaymentPageOptions {
  /** The link as it is now; undefined when there is no such project or link. Looking creates nothing. */
  readonly find: (project: string, paymentLink: string) => PaymentLinkRow | undefined
  /**
   * Uses the link for a payment. Throws the Refusal `paymentLinkNotActive` when it can no longer be used, whatever the
   * outcome; 'failed' changes no row.
   */
  readonly attempt: (project: string, paymentLink: string, outcome: Outcome) => PaymentLinkRow
  /** The address that payment pages are shown under, where it is not that of the request. */
  readonly publicUrl?: string | undefined
}

/**
 * Mounts the page at `paymentUrl`, where a person or a browser test pays. Without JavaScript, and without state.
 *
 * | `data-testid` | what it is | on which page |
 * |---|---|---|
 * | `invoice`, `payer-name`, `payer-email` | what is paid and who pays; `Not given` where nothing was | every page of a link |
 * | `payer-tax-number` | the same, all but its last two characters masked | every page of a link |
 * | `status` | `active`, `completed` or `canceled` | every page of a link |
 * | `project`, `payment-link` | their ids | every page of a link |
 * | `pay`, `fail` | the buttons | active |
 * | `redirect` | the origin that follows the attempt | active, with a `redirectUrl` |
 * | `message` | the sentence that says what happened | every page but the active one |
 * | `retry` | the way back to the active page | payment failed; refused (400, 403, 405, 413, 415) |
 * | `continue` | the way on to the `redirectUrl` | paid already, with a `redirectUrl` |
 * | `mock-note` | that no money moves | every page |
 */
export const mountPaymentPage = <E extends ConnectionEnv>(app: Hono<E>, options: PaymentPageOptions): void => {
  app.get(stylePath, () => textResponse('css', stylesheet))
  const path = '/pay/:project/:paymentLink'
  app.get(path, (c) => answer(c, () => show(c, options)))
  app.post(path, (c) => answer(c, () => pay(c, options)))
  app.all(path, (c) => answerRest(c))
}

// Assumed: spec §2.3 has the address alone. A page that was there and is over is 410; its row tells why.
const show = (c: PageContext, options: PaymentPageOptions): Promise<Response> => {
  refuseOtherHost(c, options.publicUrl)
  const place = placeOf(c)
  const link = linkAt(place, options)
  return pageResponse(link.status === 'active' ? payable(link, place) : closed(link, place))
}

const pay = async (c: PageContext, options: PaymentPageOptions): Promise<Response> => {
  refuseOtherHost(c, options.publicUrl)
  refuseForeignPost(c, options.publicUrl)
  const place = placeOf(c)
  linkAt(place, options)
  const outcome = await outcomeOf(c)
  // It may be gone with its project by now, and a payment brings no project back.
  linkAt(place, options)
  const link = attempt(place, outcome, options)
  // Paid or canceled before this: the page says which.
  if (link === undefined) return show(c, options)
  const { redirectUrl } = link.partner
  return redirectUrl === null ? pageResponse(attempted(link, place, outcome)) : redirectResponse(redirectUrl)
}

/** The link after the attempt; undefined when there was nothing left to attempt. */
const attempt = ({ project, paymentLink }: Place, outcome: Outcome, options: PaymentPageOptions) => {
  try {
    return options.attempt(project, paymentLink, outcome)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'paymentLinkNotActive') return undefined
    throw error
  }
}

const linkAt = ({ project, paymentLink }: Place, { find }: PaymentPageOptions): PaymentLinkRow => {
  const link = find(project, paymentLink)
  if (link !== undefined) return link
  const message = `No payment link ${quote(paymentLink)} in project ${quote(project)}. Open the paymentUrl of one that is there.`
  throw new Refusal('paymentLinkNotFound', message)
}

// A form of one short field: whatever is longer is something else.
const formLimit = 4096
const formType = 'application/x-www-form-urlencoded'

/** What the form says of how the payment shall end. Assumed: fields beside it are ignored. */
const outcomeOf = async ({ req, env }: PageContext): Promise<Outcome> => {
  const contentType = req.header('content-type') ?? ''
  if (contentType.split(';')[0]!.trim().toLowerCase() !== formType)
    throw new Refusal('unsupportedMediaType', `The form must be sent as ${formType} (got ${quote(contentType)}).`)
  const [outcome, ...more] = new URLSearchParams(await readText(env.line, formLimit)).getAll('outcome')
  if (more.length > 0) throw badForm('outcome must be sent once.')
  if (outcome === 'succeeded' || outcome === 'failed') return outcome
  throw badForm(
    outcome === undefined
      ? "outcome is required: 'succeeded' or 'failed'."
      : `outcome must be 'succeeded' or 'failed' (got ${quote(outcome)}).`,
  )
}

const badForm = (message: string) => new Refusal('malformedBody', message)

const methods = 'GET, HEAD, POST, OPTIONS'

const answerRest = (c: PageContext): Response | Promise<Response> => {
  if (c.req.method === 'OPTIONS') return emptyResponse(204, { allow: methods })
  const text = `${c.req.method} is not a method of a payment page. Its methods are ${methods}.`
  return pageResponse(refused(405, text, placeOf(c)), { allow: methods })
}

/** Whatever is refused is said on a page: a person may be looking. */
const answer = async (c: PageContext, handle: () => Promise<Response>): Promise<Response> => {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof Refusal) return pageResponse(refused(error.status, error.message, placeOf(c)))
    throw error
  }
}

const placeOf = ({ req }: PageContext): Place => ({
  project: req.param('project') ?? '',
  paymentLink: req.param('paymentLink') ?? '',
})
