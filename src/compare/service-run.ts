// The calls of a program, and facts that follow from all of them together.
import { StoredPaymentLink } from '../core/schema/payment-link.ts'
import { findFreshness, type Freshness } from './list-lag.ts'
import { type Exchange, getEmail, parseTime, readServiceCall, type ServiceCall } from './recorded-calls.ts'

/** The maximum difference between the time of a change and the time of its call, in milliseconds. */
const maxSkew = 5 * 60_000

/** Whether a time by the clock of the service may lie within a call. */
export const isDuring = ({ start, end }: Exchange, time: number, { skew }: ServiceRun): boolean =>
  time - skew >= start - maxSkew && time - skew <= end + maxSkew

/** The calls of a run, in the order of their responses. */
export interface ServiceRun {
  readonly calls: readonly ServiceCall[]
  /** The overlapping calls that may have changed the response to each call. */
  readonly overlapping: ReadonlyMap<ServiceCall, readonly ServiceCall[]>
  /** The projects in which each token was accepted. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>
  /** The invoices of the links in each project. They exist even before the service shows them. */
  readonly invoices: ReadonlyMap<string, ReadonlySet<string>>
  /** How far the clock of the service is ahead of this machine, in milliseconds. 0 if unknown. */
  readonly skew: number
  /** The list that shows the most recent change. Undefined if lists may lag behind. */
  readonly freshness: Freshness | undefined
}

export const readRun = (exchanges: readonly Exchange[], provider: string): ServiceRun => {
  const endedExchanges = exchanges.toSorted((a, b) => a.end - b.end)
  const calls = endedExchanges.map((exchange, index) => readServiceCall(exchange, index + 1, provider))
  const accepted = new Map<string, Set<string>>()
  const invoices = new Map<string, Set<string>>()
  const addAccepted = (acceptedSets: Map<string, Set<string>>, key: string, value: string) =>
    acceptedSets.set(key, (acceptedSets.get(key) ?? new Set()).add(value))
  for (const { token, project, status, operation, kind, shownRecords } of calls) {
    if (operation !== undefined && token !== undefined && status >= 200 && status < 300)
      addAccepted(accepted, token, project)
    for (const link of kind === 'paymentLinks' ? shownRecords : []) {
      const { data } = StoredPaymentLink.shape.invoice.safeParse(link.invoice)
      if (data !== undefined) addAccepted(invoices, project, data)
    }
  }
  const overlapping = findOverlapping(calls)
  const freshness = findFreshness(calls, overlapping)
  return { calls, overlapping, accepted, invoices, skew: findSkew(calls), freshness }
}

/** Returns the smallest skew of all creates, because a replayed response has the creation time of an earlier run. */
const findSkew = (calls: readonly ServiceCall[]): number =>
  calls
    .flatMap(({ isCreate, shownRecords, end }) =>
      isCreate ? shownRecords.map(({ createdAt }) => parseTime(createdAt) - end) : [],
    )
    .toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0

const findOverlapping = (calls: readonly ServiceCall[]): Map<ServiceCall, ServiceCall[]> => {
  const overlapping = new Map<ServiceCall, ServiceCall[]>(calls.map((call) => [call, []]))
  let runningCalls: ServiceCall[] = []
  for (const call of calls.toSorted((a, b) => a.start - b.start)) {
    runningCalls = runningCalls.filter(({ end }) => end > call.start)
    for (const otherCall of runningCalls) {
      if (affectsResponse(otherCall, call)) overlapping.get(call)?.push(otherCall)
      if (affectsResponse(call, otherCall)) overlapping.get(otherCall)?.push(call)
    }
    runningCalls.push(call)
  }
  return overlapping
}

/** Whether the response to a call may depend on a call that overlaps it. */
const affectsResponse = (otherCall: ServiceCall, call: ServiceCall): boolean => {
  if (!otherCall.isWrite || otherCall.project !== call.project) return false
  if (call.isList) return otherCall.kind === call.kind && !isUnrelatedSearch(call, otherCall)
  if (call.id !== undefined && call.id === otherCall.id) return true
  if (call.key !== undefined && call.key === otherCall.key) return true
  const email = getEmail(call.sentFields)
  return call.isWrite && email !== undefined && email === getEmail(otherCall.sentFields)
}

/** Whether a search cannot find the user of a write, before or after it, however emails are compared. */
const isUnrelatedSearch = (search: ServiceCall, write: ServiceCall): boolean => {
  const email = getEmail(search.sentFields)
  if (search.operation !== 'searchUsers' || email === undefined) return false
  // The user may have had a matching email before.
  if (!write.isCreate && 'email' in write.sentFields) return false
  const foundEmails = [write.sentFields, ...write.shownRecords].flatMap((fields) => getEmail(fields) ?? [])
  return foundEmails.length > 0 && !foundEmails.some((found) => found.includes(email))
}
