import type { BehaviorKey } from '../schema/behavior.ts'
import type { Probe, Shared } from './probe.ts'
import { askedKeys, probes, type SeenKey } from './probes.ts'

/** What one probe sends and leaves, before it is asked. */
interface PlannedProbe {
  readonly key: SeenKey
  readonly requests: readonly string[]
  readonly leaves: string
}

/** What a run is going to do. */
export interface CalibrationPlan {
  /** What is asked before any probe. */
  readonly first: string
  readonly probes: readonly PlannedProbe[]
  /** The most users that are made; they are deleted. */
  readonly users: number
  /** The most payment links that are made; they can be canceled, and not removed. */
  readonly paymentLinks: number
  readonly needsInvoice: boolean
  /** What else may stay. */
  readonly leaves: readonly string[]
}

const shared: Readonly<Record<Shared, string>> = {
  user: 'POST /users (shared)',
  link: 'POST /paymentLinks for the invoice (shared)',
  refusal: 'POST /users without an email, which is refused (shared)',
}

/** What asking for these keys takes. Nothing is sent. */
export const planOf = (keys: readonly SeenKey[]): CalibrationPlan => {
  const asked = askedKeys.filter((key) => keys.includes(key))
  const all: readonly Probe<BehaviorKey>[] = asked.map((key) => probes[key] as unknown as Probe<BehaviorKey>)
  const uses = (name: Shared) => (all.some((probe) => probe.uses?.includes(name)) ? 1 : 0)
  return {
    first: 'GET /users?limit=1, to see that the address and the token are right',
    probes: asked.map((key) => plannedProbe(key)),
    users: all.reduce((sum, { users = 0 }) => sum + users, uses('user')),
    paymentLinks: uses('link') + Math.max(0, ...all.map(({ links = 0 }) => links)),
    needsInvoice: uses('link') > 0,
    leaves: all.flatMap(({ leaves }) => leaves ?? []),
  }
}

const plannedProbe = (key: SeenKey): PlannedProbe => {
  const {
    uses = [],
    requests,
    users = 0,
    links = 0,
    leaves,
  }: Pick<Probe<BehaviorKey>, 'uses' | 'requests' | 'users' | 'links' | 'leaves'> = probes[key]
  const ownLinks = links + (uses.includes('link') ? 1 : 0)
  const ownUsers = users + (uses.includes('user') ? 1 : 0)
  const parts = [
    ...(ownUsers > 0 ? [`${countText(ownUsers, 'user')}, deleted at the end`] : []),
    ...(ownLinks > 0 ? [`${countText(ownLinks, 'payment link')}, canceled at the end`] : []),
    ...(leaves === undefined ? [] : [leaves]),
  ]
  return { key, requests: [...uses.map((name) => shared[name]), ...requests], leaves: parts.join('; ') || 'nothing' }
}

/** `up to 2 users` */
export const countText = (count: number, what: string): string =>
  count === 1 ? `1 ${what}` : `up to ${count} ${what}s`
