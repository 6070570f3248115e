/** Faults, and when they apply. */
import { isObject, type Json } from './formats.ts'
import type { ModelResponse } from './model.ts'
import { createResponse, reject, type MockErrorShape } from './errors.ts'
import type { Past } from './state.ts'

/** A fault as it is sent. Other tests cover probabilities between 0 and 1 and hanging requests. */
export interface FaultRule {
  readonly match?: {
    readonly operation?: string
    readonly method?: string
    readonly project?: string
    readonly body?: Json
  }
  readonly skip?: number
  readonly times?: number | null
  readonly from?: string
  readonly until?: string
  readonly probability?: 0 | 1
  readonly phase?: 'before' | 'after'
  readonly effect: {
    /** A delay changes no response. */
    readonly delay?: { readonly milliseconds: number }
    readonly connection?: 'reset' | 'close'
    readonly status?: number
    readonly body?: Json
    readonly corrupt?: 'truncated' | 'malformed' | 'empty'
    readonly rateLimit?: { readonly limit: number; readonly window: number }
    readonly stale?: Past
    readonly duplicate?: true
  }
}

/** The parts of a request that a fault can match. */
interface Seen {
  readonly project: string
  readonly operation: string
  readonly method: string
  /** Undefined: not JSON, or too large. */
  readonly body: () => Json | undefined
}

interface Rule {
  readonly id: string
  /** Null: for all projects. */
  readonly project: string | null
  readonly rule: FaultRule
  skipped: number
  hits: number
  readonly windows: Map<string, { readonly start: number; readonly count: number }>
}

interface AppliedFault {
  readonly rule: FaultRule
  /** Milliseconds until the next window of a rate limit. */
  readonly wait: number | null
}

export interface Faults {
  add(rule: FaultRule, project: string | null, id: string): Json
  list(project: string | null): Json
  remove(id: string, project: string | null): void
  removeAll(project: string | null): void
  /** Starts new windows for a project whose state was replaced. */
  replaced(project: string | null): void
  applyFault(seen: Seen, now: number): AppliedFault | undefined
  ids(): readonly string[]
}

export function createFaults(): Faults {
  let rules: Rule[] = []
  const isIn = (project: string | null) => (one: Rule) => project === null || one.project === project
  return {
    add: (rule, project, id) => {
      const added = { id, project, rule, skipped: 0, hits: 0, windows: new Map() }
      rules.push(added)
      return toView(added)
    },
    list: (project) => ({ object: 'list', items: rules.filter(isIn(project)).map(toView) }),
    remove: (id, project) => {
      const found = rules.find((one) => one.id === id && isIn(project)(one)) ?? reject('faultNotFound')
      rules = rules.filter((one) => one !== found)
    },
    removeAll: (project) => void (rules = rules.filter((one) => !isIn(project)(one))),
    replaced: (project) => {
      for (const { windows } of rules) {
        if (project === null) windows.clear()
        else windows.delete(project)
      }
    },
    // The newest matching fault with applications left applies, one per request.
    applyFault: (seen, now) => {
      for (const one of rules.toReversed()) {
        const { rule } = one
        if ((one.project ?? seen.project) !== seen.project || remaining(one) === 0) continue
        if (!isWithin(rule, now) || !matches(rule, seen)) continue
        if (rule.effect.stale !== undefined && !reads.has(seen.operation)) continue
        if (one.skipped < (rule.skip ?? 0)) {
          one.skipped++
          continue
        }
        if (rule.probability === 0) continue
        const wait = rule.effect.rateLimit === undefined ? null : waitOf(one, seen.project, now)
        if (wait === 'within') continue
        one.hits++
        return { rule, wait }
      }
      return undefined
    },
    ids: () => rules.map(({ id }) => id),
  }
}

const reads = new Set(['listUsers', 'searchUsers', 'retrieveUser', 'listPaymentLinks', 'retrievePaymentLink'])

/** The response that replaces the operation; null if the operation continues. */
export function replaceFault({ rule: { effect }, wait }: AppliedFault): ModelResponse | null {
  if (wait !== null) {
    const seconds = String(Math.max(1, Math.ceil(wait / 1000)))
    return createResponse(429, null, {
      error: { type: 'rateLimited', code: 'rateLimited', details: null },
      headers: {
        'retry-after': seconds,
        'ratelimit-limit': String(effect.rateLimit!.limit),
        'ratelimit-remaining': '0',
        'ratelimit-reset': seconds,
      },
    })
  }
  const { status, body } = effect
  if (effect.connection !== undefined) return createResponse(0, null, { isBroken: true })
  if (status === undefined) return null
  if (body !== undefined) return createResponse(status, body)
  if (status === 204) return createResponse(204, null)
  const error: MockErrorShape = { type: typeOf(status), code: 'injectedFault', details: null }
  return createResponse(status, null, { error })
}

/** A window starts with its first request. Assumed: a clock that was set back also starts a new window. */
function waitOf({ rule, windows }: Rule, project: string, now: number): number | 'within' {
  const { limit, window } = rule.effect.rateLimit!
  const open = windows.get(project)
  const isOpen = open !== undefined && now >= open.start && now < open.start + window
  const start = isOpen ? open.start : now
  const count = isOpen ? open.count + 1 : 1
  windows.set(project, { start, count })
  return count <= limit ? 'within' : start + window - now
}

/** `until` is the first instant at which the fault no longer applies. */
function isWithin({ from, until }: FaultRule, now: number): boolean {
  const isBegun = from === undefined || now >= Date.parse(from)
  return isBegun && (until === undefined || now < Date.parse(until))
}

function matches({ match = {} }: FaultRule, { project, operation, method, body }: Seen): boolean {
  return (
    (match.operation ?? operation) === operation &&
    (match.method ?? method) === method &&
    (match.project ?? project) === project &&
    (match.body === undefined || isPart(match.body, body()))
  )
}

/** Whether all given members are equal. */
function isPart(part: Json, whole: Json | undefined): boolean {
  if (whole === undefined) return false
  if (!isObject(part)) return part === whole
  const members = isObject(whole) ? new Map(Object.entries(whole)) : new Map<string, Json>()
  return isObject(whole) && Object.entries(part).every(([key, value]) => isPart(value, members.get(key)))
}

/** Without `times`, a fault applies once; with a start or an end it applies to each request in between. */
function remaining({ rule, hits }: Rule): number | null {
  const { from, until, effect } = rule
  const { times = from === undefined && until === undefined ? 1 : null } = rule
  return times === null || effect.rateLimit !== undefined ? null : times - hits
}

function toView(one: Rule): Json {
  const { rule, id, project, hits } = one
  return { ...(rule as unknown as { readonly [key: string]: Json }), id, project, hits, remaining: remaining(one) }
}

function typeOf(status: number): string {
  const types = new Map([
    [401, 'unauthenticated'],
    [403, 'permissionDenied'],
    [404, 'notFound'],
    [409, 'conflict'],
    [429, 'rateLimited'],
  ])
  return types.get(status) ?? (status >= 500 ? 'internal' : 'invalidRequest')
}
