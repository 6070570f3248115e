/** How often each project has changed, been replaced and been called: what outlives the state itself. */
export interface Counts {
  /** Grows by one with each change of data, also over a deletion. */
  readonly revisions: Counter
  /** Grows by one with each replacement of the state. */
  readonly generations: Counter
  readonly requests: Counter
}

interface Counter {
  of(id: string): number
  /** Counts one more, and answers how many there are now. */
  add(id: string): number
  forget(id?: string): void
  set(id: string, count: number): void
}

export const createCounts = (): Counts => ({
  revisions: createCounter(),
  generations: createCounter(),
  requests: createCounter(),
})

const createCounter = (): Counter => {
  const counts = new Map<string, number>()
  return {
    of: (id) => counts.get(id) ?? 0,
    add: (id) => {
      const next = (counts.get(id) ?? 0) + 1
      counts.set(id, next)
      return next
    },
    forget: (id) => {
      if (id === undefined) counts.clear()
      else counts.delete(id)
    },
    set: (id, count) => void counts.set(id, count),
  }
}
