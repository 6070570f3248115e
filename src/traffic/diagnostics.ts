import { errors } from '../schema/error.ts'
import type { Assumption, ViolationCount, Violations } from '../schema/recorded-request.ts'
import { type StoredRequest } from './journal.ts'

// Mutable: each request changes the counts.
type Counted<T extends { readonly count: number }> = { -readonly [K in keyof T]: T[K] } & {
  /** The position of its first request among the requests of all projects. */
  readonly order: number
}

interface ProjectDiagnostics {
  /** By key and value, because a behavior can change. */
  readonly assumptions: Map<string, Counted<Assumption>>
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
    add: ({ project, assumed, behaviors, violations, operation, id: first }: StoredRequest): void => {
      if (assumed.length === 0 && violations.length === 0) return
      const diagnostics = getDiagnostics(project)
      const start = { count: 1, first, order: added++ }
      for (const key of assumed) {
        const value = behaviors[key]
        const name = `${key}=${value}`
        const known = diagnostics.assumptions.get(name)
        if (known !== undefined) known.count++
        else diagnostics.assumptions.set(name, { key, value, ...start })
      }
      for (const violation of violations) {
        const name = JSON.stringify([operation, violation.spec, violation.path, violation.message])
        const known = diagnostics.violations.get(name)
        if (known !== undefined) known.count++
        else if (diagnostics.violations.size >= maxViolations) diagnostics.dropped++
        else diagnostics.violations.set(name, { ...violation, operation: operation ?? null, ...start })
      }
    },
    /** Returns the assumptions of one project or of all, in the order of their first occurrence. */
    listAssumptions: (project?: string): Assumption[] => {
      const sums = new Map<string, Counted<Assumption>>()
      for (const { assumptions } of select(project))
        for (const [name, one] of assumptions) {
          const known = sums.get(name)
          const first = known !== undefined && known.order < one.order ? known : one
          sums.set(name, { ...first, count: one.count + (known?.count ?? 0) })
        }
      return sortByOrder([...sums.values()])
    },
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

/** Returns copies in the order of their first occurrence. */
const sortByOrder = <T extends { readonly order: number }>(counted: readonly T[]): Omit<T, 'order'>[] =>
  counted.toSorted((a, b) => a.order - b.order).map(({ order: _, ...rest }) => rest)
