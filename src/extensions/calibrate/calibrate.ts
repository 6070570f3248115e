// Which behaviors are probed, what a run would send, and the run itself.
import { type BehaviorChoices, type BehaviorKey, behaviorKeys } from '../../schema/behavior.ts'
import { paymentLinkProbes } from './payment-link-probes.ts'
import { createProbeContext, type Probe, type ProbeContext, type SharedResource } from './probe.ts'
import { requestProbes } from './request-probes.ts'
import {
  CalibrationError,
  createMask,
  InconclusiveError,
  InterruptedError,
  isMaskable,
  type ServiceOptions,
} from './service.ts'
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
const probes = { ...paymentLinkProbes, ...userProbes, ...requestProbes } satisfies Record<ProbeKey, Probe>

/** The keys of the probes in the order of the registry. */
export const probeKeys = behaviorKeys.filter((key): key is ProbeKey => key in probes)

const runOrder = Object.keys(probes)

const sortByRunOrder = (keys: readonly ProbeKey[]): readonly ProbeKey[] =>
  keys.toSorted((a, b) => runOrder.indexOf(a) - runOrder.indexOf(b))

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

/** The result for one behavior, with the exchanges that show it. */
export type Finding = Awaited<ReturnType<typeof runProbe>>

interface CalibrateOptions extends ServiceOptions {
  /** The behaviors to probe. @default all of `probeKeys` */
  readonly keys?: readonly ProbeKey[] | undefined
  readonly onProgress?: (key: ProbeKey, index: number, of: number) => void
}

/** The results of a run, and the records that it did not delete. */
export type CalibrationReport = Awaited<ReturnType<typeof calibrate>>

/** Probes the behaviors of the service. Deletes or cancels the records it created, even after a failure or an interruption. */
export const calibrate = async (options: CalibrateOptions) => {
  const context = createProbeContext(options)
  const found = new Map<ProbeKey, Finding>()
  let ended: { readonly failure: string } | 'interrupted' | undefined
  let leftBehind: readonly string[] = []
  try {
    await context.checkAccess()
    const keys = sortByRunOrder(options.keys ?? probeKeys)
    for (const [index, key] of keys.entries()) {
      options.onProgress?.(key, index, keys.length)
      found.set(key, await runProbe(context, key))
    }
  } catch (error) {
    if (error instanceof InterruptedError) ended = 'interrupted'
    else if (error instanceof CalibrationError) ended = { failure: error.message }
    else throw error
  } finally {
    leftBehind = await context.cleanUp()
  }
  const findings = probeKeys.flatMap((key) => found.get(key) ?? [])
  const observed = findings.flatMap((one) => (one.outcome === 'observed' ? [[one.key, one.value]] : []))
  const report = {
    /** The observed values, as a seed contains them. */
    behaviors: Object.fromEntries(observed) as BehaviorChoices,
    /** In the order of the registry. */
    findings,
    /** Other differences from the specification. */
    unexpectedFields: context.listUnexpectedFields(),
    /** The behaviors that have no probe, and why. */
    notProbeable: notProbeable as Readonly<Record<string, string>>,
    /** The created payment links. They are canceled, since they cannot be deleted. */
    canceled: context.created.listCanceled(),
    /** A sentence for each record that was not deleted or canceled. */
    leftBehind,
    /** Why the run ended early. */
    ...(ended !== undefined && { ended }),
  }
  if (!isMaskable(options.token)) return report
  // A service may return the token anywhere: in an id, a time or a field name.
  const mask = createMask(options.token)
  const maskText = (_: string, value: unknown) => (typeof value === 'string' ? mask(value) : value)
  return JSON.parse(JSON.stringify(report), maskText) as typeof report
}

const runProbe = async (context: ProbeContext, key: ProbeKey) => {
  const probe: Probe = probes[key]
  const { exchanges, ...verdict } = await probe.run(context).catch((error: unknown) => {
    if (!(error instanceof InconclusiveError)) throw error
    return { outcome: 'inconclusive' as const, why: error.message, exchanges: error.exchanges }
  })
  return { key, ...verdict, exchanges: exchanges.map(({ shown }) => shown) }
}

/** A behavior that differs from its earlier value. */
export type BehaviorChange = ReturnType<typeof findDrift>[number]

/** Returns what differs from the known behaviors. An inconclusive finding is not a change. */
export const findDrift = (known: BehaviorChoices, { findings }: CalibrationReport) =>
  findings.flatMap((now) => {
    const was = known[now.key]
    if (was === undefined || now.outcome === 'inconclusive') return []
    return now.outcome === 'observed' && now.value === was ? [] : [{ key: now.key, was, now }]
  })
