import type { BehaviorKey } from '../schema/behavior.ts'
import { MockError } from '../schema/error.ts'
import type { Assumption, ViolationCount, Violations } from '../schema/traffic.ts'
import type { Recorded } from './record.ts'

/** The assumptions and the violations of this run. They are counted apart from the journal, so they outlive dropped requests. */
export interface Diagnostics {
  add(recorded: Recorded): void
  /** Of one project or of all, in the order of their first occurrence. */
  assumptions(project?: string): Assumption[]
  violations(project?: string): Violations
  /** Refuses (`violationsFound`) when there is any. */
  verifyNoViolations(project?: string): Violations
  reset(project?: string): void
}

// Counted at each request, so in place.
type Counted<T extends { readonly count: number }> = { -readonly [K in keyof T]: T[K] } & {
  /** Which request of all projects showed it first. */
  readonly order: number
}

interface Found {
  /** A behavior can change, so a key can have several values. */
  readonly assumptions: Map<BehaviorKey, Counted<Assumption>[]>
  readonly violations: Map<string, Counted<ViolationCount>>
  dropped: number
}

/** How many different violations are kept of one project. */
const maxViolations = 1000

export const createDiagnostics = (): Diagnostics => {
  const byProject = new Map<string, Found>()
  let looked = 0
  const foundIn = (project: string): Found => {
    const found = byProject.get(project) ?? { assumptions: new Map(), violations: new Map(), dropped: 0 }
    byProject.set(project, found)
    return found
  }
  const of = (project: string | undefined): Found[] =>
    project === undefined ? [...byProject.values()] : [byProject.get(project) ?? []].flat()
  const violations = (project?: string): Violations => ({
    object: 'list',
    items: inOrder(of(project).flatMap((found) => [...found.violations.values()])),
    dropped: of(project).reduce((sum, found) => sum + found.dropped, 0),
  })
  return {
    add: (recorded) => {
      if (recorded.assumed.length === 0 && recorded.violations.length === 0) return
      const found = foundIn(recorded.project ?? '')
      const order = looked++
      countAssumptions(found, recorded, order)
      countViolations(found, recorded, order)
    },
    assumptions: (project) => sumOf(inOrder(of(project).flatMap((found) => [...found.assumptions.values()].flat()))),
    violations,
    verifyNoViolations: (project) => {
      const found = violations(project)
      if (found.items.length === 0) return found
      throw toMockError(found)
    },
    reset: (project) => {
      if (project === undefined) byProject.clear()
      else byProject.delete(project)
    },
  }
}

const countAssumptions = ({ assumptions }: Found, { assumed, behaviors, id }: Recorded, order: number) => {
  for (const key of assumed) {
    const value = behaviors[key]
    const readings = assumptions.get(key) ?? []
    const known = readings.find((reading) => reading.value === value)
    if (known !== undefined) known.count++
    else assumptions.set(key, [...readings, { key, value, count: 1, first: id, order }])
  }
}

const countViolations = (found: Found, { violations, operation, id }: Recorded, order: number) => {
  for (const violation of violations) {
    const name = JSON.stringify([operation, violation.spec, violation.path, violation.message])
    const known = found.violations.get(name)
    if (known !== undefined) known.count++
    else if (found.violations.size >= maxViolations) found.dropped++
    else found.violations.set(name, { ...violation, operation: operation ?? null, count: 1, first: id, order })
  }
}

/** Copies of what was found, the first first. */
const inOrder = <T extends { readonly order: number }>(found: readonly T[]): Omit<T, 'order'>[] =>
  found.toSorted((a, b) => a.order - b.order).map(({ order: _, ...one }) => one)

/** The same value in several projects counts once. */
const sumOf = (assumptions: readonly Assumption[]): Assumption[] => {
  const sums = new Map<string, Assumption>()
  for (const one of assumptions) {
    const name = `${one.key}=${one.value}`
    const known = sums.get(name)
    sums.set(name, { ...one, count: one.count + (known?.count ?? 0), first: known?.first ?? one.first })
  }
  return [...sums.values()]
}

const toMockError = ({ items, dropped }: Violations): MockError => {
  const shown = items
    .slice(0, 5)
    .map(({ operation, spec, message }) => `${operation ?? 'no operation'}: ${message} (${spec})`)
  const more = items.length + dropped - shown.length
  const text = `${shown.join('\n')}${more > 0 ? `\nand ${more} more` : ''}`
  return new MockError('violationsFound', `Clients sent what the specification does not allow.\n${text}`, {
    details: items.slice(0, 100).map(({ path, message }) => ({ path, message })),
  })
}
