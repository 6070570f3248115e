import type { Page } from '../schema/list.ts'
import type { StoredPaymentLink } from '../schema/payment-link.ts'
import type { User } from '../schema/user.ts'
import { getOrigin } from '../wire/transport.ts'
import { json } from '../wire/media-type.ts'
import type { ResponseData } from '../wire/respond.ts'
import { corsHeaders } from './cors.ts'
import type { Operation } from './operation.ts'
import type { RequestContext } from './request-context.ts'

/** The response of an operation. */
export const serialize = (context: RequestContext, operation: Operation, result: unknown): ResponseData => {
  const { getBehavior, behaviors, options, req, project } = context
  const text = operation.view(result, {
    provider: options.provider,
    timestampPrecision: behaviors.timestampPrecision,
    payUrl: options.payUrl(project, getOrigin(req.url)),
  })
  // Before the headers, which list every behavior that was looked up.
  const status = operation.creates ? getBehavior('createStatus') : operation.status
  return { status, headers: { 'content-type': json, ...contextHeaders(context) }, text }
}

/** The headers of every response: the id of the request, the behaviors that decided it, and those for browser clients. */
export const contextHeaders = ({ requestId, behaviors, assumed, options, req }: RequestContext) => {
  const headers: Record<string, string> = { 'mock-request-id': requestId }
  if (assumed.length > 0) headers['mock-assumed'] = assumed.map((key) => `${key}=${behaviors[key]}`).join(', ')
  return options.cors === undefined ? headers : { ...headers, ...corsHeaders(options.cors, req.header('origin')) }
}

/** The settings that change the JSON of a record. */
export interface ViewSettings {
  /** The name of the provider in the mocked API. */
  readonly provider: string
  readonly timestampPrecision: 'milliseconds' | 'seconds'
  /** The address of the project's payment pages. It is not stored, so that a restored state works on another port. */
  readonly payUrl: string
}

type Time = string | null

/** A time in the precision of the project. */
export const formatTime = (time: Time, { timestampPrecision }: Pick<ViewSettings, 'timestampPrecision'>): Time =>
  time === null || timestampPrecision === 'milliseconds' ? time : time.replace(/\.\d+Z$/, 'Z')

/** A user in the mocked API. Spec §2.2. */
const shownUser = (user: User, settings: ViewSettings) => ({ ...user, createdAt: formatTime(user.createdAt, settings) })

/** A payment link in the mocked API: without the payer, and with the name of the provider. Spec §2.3. */
const shownPaymentLink = (link: StoredPaymentLink, settings: ViewSettings) => ({
  object: link.object,
  id: link.id,
  canceledAt: formatTime(link.canceledAt, settings),
  completedAt: formatTime(link.completedAt, settings),
  createdAt: formatTime(link.createdAt, settings),
  [settings.provider]: link.partner,
  invoice: link.invoice,
  paymentUrl: `${settings.payUrl}/${encodeURIComponent(link.id)}`,
  status: link.status,
  type: settings.provider,
})

/** The JSON of a record, and what it was made with. */
interface CachedJson {
  readonly text: string
  readonly settings: ViewSettings
}

const areEqual = (a: ViewSettings, b: ViewSettings): boolean =>
  a.provider === b.provider && a.timestampPrecision === b.timestampPrecision && a.payUrl === b.payUrl

/** Caches the JSON of each record: a record never changes. */
const cached = <T extends object>(view: (record: T, settings: ViewSettings) => unknown) => {
  const texts = new WeakMap<T, CachedJson>()
  return (record: T, settings: ViewSettings): string => {
    const known = texts.get(record)
    if (known !== undefined && areEqual(known.settings, settings)) return known.text
    const text = JSON.stringify(view(record, settings))
    texts.set(record, { text, settings })
    return text
  }
}

export const viewUser = cached(shownUser)
export const viewPaymentLink = cached(shownPaymentLink)

/** Returns the JSON object of a list: its items and cursors. Spec §2.4. */
export const viewList = <T>(
  { items, moreItemsAfter, moreItemsBefore }: Page<T>,
  view: (item: T, settings: ViewSettings) => string,
  settings: ViewSettings,
): string => {
  let records = ''
  for (const item of items) records += records === '' ? view(item, settings) : `,${view(item, settings)}`
  return `{"object":"list","items":[${records}],"moreItemsAfter":${markerOf(moreItemsAfter)},"moreItemsBefore":${markerOf(moreItemsBefore)}}`
}

const markerOf = (id: string | null): string => (id === null ? 'null' : JSON.stringify(id))
