import { errors } from '../schema/error.ts'
import { deriveId } from '../domain/ids.ts'
import type { Store } from '../domain/store.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import { readOperations } from '../schema/operation-routes.ts'
import type { Waits } from './waits.ts'
import { createBodyReader, type PreparedMatcher, prepareMatcher, redactMatcher } from './matching.ts'
import { type MatchableRequest, redactHeaders } from './journal.ts'

export interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  /** The time until the next window, in milliseconds of the mock clock. */
  readonly wait: number
  readonly isExceeded: boolean
}

export type AppliedFault = Pick<StoredFault, 'id' | 'rule'>

export interface FaultChoice {
  /** The newest fault that applies. A hit is counted. */
  readonly applied: AppliedFault | undefined
  /** The newest rate limit that matches, even if it is not exceeded or another fault applies. */
  readonly rateLimit: RateLimitState | undefined
}

/** The faults of one project, newest first, and the number of faults it ever had. */
export interface ProjectFaults {
  readonly count: number
  readonly faults: readonly SavedFault[]
}

type SavedFault = Pick<StoredFault, 'id' | 'rule' | 'skipped' | 'hits'>

interface StoredFault {
  readonly id: string
  readonly project: string | undefined
  readonly rule: FaultRule
  readonly matcher: PreparedMatcher
  /** For a rate limit: when the window of each project began, and its requests. */
  readonly windows: Map<string, { readonly start: number; readonly count: number }>
  skipped: number
  hits: number
}

type FaultStore = Pick<Store, 'draw' | 'clock'>

export const createFaults = (store: FaultStore, waits: Pick<Waits, 'countHeld' | 'release' | 'notifyHeld'>) => {
  // Newest first: the newest fault that matches applies.
  let faults: readonly StoredFault[] = []
  const faultCounts = new Map<string | undefined, number>()
  const isOfProject = (project: string | undefined) => (fault: StoredFault) =>
    project === undefined || fault.project === project
  // All faults may match the same request.
  const readBody = createBodyReader()
  const createStoredFault = (project: string | undefined, saved: SavedFault): StoredFault => {
    const matcher = prepareMatcher(saved.rule.match ?? {}, readBody)
    return { ...saved, project, matcher, windows: new Map() }
  }
  const findFault = (id: string, project: string | undefined): StoredFault => {
    const projectFaults = faults.filter(isOfProject(project))
    const fault = projectFaults.find((one) => one.id === id)
    if (fault !== undefined) return fault
    const firstIds = projectFaults.slice(0, 5).map((one) => one.id)
    throw errors.faultNotFound(id, firstIds)
  }
  /** Redacts the headers of the response: they may contain secrets, which only clients receive. */
  const toFault = (fault: StoredFault): Fault => ({
    ...fault.rule,
    effect: redactEffect(fault.rule.effect),
    id: fault.id,
    project: fault.project ?? null,
    hits: fault.hits,
    remaining: getRemaining(fault),
    ...(fault.rule.effect.hold && { held: waits.countHeld(fault.id) }),
  })
  const dropFaults = (isDropped: (fault: StoredFault) => boolean) => {
    for (const { id } of faults.filter(isDropped)) waits.release(id)
    faults = faults.filter((fault) => !isDropped(fault))
    waits.notifyHeld()
  }
  return {
    add: (givenRule: FaultRule, project?: string): Fault => {
      const rule = givenRule.match === undefined ? givenRule : { ...givenRule, match: redactMatcher(givenRule.match) }
      const count = faultCounts.get(project) ?? 0
      faultCounts.set(project, count + 1)
      // The count starts again after a reset. The rule keeps the id of an old fault from belonging to a different one.
      const id = deriveId(`faults ${JSON.stringify(rule)}`, project ?? '', 'flt', count)
      const fault = createStoredFault(project, { id, rule, skipped: 0, hits: 0 })
      faults = [fault, ...faults]
      return toFault(fault)
    },
    list: (project?: string): Fault[] => faults.filter(isOfProject(project)).toReversed().map(toFault),
    get: (id: string, project?: string): Fault => toFault(findFault(id, project)),
    /** Releases the oldest requests that a fault holds. Throws `invalidBody` if its effect is not a hold. */
    release: (id: string, count: number | undefined, project?: string): Fault => {
      const fault = findFault(id, project)
      requireHold(toFault(fault))
      waits.release(id, count)
      return toFault(fault)
    },
    remove: (id: string, project?: string): void => {
      const removedFault = findFault(id, project)
      dropFaults((fault) => fault === removedFault)
    },
    removeAll: (project?: string): void => dropFaults(isOfProject(project)),
    reset: (project?: string): void => {
      dropFaults(isOfProject(project))
      if (project === undefined) faultCounts.clear()
      else faultCounts.delete(project)
    },
    mayApply: (project: string): boolean =>
      faults.some((fault) => fault.project === undefined || fault.project === project),
    choose: (request: MatchableRequest): FaultChoice => chooseFault(faults, request, store),
    /** Returns the faults of one project, for a storage. Undefined if it never had a fault. */
    getOwn: (project: string): ProjectFaults | undefined => {
      const count = faultCounts.get(project)
      const projectFaults = faults.filter((fault) => fault.project === project)
      return count === undefined
        ? undefined
        : { count, faults: projectFaults.map(({ id, rule, skipped, hits }) => ({ id, rule, skipped, hits })) }
    },
    /** Sets the faults that `getOwn` returned. Their rate limits restart. */
    restore: (project: string, projectFaults: ProjectFaults): void => {
      faultCounts.set(project, projectFaults.count)
      faults = [...projectFaults.faults.map((fault) => createStoredFault(project, fault)), ...faults]
    },
  }
}

