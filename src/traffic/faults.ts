import { deriveId } from '../domain/ids.ts'
import { redactedHeaders } from '../domain/tokens.ts'
import { MockError } from '../schema/error.ts'
import type { Effect, Fault, FaultRule } from '../schema/fault.ts'
import { createBodyReader, matches, withoutSecrets } from './matching.ts'
import type { MatchableRequest } from './record.ts'

/** A fault that applies to a request. */
export interface AppliedFault {
  readonly id: string
  readonly rule: FaultRule
  /** Set if the fault is a rate limit that was exceeded. */
  readonly limited: RateLimitExceeded | undefined
}

export interface RandomSource {
  /** Returns the next random number of the project, from 0 to below 1. */
  readonly draw: (project: string) => number
  /** Returns the time of the project in milliseconds since 1970. */
  readonly now: (project: string) => number
}

/** The faults for single projects and for all projects. */
export interface Faults {
  add(rule: FaultRule, project?: string): Fault
  /** Returns the faults of one project, or all faults. */
  list(project?: string): Fault[]
  get(id: string, project?: string): Fault
  remove(id: string, project?: string): void
  removeAll(project?: string): void
  /** Removes all faults, and restarts their ids. */
  reset(project?: string): void
  /** Returns true if a fault could apply to a request to this project. */
  mayApply(project: string): boolean
  /** Returns the newest fault that applies to this request, and counts a hit. */
  choose(request: MatchableRequest): AppliedFault | undefined
  /** Restarts the rate limits of a project whose state was replaced. */
  replaced(project?: string): void
}

interface StoredFault {
  readonly id: string
  readonly project: string | undefined
  readonly rule: FaultRule
  readonly rateLimiter: RateLimiter | undefined
  skipped: number
  hits: number
}

export const createFaults = ({ draw, now }: RandomSource): Faults => {
  // The newest first: it applies first.
  let faults: readonly StoredFault[] = []
  const counts = new Map<string | undefined, number>()
  const isIn = (project: string | undefined) => (fault: StoredFault) =>
    project === undefined || fault.project === project
  const find = (id: string, project: string | undefined): StoredFault => {
    const known = faults.filter(isIn(project))
    const fault = known.find((one) => one.id === id)
    if (fault === undefined) throw new MockError('faultNotFound', `No fault '${id}'.`, { hint: hintOf(known) })
    return fault
  }
  const removeAll = (project?: string) => {
    faults = faults.filter((fault) => !isIn(project)(fault))
  }
  /** Counts a match of a fault. Returns the applied fault, unless the rule skips this match. */
  const apply = (fault: StoredFault, project: string): AppliedFault | undefined => {
    const { id, rule, rateLimiter } = fault
    const { skip = 0, probability = 1 } = rule
    if (fault.skipped < skip) {
      fault.skipped++
      return undefined
    }
    if (probability < 1 && draw(project) >= probability) return undefined
    const limited = rateLimiter?.count(project, now(project))
    if (rateLimiter !== undefined && limited === undefined) return undefined
    fault.hits++
    return { id, rule, limited }
  }
  return {
    add: (given, project) => {
      const rule = given.match === undefined ? given : { ...given, match: withoutSecrets(given.match) }
      const count = counts.get(project) ?? 0
      counts.set(project, count + 1)
      const id = deriveId('faults', project ?? '', 'flt', count)
      const { rateLimit } = rule.effect
      const rateLimiter = rateLimit && createRateLimiter(rateLimit)
      const fault: StoredFault = { id, project, rule, rateLimiter, skipped: 0, hits: 0 }
      faults = [fault, ...faults]
      return viewOf(fault)
    },
    list: (project) => faults.filter(isIn(project)).toReversed().map(viewOf),
    get: (id, project) => viewOf(find(id, project)),
    remove: (id, project) => {
      const removed = find(id, project)
      faults = faults.filter((fault) => fault !== removed)
    },
    removeAll,
    reset: (project) => {
      removeAll(project)
      if (project === undefined) counts.clear()
      else counts.delete(project)
    },
    mayApply: (project) => faults.some((fault) => fault.project === undefined || fault.project === project),
    choose: (request) => {
      const { project } = request
      const readBody = createBodyReader()
      for (const fault of faults) {
        if (fault.project !== undefined && fault.project !== project) continue
        if (remainingOf(fault) === 0 || !matches(fault.rule.match ?? {}, request, readBody)) continue
        const applied = apply(fault, project)
        if (applied !== undefined) return applied
      }
      return undefined
    },
    replaced: (project) => {
      for (const { rateLimiter } of faults) rateLimiter?.reset(project)
    },
  }
}

const remainingOf = ({ rule, hits }: StoredFault): number | null => {
  if (rule.times === null || rule.effect.rateLimit !== undefined) return null
  return (rule.times ?? 1) - hits
}

/** The fault as it is read. Headers of its response may contain secrets, which only clients receive. */
const viewOf = (fault: StoredFault): Fault => ({
  ...fault.rule,
  effect: redactedEffect(fault.rule.effect),
  id: fault.id,
  project: fault.project ?? null,
  hits: fault.hits,
  remaining: remainingOf(fault),
})

const redactedEffect = (effect: FaultRule['effect']): FaultRule['effect'] =>
  effect.headers === undefined ? effect : { ...effect, headers: redactedHeaders(effect.headers) }

const hintOf = (faults: readonly StoredFault[]): string => {
  const ids = faults.slice(0, 5).map(({ id }) => id)
  return ids.length === 0 ? 'There are no faults.' : `Known faults: ${ids.join(', ')}.`
}

/** The details of a request that exceeds a rate limit. */
export interface RateLimitExceeded {
  readonly limit: number
  /** The time until the next window, in milliseconds of the mock clock. */
  readonly wait: number
}

interface RateLimiter {
  /** Counts a request. Returns undefined if it is within the limit. */
  count(project: string, now: number): RateLimitExceeded | undefined
  reset(project?: string): void
}

/** Counts the requests of each project in fixed windows. */
const createRateLimiter = ({ limit, window }: NonNullable<Effect['rateLimit']>): RateLimiter => {
  const windows = new Map<string, { readonly start: number; readonly count: number }>()
  return {
    count: (project, now) => {
      const open = windows.get(project)
      // A clock that was set back starts another window too.
      const isOpen = open !== undefined && now >= open.start && now < open.start + window
      const start = isOpen ? open.start : now
      const count = isOpen ? open.count + 1 : 1
      windows.set(project, { start, count })
      return count <= limit ? undefined : { limit, wait: start + window - now }
    },
    reset: (project) => {
      if (project === undefined) windows.clear()
      else windows.delete(project)
    },
  }
}
