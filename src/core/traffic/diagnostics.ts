import { errors } from '../schema/error.ts'
import type { Assumption, ViolationCount, Violations } from '../schema/recorded-request.ts'
import { type StoredRequest } from './journal.ts'

// Mutable: each request changes the counts.
type CountedDiagnostic<T extends { readonly count: number }> = { -readonly [K in keyof T]: T[K] } & {
  /** The position of its first request among the requests of all projects. */
  readonly order: number
}

interface ProjectDiagnostics {
  /** By key and value, because a behavior can change. */
  readonly assumptions: Map<string, CountedDiagnostic<Assumption>>
  readonly violations: Map<string, CountedDiagnostic<ViolationCount>>
  dropped: number
}

/** Per project. Equal violations count once. */
const maxViolations = 1000

/** The counts of this run. They do not depend on the journal, which drops old requests. */
export const createDiagnostics = () => {
  const diagnosticsByProject = new Map<string, ProjectDiagnostics>()
  let addedCount = 0
  const getDiagnostics = (project: string): ProjectDiagnostics => {
    const newDiagnostics = { assumptions: new Map(), violations: new Map(), dropped: 0 }
    const diagnostics = diagnosticsByProject.get(project) ?? newDiagnostics
    diagnosticsByProject.set(project, diagnostics)
    return diagnostics
  }
  const selectDiagnostics = (project: string | undefined): ProjectDiagnostics[] =>
    project === undefined ? [...diagnosticsByProject.values()] : [diagnosticsByProject.get(project) ?? []].flat()
  const listViolations = (project?: string): Violations => ({
    object: 'list',
    items: sortByOrder(selectDiagnostics(project).flatMap((diagnostics) => [...diagnostics.violations.values()])),
    dropped: selectDiagnostics(project).reduce((sum, { dropped }) => sum + dropped, 0),
  })
  return {
    add: ({ project, assumed, violations, operation, id: first }: StoredRequest): void => {
      const assumptions = Object.entries(assumed)
      if (assumptions.length === 0 && violations.length === 0) return
      const diagnostics = getDiagnostics(project)
      const firstCount = { count: 1, first, order: addedCount++ }
      for (const [key, value] of assumptions) {
        const assumptionName = `${key}=${value}`
        const knownAssumption = diagnostics.assumptions.get(assumptionName)
        if (knownAssumption !== undefined) knownAssumption.count++
        else diagnostics.assumptions.set(assumptionName, { key, value, ...firstCount })
      }
      for (const violation of violations) {
        const violationName = JSON.stringify([operation, violation.spec, violation.path, violation.message])
        const knownViolation = diagnostics.violations.get(violationName)
        if (knownViolation !== undefined) knownViolation.count++
        else if (diagnostics.violations.size >= maxViolations) diagnostics.dropped++
        else diagnostics.violations.set(violationName, { ...violation, operation: operation ?? null, ...firstCount })
      }
    },
    listAssumptions: (project?: string): Assumption[] => {
      const sums = new Map<string, CountedDiagnostic<Assumption>>()
      for (const { assumptions } of selectDiagnostics(project))
        for (const [name, assumption] of assumptions) {
          const sum = sums.get(name)
          const first = sum !== undefined && sum.order < assumption.order ? sum : assumption
          sums.set(name, { ...first, count: assumption.count + (sum?.count ?? 0) })
        }
      return sortByOrder([...sums.values()])
    },
    listViolations,
    verifyNoViolations: (project?: string): Violations => {
      const violations = listViolations(project)
      if (violations.items.length === 0) return violations
      throw errors.violationsFound(violations.items, violations.dropped)
    },
    reset: (project?: string): void => {
      if (project === undefined) diagnosticsByProject.clear()
      else diagnosticsByProject.delete(project)
    },
  }
}

/** Returns copies in the order of their first occurrence. */
const sortByOrder = <T extends { readonly order: number }>(diagnostics: readonly T[]): Omit<T, 'order'>[] =>
  diagnostics.toSorted((a, b) => a.order - b.order).map(({ order: _, ...diagnostic }) => diagnostic)
