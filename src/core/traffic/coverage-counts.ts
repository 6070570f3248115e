import type { Coverage, CoverageItem, PreparingCall } from '../schema/summaries.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import type { PaymentLinkStatus } from '../schema/payment-link.ts'

/** `operation` is null for a situation of any operation. */
export interface Situation {
  readonly operation: OperationId | null
  /** `409 paymentLinkNotActive` for an error, otherwise a status with words or words alone. */
  readonly name: string
  /** The calls that prepare it. The next call of the operation shows it. Undefined: any call does. */
  readonly show?: readonly PreparingCall[] | undefined
}

/** `request` and `sandbox` are those of the first occurrence. */
interface SituationCount {
  seen: number
  readonly request: string
  readonly sandbox: string | undefined
}

type SituationCounts = Map<Situation, SituationCount>

/** Counts what clients were shown. It does not read the journal, which drops old requests. */
export const createCoverageCounts = (listSituations: () => readonly Situation[]) => {
  const allCounts: SituationCounts = new Map()
  const countsByProject = new Map<string, SituationCounts>()
  /** The links that a client has seen active, by project. */
  const activeLinks = new Map<string, Set<string>>()

  return {
    /**
     * @param project undefined if it does not exist, or is that of a sandbox
     * @param sandbox the sandbox of the request, if these are not its own counts
     */
    count: (
      shownSituations: readonly Situation[],
      request: string,
      project: string | undefined,
      sandbox?: string,
    ): void => {
      if (shownSituations.length === 0) return
      const changedCounts = [allCounts]
      if (project !== undefined) {
        const projectCounts: SituationCounts = countsByProject.get(project) ?? new Map()
        countsByProject.set(project, projectCounts)
        changedCounts.push(projectCounts)
      }
      for (const counts of changedCounts)
        for (const situation of shownSituations) {
          const count = counts.get(situation)
          if (count === undefined) counts.set(situation, { seen: 1, request, sandbox })
          else count.seen++
        }
    },
    /** Notes the status that a client was shown. Returns true if the link is completed and a client has seen it active. */
    noteStatus: (project: string, paymentLink: string, status: PaymentLinkStatus): boolean => {
      const activeOfProject = activeLinks.get(project) ?? new Set()
      if (status !== 'active') return activeOfProject.delete(paymentLink) && status === 'completed'
      activeOfProject.add(paymentLink)
      activeLinks.set(project, activeOfProject)
      return false
    },
    forgetStatus: (project?: string, paymentLink?: string): void => {
      if (project === undefined) activeLinks.clear()
      else if (paymentLink === undefined) activeLinks.delete(project)
      else activeLinks.get(project)?.delete(paymentLink)
    },
    read: (project?: string): Coverage => {
      const counts = project === undefined ? allCounts : countsByProject.get(project)
      const items = listSituations().map((situation) => toCoverageItem(situation, counts?.get(situation)))
      return { object: 'coverage', seen: items.filter(({ seen }) => seen > 0).length, total: items.length, items }
    },
    clear: (project?: string): void => {
      if (project !== undefined) return void countsByProject.delete(project)
      allCounts.clear()
      countsByProject.clear()
    },
  }
}

const toCoverageItem = ({ operation, name, show }: Situation, count: SituationCount | undefined): CoverageItem => {
  if (count === undefined)
    return { operation, situation: name, seen: 0, request: null, ...(show !== undefined && { show: [...show] }) }
  const { seen, request, sandbox } = count
  return { operation, situation: name, seen, request, ...(sandbox !== undefined && { sandbox }) }
}