export const noFault: FaultChoice = { applied: undefined, rateLimit: undefined }

const chooseFault = (faults: readonly StoredFault[], request: MatchableRequest, store: FaultStore): FaultChoice => {
  const { project } = request
  const now = store.clock.getTime(project)
  let rateLimit: RateLimitState | undefined
  for (const [index, fault] of faults.entries()) {
    if (!canApply(fault, request, now)) continue
    const choice = countMatch(fault, project, now, store)
    rateLimit = choice.rateLimit?.isExceeded ? choice.rateLimit : (rateLimit ?? choice.rateLimit)
    if (choice.applied === undefined) continue
    // After a fault that applies, an older one only shows its limit.
    const isLimit = (older: StoredFault) => older.rule.effect.rateLimit !== undefined && canApply(older, request, now)
    const olderLimit = faults.slice(index + 1).find(isLimit)
    return {
      applied: choice.applied,
      rateLimit: rateLimit ?? (olderLimit && readRateLimit(olderLimit, project, now, 0)),
    }
  }
  return { applied: undefined, rateLimit }
}

const countMatch = (fault: StoredFault, project: string, now: number, { draw }: FaultStore): FaultChoice => {
  const { skip = 0, probability = 1 } = fault.rule
  if (fault.skipped < skip) {
    fault.skipped++
    return noFault
  }
  if (probability < 1 && draw(project) >= probability) return noFault
  const rateLimit = readRateLimit(fault, project, now, 1)
  if (rateLimit?.isExceeded === false) return { applied: undefined, rateLimit }
  fault.hits++
  return { applied: fault, rateLimit }
}

/** The windows are fixed. @param countedRequests how many requests to count first */
const readRateLimit = (
  { rule, windows }: StoredFault,
  project: string,
  now: number,
  countedRequests: 0 | 1,
): RateLimitState | undefined => {
  if (rule.effect.rateLimit === undefined) return undefined
  const { limit, window } = rule.effect.rateLimit
  const openWindow = windows.get(project)
  // A clock that was set back starts another window too.
  const isWindowOpen = openWindow !== undefined && now >= openWindow.start && now < openWindow.start + window
  const start = isWindowOpen ? openWindow.start : now
  const count = (isWindowOpen ? openWindow.count : 0) + countedRequests
  if (countedRequests === 1) windows.set(project, { start, count })
  return { limit, remaining: Math.max(0, limit - count), wait: start + window - now, isExceeded: count > limit }
}

const getRemaining = ({ rule, hits }: StoredFault): number | null => {
  const { times = rule.from === undefined && rule.until === undefined ? 1 : null, effect } = rule
  return times === null || effect.rateLimit !== undefined ? null : times - hits
}

const canApply = (fault: StoredFault, request: MatchableRequest, now: number): boolean => {
  const { project, operation } = request
  if (fault.project !== undefined && fault.project !== project) return false
  if (getRemaining(fault) === 0 || !isInWindow(fault, now)) return false
  // Without an operation in its match, it must not use up its times on a write.
  const isRead = operation !== undefined && readOperations.includes(operation)
  return (isRead || fault.rule.effect.stale === undefined) && fault.matcher.matches(request)
}

const isInWindow = ({ rule: { from, until } }: StoredFault, now: number): boolean =>
  (from === undefined || now >= Date.parse(from)) && (until === undefined || now < Date.parse(until))

export const requireHold = ({ id, effect }: Pick<Fault, 'id' | 'effect'>): void => {
  if (effect.hold) return
  throw errors.invalidBody({
    message: `Fault '${id}' holds no requests: its effect has no hold.`,
    hint: 'Create it with { "effect": { "hold": true } }.',
  })
}

const redactEffect = (effect: FaultRule['effect']): FaultRule['effect'] =>
  effect.headers === undefined ? effect : { ...effect, headers: redactHeaders(effect.headers) }
