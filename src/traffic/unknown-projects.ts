/**
 * The projects that received requests and do not exist, because every request was rejected. Only the newest ones are
 * remembered, so that requests with many misspelled or hostile names leave nothing. The instances of a mock share the limit.
 */
export interface UnknownProjects {
  /** Remembers a project as the newest. Calls `forget` of the oldest one if there are too many. */
  remember(forget: () => void): void
  delete(forget: () => void): void
}

/** Creates the limit of unknown projects. @param max how many are remembered */
export const createUnknownProjects = (max = 1000): UnknownProjects => {
  const oldestFirst = new Set<() => void>()
  return {
    remember: (forget) => {
      oldestFirst.delete(forget)
      oldestFirst.add(forget)
      if (oldestFirst.size <= max) return
      const [oldest] = oldestFirst
      oldestFirst.delete(oldest!)
      oldest!()
    },
    delete: (forget) => void oldestFirst.delete(forget),
  }
}
