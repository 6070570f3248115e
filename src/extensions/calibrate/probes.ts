import { type BehaviorKey, behaviorKeys } from '../../schema/behavior.ts'
import { paymentLinkProbes } from './payment-link-probes.ts'
import type { Probe, SharedResource } from './probe.ts'
import { requestProbes } from './request-probes.ts'
import { userProbes } from './user-probes.ts'

/** The behaviors that cannot be probed with one project, one token and one invoice. */
export const notProbeable = {
  wrongProjectToken: 'needs an existing project that the token is not valid for',
} as const satisfies Partial<Record<BehaviorKey, string>>

export type ProbeKey = Exclude<BehaviorKey, keyof typeof notProbeable>

/**
 * The probe of each behavior, in the order of a run: it finds out the value of the behavior in a real service. Payment links
 * come first, because an invalid invoice ends the run before users are created.
 */
export const probes = { ...paymentLinkProbes, ...userProbes, ...requestProbes } satisfies Record<ProbeKey, Probe>

/** The keys of the probes in the order of the registry. */
export const probeKeys = behaviorKeys.filter((key): key is ProbeKey => key in probes)

const runOrder = Object.keys(probes)

/** Returns the keys in the order of a run. */
export const sortByRunOrder = (keys: readonly ProbeKey[]): readonly ProbeKey[] =>
  keys.toSorted((a, b) => runOrder.indexOf(a) - runOrder.indexOf(b))

/** The plan of a run. */
export type CalibrationPlan = ReturnType<typeof planProbes>

/** Returns the requests of these probes and the records that remain. Sends nothing. */
export const planProbes = (keys: readonly ProbeKey[]) => {
  const all = sortByRunOrder(keys).map((key): { key: ProbeKey } & Probe => ({ key, ...probes[key] }))
  const countShared = (name: SharedResource) => (all.some(({ uses }) => uses?.includes(name)) ? 1 : 0)
  return {
    /** The request before all probes. */
    first: 'GET /users?limit=1, to check the address and the token',
    /** The requests that protect the records of others. */
    always: [
      'GET /paymentLinks for an invoice, before the first link for it',
      'GET of each record after it is created, and before each PATCH, cancel and DELETE',
      'POST /users/search and GET /paymentLinks at the end, to find what is left',
    ],
    probes: all.map(({ key, uses = [], requests = [], ...probe }) => ({
      key,
      requests: [...uses.map((name) => shared[name]), ...requests],
      leaves: describeLeftovers({ uses, ...probe }),
    })),
    /** The maximum number of users that are created. They are deleted. */
    users: all.reduce((sum, { users = 0 }) => sum + users, countShared('user')),
    /** The maximum number of payment links that are created. They can be canceled but not deleted. */
    paymentLinks: countShared('link') + Math.max(0, ...all.map(({ links = 0 }) => links)),
    needsInvoice: countShared('link') > 0,
    /** Other records that may remain. */
    leaves: all.flatMap(({ leaves }) => leaves ?? []),
  }
}

const shared: Readonly<Record<SharedResource, string>> = {
  user: 'POST /users (shared)',
  link: 'POST /paymentLinks for the invoice (shared)',
  rejection: 'POST /users with an invalid body, twice (shared)',
}

const describeLeftovers = ({ uses = [], users = 0, links = 0, leaves }: Probe): string => {
  const ownUsers = users + (uses.includes('user') ? 1 : 0)
  const ownLinks = links + (uses.includes('link') ? 1 : 0)
  const parts = [
    ...(ownUsers > 0 ? [`${formatMaxCount(ownUsers, 'user')}, deleted at the end`] : []),
    ...(ownLinks > 0 ? [`${formatMaxCount(ownLinks, 'payment link')}, canceled at the end`] : []),
    ...(leaves === undefined ? [] : [leaves]),
  ]
  return parts.join('; ') || 'nothing'
}

/** Formats a maximum number, such as `up to 2 users`. */
export const formatMaxCount = (count: number, what: string): string =>
  count === 1 ? `1 ${what}` : `up to ${count} ${what}s`
