import { StoredPaymentLink } from '../core/schema/payment-link.ts'
import { findFreshness, type Freshness } from './list-lag.ts'
import { type Exchange, getEmail, parseTime, readServiceCall, type ServiceCall } from './recorded-calls.ts'

/** How far a time from the service may be outside the call that set it, because the clocks differ, in milliseconds. */
const clockTolerance = 5 * 60_000

/** Whether a time on the service's clock may lie within a call. */
export const isDuring = ({ start, end }: Exchange, time: number, { skew }: ServiceRun): boolean =>
  time - skew >= start - clockTolerance && time - skew <= end + clockTolerance

/** The calls of a program, and facts that can only be derived from all of them together. */
export interface ServiceRun {
  /** In the order in which they ended. */
  readonly calls: readonly ServiceCall[]
  /** For each call, the concurrent calls that may have affected its response. */
  readonly overlapping: ReadonlyMap<ServiceCall, readonly ServiceCall[]>
  /** For each token, the projects for which the service accepted it. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>
  /** For each project, the invoices of its links. The mock knows them from the start, because a link needs its invoice. */
  readonly invoices: ReadonlyMap<string, ReadonlySet<string>>
  /** How far the service's clock is ahead of this machine's, in milliseconds. 0 if unknown. */
  readonly skew: number
  /** Proof that lists are fresh. Undefined if they may lag behind. */
  readonly freshness: Freshness | undefined
}

export const readRun = (exchanges: readonly Exchange[], provider: string): ServiceRun => {
  const endedExchanges = exchanges.toSorted((a, b) => a.end - b.end)
  const calls = endedExchanges.map((exchange, index) => readServiceCall(exchange, index + 1, provider))
  const accepted = new Map<string, Set<string>>()
  const invoices = new Map<string, Set<string>>()
  const addToSet = (sets: Map<string, Set<string>>, key: string, value: string) =>
    sets.set(key, (sets.get(key) ?? new Set()).add(value))
  for (const { token, project, status, operation, kind, shownRecords } of calls) {
    if (operation !== undefined && token !== undefined && status >= 200 && status < 300)
      addToSet(accepted, token, project)
    for (const link of kind === 'paymentLinks' ? shownRecords : []) {
      const { data } = StoredPaymentLink.shape.invoice.safeParse(link.invoice)
      if (data !== undefined) addToSet(invoices, project, data)
    }
  }
  const overlapping = findOverlapping(calls)
  const freshness = findFreshness(calls, overlapping)
  return { calls, overlapping, accepted, invoices, skew: findSkew(calls), freshness }
}

/** Returns the skew closest to zero of all creates, because a create replayed from an earlier run has an old creation time. */
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
      if (mayAffectResponse(otherCall, call)) overlapping.get(call)?.push(otherCall)
      if (mayAffectResponse(call, otherCall)) overlapping.get(otherCall)?.push(call)
    }
    runningCalls.push(call)
  }
  return overlapping
}

const mayAffectResponse = (otherCall: ServiceCall, call: ServiceCall): boolean => {
  if (!otherCall.isWrite || otherCall.project !== call.project) return false
  if (call.isList) return otherCall.kind === call.kind && !isUnrelatedSearch(call, otherCall)
  if (call.id !== undefined && call.id === otherCall.id) return true
  if (call.key !== undefined && call.key === otherCall.key) return true
  const email = getEmail(call.sentFields)
  return call.isWrite && email !== undefined && email === getEmail(otherCall.sentFields)
}

/** Whether a search cannot find the written user before or after the write, whatever the value of `searchMatch`. */
const isUnrelatedSearch = (search: ServiceCall, write: ServiceCall): boolean => {
  const email = getEmail(search.sentFields)
  if (search.operation !== 'searchUsers' || email === undefined) return false
  // The user may have had a matching email before the update.
  if (!write.isCreate && 'email' in write.sentFields) return false
  const foundEmails = [write.sentFields, ...write.shownRecords].flatMap((fields) => getEmail(fields) ?? [])
  return foundEmails.length > 0 && !foundEmails.some((found) => found.includes(email))
}
