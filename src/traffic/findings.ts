import { Refusal } from '../schema/error.ts'
import type { Assumption, ViolationCount, Violations } from '../schema/traffic.ts'
import type { Recorded } from './record.ts'

/** What the traffic of this run relied on, and what was wrong with it: counted, so that no entry that is dropped takes it away. */
export interface Findings {
  add(recorded: Recorded): void
  /** Of one project, or of all. */
  assumptions(project?: string): Assumption[]
  violations(project?: string): Violations
  /** Refuses (`violationsFound`) when there is any. */
  verifyNoViolations(project?: string): Violations
  reset(project?: string): void
}

interface Found {
  readonly assumptions: Map<string, Assumption>
  readonly violations: Map<string, ViolationCount>
  dropped: number
}

/** How many different violations are kept of one project. */
const mostViolations = 1000

export const createFindings = (): Findings => {
  const byProject = new Map<string, Found>()
  const foundIn = (project: string): Found => {
    const found = byProject.get(project) ?? { assumptions: new Map(), violations: new Map(), dropped: 0 }
    byProject.set(project, found)
    return found
  }
  const of = (project: string | undefined): Found[] =>
    project === undefined ? [...byProject.values()] : [byProject.get(project) ?? []].flat()
  const violations = (project?: string): Violations => ({
    object: 'list',
    items: of(project).flatMap((found) => [...found.violations.values()]),
    dropped: of(project).reduce((sum, found) => sum + found.dropped, 0),
  })
  return {
    add: (recorded) => {
      if (recorded.assumed.length === 0 && recorded.violations.length === 0) return
      const found = foundIn(recorded.project ?? '')
      countAssumptions(found, recorded)
      countViolations(found, recorded)
    },
    assumptions: (project) => sumOf(of(project).flatMap((found) => [...found.assumptions.values()])),
    violations,
    verifyNoViolations: (project) => {
      const found = violations(project)
      if (found.items.length === 0) return found
      throw refusalOf(found)
    },
    reset: (project) => {
      if (project === undefined) byProject.clear()
      else byProject.delete(project)
    },
  }
}

const countAssumptions = ({ assumptions }: Found, { assumed, behaviors, id }: Recorded) => {
  for (const key of assumed) {
    const value = behaviors[key]
    const name = `${key}=${value}`
    const known = assumptions.get(name)
    assumptions.set(name, known ? { ...known, count: known.count + 1 } : { key, value, count: 1, first: id })
  }
}

const countViolations = (found: Found, { violations, operation: id, ...recorded }: Recorded) => {
  const operation = id ?? null
  for (const violation of violations) {
    const name = JSON.stringify([operation, violation.spec, violation.path, violation.message])
    const known = found.violations.get(name)
    if (known === undefined && found.violations.size >= mostViolations) found.dropped++
    else
      found.violations.set(
        name,
        known ? { ...known, count: known.count + 1 } : { ...violation, operation, count: 1, first: recorded.id },
      )
  }
}

/** The same reading in several projects is one. */
const sumOf = (assumptions: readonly Assumption[]): Assumption[] => {
  const sums = new Map<string, Assumption>()
  for (const one of assumptions) {
    const name = `${one.key}=${one.value}`
    const known = sums.get(name)
    sums.set(name, known ? { ...known, count: known.count + one.count } : one)
  }
  return [...sums.values()]
}

const refusalOf = ({ items, dropped }: Violations): Refusal => {
  const shown = items
    .slice(0, 5)
    .map(({ operation, spec, message }) => `${operation ?? 'no operation'}: ${message} (${spec})`)
  const more = items.length + dropped - shown.length
  const text = `${shown.join('\n')}${more > 0 ? `\nand ${more} more` : ''}`
  return new Refusal('violationsFound', `Clients sent what the specification does not allow.\n${text}`, {
    details: items.slice(0, 100).map(({ path, message }) => ({ path, message })),
  })
}
