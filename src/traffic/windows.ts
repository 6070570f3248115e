import type { Effect } from '../schema/fault.ts'

/** A request beyond a rate limit. */
export interface Limited {
  readonly limit: number
  /** Milliseconds until the next window, by the mock clock. */
  readonly wait: number
}

/** The windows of a rate limit, one for each project. */
export interface Windows {
  /** Counts a request: it is within the limit, or beyond it. Undefined where there is no limit. */
  take(project: string, now: (project: string) => number): 'within' | Limited | undefined
  forget(project?: string): void
}

export const createWindows = (rateLimit: Effect['rateLimit']): Windows => {
  const windows = new Map<string, { readonly start: number; readonly count: number }>()
  return {
    take: (project, clock) => {
      if (rateLimit === undefined) return undefined
      const { limit, window } = rateLimit
      const now = clock(project)
      const open = windows.get(project)
      // A clock that was set back is in another window too.
      const same = open !== undefined && now >= open.start && now < open.start + window
      const start = same ? open.start : now
      const count = same ? open.count + 1 : 1
      windows.set(project, { start, count })
      return count <= limit ? 'within' : { limit, wait: start + window - now }
    },
    forget: (project) => {
      if (project === undefined) windows.clear()
      else windows.delete(project)
    },
  }
}
