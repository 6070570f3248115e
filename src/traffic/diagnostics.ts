import { errors } from '../schema/error.ts'
import type { BehaviorKey } from '../schema/behavior.ts'
import type { Assumption, ViolationCount, Violations } from '../schema/recorded-request.ts'
import type { StoredRequest } from './record.ts'

// Mutable: each request changes the counts.
type Counted<T extends { readonly count: number }> = { -readonly [K in keyof T]: T[K] } & {
  /** The position of its first request among the requests of all projects. */
  readonly order: number
}

interface ProjectDiagnostics {
  /** By key: a key can have several values, because a behavior can change. */
  readonly assumptions: Map<BehaviorKey, Counted<Assumption>[]>
  readonly violations: Map<string, Counted<ViolationCount>>
  dropped: number
}

/** The maximum number of different violations of a project. */
const maxViolations = 1000

/** Counts the assumptions and the violations of this run. It does not read the journal, which drops old requests. */
export const createDiagnostics = () => {
  const byProject = new Map<string, ProjectDiagnostics>()
  let added = 0
  const getDiagnostics = (project: string): ProjectDiagnostics => {
    const diagnostics = byProject.get(project) ?? { assumptions: new Map(), violations: new Map(), dropped: 0 }
    byProject.set(project, diagnostics)
    return diagnostics
  }
  const select = (project: string | undefined): ProjectDiagnostics[] =>
    project === undefined ? [...byProject.values()] : [byProject.get(project) ?? []].flat()
  const listViolations = (project?: string): Violations => ({
    object: 'list',
    items: sortByOrder(select(project).flatMap((one) => [...one.violations.values()])),
    dropped: select(project).reduce((sum, { dropped }) => sum + dropped, 0),
  })
  return {
    add: (request: StoredRequest): void => {
      if (request.assumed.length === 0 && request.violations.length === 0) return
      const diagnostics = getDiagnostics(request.project)
      const order = added++
      countAssumptions(diagnostics, request, order)
      countViolations(diagnostics, request, order)
    },
    /** Returns the assumptions of one project or of all, in the order of their first occurrence. */
    listAssumptions: (project?: string): Assumption[] =>
      mergeCounts(sortByOrder(select(project).flatMap((one) => [...one.assumptions.values()].flat()))),
    listViolations,
    /** Throws `violationsFound` if there are any. */
    verifyNoViolations: (project?: string): Violations => {
      const found = listViolations(project)
      if (found.items.length === 0) return found
      throw errors.violationsFound(found.items, found.dropped)
    },
    reset: (project?: string): void => {
      if (project === undefined) byProject.clear()
      else byProject.delete(project)
    },
  }
}

const countAssumptions = (
  { assumptions }: ProjectDiagnostics,
  { assumed, behaviors, id }: StoredRequest,
  order: number,
) => {
  for (const key of assumed) {
    const value = behaviors[key]
    const ofKey = assumptions.get(key) ?? []
    const known = ofKey.find((assumption) => assumption.value === value)
    if (known !== undefined) known.count++
    else assumptions.set(key, [...ofKey, { key, value, count: 1, first: id, order }])
  }
}

const countViolations = (
  diagnostics: ProjectDiagnostics,
  { violations, operation, id }: StoredRequest,
  order: number,
) => {
  for (const violation of violations) {
    const name = JSON.stringify([operation, violation.spec, violation.path, violation.message])
    const known = diagnostics.violations.get(name)
    if (known !== undefined) known.count++
    else if (diagnostics.violations.size >= maxViolations) diagnostics.dropped++
    else diagnostics.violations.set(name, { ...violation, operation: operation ?? null, count: 1, first: id, order })
  }
}

/** Returns copies in the order of their first occurrence. */
const sortByOrder = <T extends { readonly order: number }>(counted: readonly T[]): Omit<T, 'order'>[] =>
  counted.toSorted((a, b) => a.order - b.order).map(({ order: _, ...rest }) => rest)

/** Adds up the counts of the same value in several projects. */
const mergeCounts = (assumptions: readonly Assumption[]): Assumption[] => {
  const sums = new Map<string, Assumption>()
  for (const assumption of assumptions) {
    const { key, value, count, first } = assumption
    const known = sums.get(`${key}=${value}`)
    sums.set(`${key}=${value}`, { ...assumption, count: count + (known?.count ?? 0), first: known?.first ?? first })
  }
  return [...sums.values()]
}
