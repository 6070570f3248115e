import { type BehaviorKey, behaviorKeys } from '../schema/behavior.ts'
import { metadataProbes } from './metadata.ts'
import { paymentLinkProbes } from './payment-links.ts'
import type { Probes } from './probe.ts'
import { requestProbes } from './requests.ts'
import { userProbes } from './users.ts'

/** The behaviors that one project, one token and one invoice do not show, and what it would take. */
export const unseen = {
  foreignToken: 'needs a project that is there and that the token is not for',
} as const satisfies Partial<Record<BehaviorKey, string>>

export type SeenKey = Exclude<BehaviorKey, keyof typeof unseen>

/**
 * How each other behavior is seen, in the order in which they are asked: payment links first,
 * because a bad invoice shall end the run before users are made.
 */
export const probes: Probes<SeenKey> = { ...paymentLinkProbes, ...userProbes, ...metadataProbes, ...requestProbes }

/** The keys that can be seen, as the registry lists them. */
export const seenKeys = behaviorKeys.filter((key): key is SeenKey => key in probes)

/** The keys in the order in which they are asked. */
export const askedKeys = Object.keys(probes) as SeenKey[]
