import type { Effect } from '../schema/effect.ts'

/** The details of a request that exceeds a rate limit. */
export interface RateLimitExceeded {
  readonly limit: number
  /** The time until the next window, in milliseconds of the mock clock. */
  readonly wait: number
}

export interface RateLimiter {
  /** Counts a request. Returns undefined if it is within the limit. */
  count(project: string, now: number): RateLimitExceeded | undefined
  reset(project?: string): void
}

/** Counts the requests of each project in fixed windows. */
export const createRateLimiter = ({ limit, window }: NonNullable<Effect['rateLimit']>): RateLimiter => {
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
