import { errors } from '../schema/error.ts'
import { deriveId } from '../domain/ids.ts'
import { redactHeaders } from '../domain/tokens.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import { readOperations } from '../schema/operation-routes.ts'
import type { PendingDelays } from './pending-delays.ts'
import { createBodyReader, type PreparedMatcher, prepareMatcher, redactMatcher } from './matching.ts'
import { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limiter.ts'
import type { MatchableRequest } from './record.ts'

/** A fault that applies to a request. */
export interface AppliedFault {
  readonly id: string
  readonly rule: FaultRule
}

/** The faults that concern a request. */
export interface FaultChoice {
  /** The newest fault that applies. A hit is counted. */
  readonly applied: AppliedFault | undefined
  /** The newest rate limit that matches, also if it is not exceeded or another fault applies. */
  readonly rateLimit: RateLimit | undefined
}

export interface RandomSource {
  /** Returns the next random number of the project, from 0 to below 1. */
  readonly draw: (project: string) => number
  /** Returns the time of the project in milliseconds since 1970. */
  readonly now: (project: string) => number
}

/** The faults of one project, newest first, and the number of faults it ever had. */
export interface ProjectFaults {
  readonly count: number
  readonly faults: readonly Pick<StoredFault, 'id' | 'rule' | 'skipped' | 'hits'>[]
}

interface StoredFault {
  readonly id: string
  readonly project: string | undefined
  readonly rule: FaultRule
  readonly matcher: PreparedMatcher
  readonly rateLimiter: RateLimiter | undefined
  skipped: number
  hits: number
}

/** Creates the faults for single projects and for all projects. */
export const createFaults = ({ draw, now }: RandomSource, waits: Pick<PendingDelays, 'countHeld' | 'release'>) => {
  // The newest first: it applies first.
  let faults: readonly StoredFault[] = []
  const counts = new Map<string | undefined, number>()
  const isIn = (project: string | undefined) => (fault: StoredFault) =>
    project === undefined || fault.project === project
  const find = (id: string, project: string | undefined): StoredFault => {
    const known = faults.filter(isIn(project))
    const fault = known.find((one) => one.id === id)
    if (fault === undefined)
      throw errors.faultNotFound(
        id,
        known.slice(0, 5).map((one) => one.id),
      )
    return fault
  }
  /** Converts a stored fault. The headers of its response may contain secrets, which only clients receive. */
  const toFault = (fault: StoredFault): Fault => ({
    ...fault.rule,
    effect: redactEffect(fault.rule.effect),
    id: fault.id,
    project: fault.project ?? null,
    hits: fault.hits,
    remaining: getRemaining(fault),
    ...(fault.rule.effect.hold && { held: waits.countHeld(fault.id) }),
  })
  const removeAll = (project?: string) => {
    for (const { id } of faults.filter(isIn(project))) waits.release(id)
    faults = faults.filter((fault) => !isIn(project)(fault))
  }
  /** Counts a match of a fault. The rule may skip this match. */
  const apply = (fault: StoredFault, project: string): FaultChoice => {
    const { id, rule, rateLimiter } = fault
    const { skip = 0, probability = 1 } = rule
    if (fault.skipped < skip) {
      fault.skipped++
      return noFault
    }
    if (probability < 1 && draw(project) >= probability) return noFault
    const rateLimit = rateLimiter?.count(project, now(project))
    if (rateLimit?.isExceeded === false) return { applied: undefined, rateLimit }
    fault.hits++
    return { applied: { id, rule }, rateLimit }
  }
  return {
    add: (given: FaultRule, project?: string): Fault => {
      const rule = given.match === undefined ? given : { ...given, match: redactMatcher(given.match) }
      const count = counts.get(project) ?? 0
      counts.set(project, count + 1)
      const id = deriveId('faults', project ?? '', 'flt', count)
      const fault = createStoredFault(project, { id, rule, skipped: 0, hits: 0 })
      faults = [fault, ...faults]
      return toFault(fault)
    },
    /** Returns the faults of one project, or all faults. */
    list: (project?: string): Fault[] => faults.filter(isIn(project)).toReversed().map(toFault),
    get: (id: string, project?: string): Fault => toFault(find(id, project)),
    /** Releases the oldest requests that a fault holds. Throws `invalidBody` if its effect is not a hold. */
    release: (id: string, count: number | undefined, project?: string): Fault => {
      const fault = find(id, project)
      requireHold(toFault(fault))
      waits.release(id, count)
      return toFault(fault)
    },
    /** Removes a fault, and releases the requests that it holds. */
    remove: (id: string, project?: string): void => {
      const removed = find(id, project)
      waits.release(id)
      faults = faults.filter((fault) => fault !== removed)
    },
    removeAll,
    /** Removes all faults, and restarts their ids. */
    reset: (project?: string): void => {
      removeAll(project)
      if (project === undefined) counts.clear()
      else counts.delete(project)
    },
    /** Returns true if a fault could apply to a request to this project. */
    mayApply: (project: string): boolean =>
      faults.some((fault) => fault.project === undefined || fault.project === project),
    /** Returns the fault that applies to this request, and its rate limit. */
    choose: (request: MatchableRequest): FaultChoice => {
      const { project } = request
      const readBody = createBodyReader()
      let { applied, rateLimit } = noFault
      for (const fault of faults) {
        if (fault.project !== undefined && fault.project !== project) continue
        // After a fault that applies, older ones only show their limit.
        if (applied !== undefined && (rateLimit !== undefined || fault.rateLimiter === undefined)) continue
        if (!canApply(fault, request, now(project)) || !fault.matcher.matches(request, readBody)) continue
        if (applied !== undefined) rateLimit = fault.rateLimiter?.get(project, now(project))
        else {
          const choice = apply(fault, project)
          applied = choice.applied
          rateLimit = choice.rateLimit?.isExceeded ? choice.rateLimit : (rateLimit ?? choice.rateLimit)
        }
      }
      return { applied, rateLimit }
    },
    /** Restarts the rate limits of a project whose state was replaced. */
    resetRateLimits: (project?: string): void => {
      for (const { rateLimiter } of faults) rateLimiter?.reset(project)
    },
    /** Returns the faults of one project, for a storage. Undefined if it never had a fault. */
    getOwn: (project: string): ProjectFaults | undefined => {
      const count = counts.get(project)
      const stored = faults.filter((fault) => fault.project === project)
      return count === undefined
        ? undefined
        : { count, faults: stored.map(({ id, rule, skipped, hits }) => ({ id, rule, skipped, hits })) }
    },
    /** Sets the faults that `getOwn` returned. Their rate limits restart. */
    restore: (project: string, own: ProjectFaults): void => {
      counts.set(project, own.count)
      faults = [...own.faults.map((fault) => createStoredFault(project, fault)), ...faults]
    },
  }
}

const noFault: FaultChoice = { applied: undefined, rateLimit: undefined }

const createStoredFault = (project: string | undefined, stored: ProjectFaults['faults'][number]): StoredFault => {
  const { match = {}, effect } = stored.rule
  const rateLimiter = effect.rateLimit && createRateLimiter(effect.rateLimit)
  return { ...stored, project, matcher: prepareMatcher(match), rateLimiter }
}

const getRemaining = ({ rule, hits }: StoredFault): number | null => {
  const { times = rule.from === undefined && rule.until === undefined ? 1 : null, effect } = rule
  return times === null || effect.rateLimit !== undefined ? null : times - hits
}

const canApply = (fault: StoredFault, { operation }: MatchableRequest, now: number): boolean => {
  if (getRemaining(fault) === 0 || !isInWindow(fault, now)) return false
  // Without an operation in its match, it must not use up its times on a write.
  return fault.rule.effect.stale === undefined || (operation !== undefined && readOperations.includes(operation))
}

const isInWindow = ({ rule: { from, until } }: StoredFault, now: number): boolean =>
  (from === undefined || now >= Date.parse(from)) && (until === undefined || now < Date.parse(until))

/** Throws unless the fault holds requests. */
export const requireHold = ({ id, effect }: Pick<Fault, 'id' | 'effect'>): void => {
  if (effect.hold) return
  throw errors.invalidBody({
    message: `Fault '${id}' holds no requests: its effect has no hold.`,
    hint: 'Create it with { "effect": { "hold": true } }.',
  })
}

const redactEffect = (effect: FaultRule['effect']): FaultRule['effect'] =>
  effect.headers === undefined ? effect : { ...effect, headers: redactHeaders(effect.headers) }
