// Collects facts from the whole run: overlapping calls, the projects of each token and the status of each link.
import type { ServiceCall } from './service-call.ts'

export interface RunOverview {
  /** The calls at the same time that may have changed the response of a call. */
  readonly overlapping: ReadonlyMap<ServiceCall, readonly ServiceCall[]>
  /** The projects in which each token was accepted. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>
  /** The status of each link, in the order in which it was shown. */
  readonly statuses: ReadonlyMap<string, readonly { readonly number: number; readonly status: unknown }[]>
}

export const createOverview = (calls: readonly ServiceCall[]): RunOverview => {
  const accepted = new Map<string, Set<string>>()
  const statuses = new Map<string, { number: number; status: unknown }[]>()
  for (const { token, project, status, operation, shown, kind, number } of calls) {
    if (operation !== undefined && token !== undefined && status >= 200 && status < 300)
      accepted.set(token, (accepted.get(token) ?? new Set()).add(project))
    if (kind === 'paymentLinks')
      for (const link of shown)
        statuses.set(link.id, [...(statuses.get(link.id) ?? []), { number, status: link.status }])
  }
  return { overlapping: findOverlapping(calls), accepted, statuses }
}

const findOverlapping = (calls: readonly ServiceCall[]): Map<ServiceCall, readonly ServiceCall[]> => {
  const overlapping = new Map<ServiceCall, ServiceCall[]>(calls.map((call) => [call, []]))
  const byStart = calls.toSorted((a, b) => a.start - b.start)
  byStart.forEach((call, index) => {
    for (let next = index + 1; next < byStart.length && byStart[next]!.start < call.end; next++) {
      const other = byStart[next]!
      if (affects(other, call)) overlapping.get(call)!.push(other)
      if (affects(call, other)) overlapping.get(other)!.push(call)
    }
  })
  return overlapping
}

/** Whether the response of a call may depend on another one at the same time. */
const affects = (other: ServiceCall, call: ServiceCall): boolean => {
  if (!other.isWrite || other.project !== call.project) return false
  if (call.isList) return other.kind === call.kind
  if (call.id !== undefined && call.id === other.id) return true
  if (call.key !== undefined && call.key === other.key) return true
  return call.isWrite && hasEmailOf(other, call)
}

const hasEmailOf = (other: ServiceCall, call: ServiceCall): boolean => {
  const [email, others] = [call.sent.email, other.sent.email]
  return typeof email === 'string' && typeof others === 'string' && email.toLowerCase() === others.toLowerCase()
}

/** The projects of a token as far as the run shows them. Undefined: the token is valid. */
export const findTokenProjects = (
  { status, token, project }: ServiceCall,
  { accepted }: RunOverview,
): readonly string[] | undefined => {
  if (token === undefined || ![401, 403, 404].includes(status)) return undefined
  const projects = accepted.get(token)
  if (projects?.has(project)) return undefined
  if (status !== 404) return [...(projects ?? [])]
  const isOfOther = [...accepted].some(([other, its]) => other !== token && its.has(project))
  return projects !== undefined && isOfOther ? [...projects] : undefined
}
