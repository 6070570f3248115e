import { deriveId } from '../domain/ids.ts'
import { redactedHeaders } from '../domain/tokens.ts'
import { MockError } from '../schema/error.ts'
import type { Effect, Fault, FaultRule } from '../schema/fault.ts'
import { createBodyReader, matches, withoutSecrets } from './matching.ts'
import type { MatchableRequest } from './record.ts'

/** A fault that applies to a request. */
interface Strike {
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

/** The faults of single projects and those of all projects, each with its number of hits. */
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
  choose(sighting: MatchableRequest & { readonly project: string }): Strike | undefined
  /** Restarts the rate limits of a project whose state was replaced. */
  replaced(project?: string): void
}

interface Rule {
  readonly id: string
  readonly project: string | undefined
  readonly rule: FaultRule
  readonly rateLimiter: RateLimiter | undefined
  skipped: number
  hits: number
}

export const createFaults = ({ draw, now }: RandomSource): Faults => {
  let rules: readonly Rule[] = []
  const made = new Map<string | undefined, number>()
  const isIn = (project: string | undefined) => (one: Rule) => project === undefined || one.project === project
  const find = (id: string, project: string | undefined): Rule => {
    const found = rules.find((one) => one.id === id && isIn(project)(one))
    if (found === undefined)
      throw new MockError('faultNotFound', `No fault '${id}'.`, { hint: hintOf(rules.filter(isIn(project))) })
    return found
  }
  const removeAll = (project?: string) => {
    rules = rules.filter((one) => !isIn(project)(one))
  }
  return {
    add: (given, project) => {
      const rule = given.match === undefined ? given : { ...given, match: withoutSecrets(given.match) }
      const count = made.get(project) ?? 0
      made.set(project, count + 1)
      const id = deriveId('faults', project ?? '', 'flt', count)
      const { rateLimit } = rule.effect
      const rateLimiter = rateLimit && createRateLimiter(rateLimit)
      const added: Rule = { id, project, rule, rateLimiter, skipped: 0, hits: 0 }
      // The newest fault applies first.
      rules = [added, ...rules]
      return faultOf(added)
    },
    list: (project) => rules.filter(isIn(project)).toReversed().map(faultOf),
    get: (id, project) => faultOf(find(id, project)),
    remove: (id, project) => {
      const found = find(id, project)
      rules = rules.filter((one) => one !== found)
    },
    removeAll,
    reset: (project) => {
      removeAll(project)
      if (project === undefined) made.clear()
      else made.delete(project)
    },
    mayApply: (project) => rules.some((one) => one.project === undefined || one.project === project),
    choose: (sighting) => {
      const { project } = sighting
      const readBody = createBodyReader()
      for (const one of rules) {
        if (one.project !== undefined && one.project !== project) continue
        if (remainingOf(one) === 0 || !matches(one.rule.match ?? {}, sighting, readBody)) continue
        if (one.skipped < (one.rule.skip ?? 0)) {
          one.skipped++
          continue
        }
        const { probability = 1 } = one.rule
        if (probability < 1 && draw(project) >= probability) continue
        const limited = one.rateLimiter?.count(project, now(project))
        if (one.rateLimiter !== undefined && limited === undefined) continue
        one.hits++
        return { id: one.id, rule: one.rule, limited }
      }
      return undefined
    },
    replaced: (project) => {
      for (const one of rules) one.rateLimiter?.reset(project)
    },
  }
}

const remainingOf = ({ rule, hits }: Rule): number | null => {
  if (rule.times === null || rule.effect.rateLimit !== undefined) return null
  return (rule.times ?? 1) - hits
}

// The client gets the headers as they were set. A reader of the fault sees no secrets.
const faultOf = (one: Rule): Fault => ({
  ...one.rule,
  effect: shownEffect(one.rule.effect),
  id: one.id,
  project: one.project ?? null,
  hits: one.hits,
  remaining: remainingOf(one),
})

const shownEffect = (effect: FaultRule['effect']): FaultRule['effect'] =>
  effect.headers === undefined ? effect : { ...effect, headers: redactedHeaders(effect.headers) }

const hintOf = (rules: readonly Rule[]): string =>
  rules.length === 0
    ? 'There is none.'
    : `There are: ${rules
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}.`

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
