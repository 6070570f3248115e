import type { Effect } from '../schema/fault.ts'

/** A rate limit after a request of a project. */
export interface RateLimit {
  /** How many requests a window allows, and its length in milliseconds. */
  readonly limit: number
  readonly window: number
  readonly remaining: number
  /** The time until the next window, in milliseconds of the mock clock. */
  readonly wait: number
  readonly isExceeded: boolean
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

/** Counts the requests of each project in fixed windows. */
export const createRateLimiter = ({ limit, window }: NonNullable<Effect['rateLimit']>) => {
  const windows = new Map<string, { readonly start: number; readonly count: number }>()
  const getWindow = (project: string, now: number) => {
    const open = windows.get(project)
    // A clock that was set back starts another window too.
    return open !== undefined && now >= open.start && now < open.start + window ? open : { start: now, count: 0 }
  }
  const toRateLimit = (start: number, count: number, now: number): RateLimit => ({
    limit,
    window,
    remaining: Math.max(0, limit - count),
    wait: start + window - now,
    isExceeded: count > limit,
  })
  return {
    /** Counts a request. */
    count: (project: string, now: number): RateLimit => {
      const { start, count } = getWindow(project, now)
      windows.set(project, { start, count: count + 1 })
      return toRateLimit(start, count + 1, now)
    },
    /** Returns the limit without counting a request. */
    get: (project: string, now: number): RateLimit => {
      const { start, count } = getWindow(project, now)
      return toRateLimit(start, count, now)
    },
    reset: (project?: string): void => {
      if (project === undefined) windows.clear()
      else windows.delete(project)
    },
  }
}
