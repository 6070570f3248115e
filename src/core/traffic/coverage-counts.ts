import type { Coverage, CoverageItem, PreparingCall } from '../schema/summaries.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import type { PaymentLinkStatus } from '../schema/payment-link.ts'

/** A situation that the client of an operation, or of any, can be shown. */
export interface Situation {
  readonly operation: OperationId | null
  /** `409 paymentLinkNotActive` for an error, otherwise a status with words or words alone. */
  readonly name: string
  /** The calls that prepare it. The next call of the operation shows it. Undefined: any call does. */
  readonly show?: readonly PreparingCall[] | undefined
}

/** How often a situation was shown, and by which request first. */
interface SituationCount {
  seen: number
  readonly request: string
  readonly sandbox: string | undefined
}

type SituationCounts = Map<Situation, SituationCount>

/**
 * Counts the situations that clients were shown. It does not read the journal, which drops old requests.
 *
 * @param listSituations returns all situations. It is called with the first read.
 */
export const createCoverageCounts = (listSituations: () => readonly Situation[]) => {
  const allCounts: SituationCounts = new Map()
  const countsByProject = new Map<string, SituationCounts>()
  /** The links that clients have seen active, by project. */
  const activeLinks = new Map<string, Set<string>>()

  return {
    /**
     * Counts the situations of a request.
     *
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
      countSituations(allCounts, shownSituations, request, sandbox)
      if (project === undefined) return
      const projectCounts: SituationCounts = countsByProject.get(project) ?? new Map()
      countsByProject.set(project, projectCounts)
      countSituations(projectCounts, shownSituations, request, sandbox)
    },
    /**
     * Notes the status of a payment link that its client was shown. Returns true if the link is completed and the client had
     * seen it active. Each link has one mark.
     */
    noteStatus: (project: string, paymentLink: string, status: PaymentLinkStatus): boolean => {
      const activeOfProject = activeLinks.get(project) ?? new Set()
      if (status !== 'active') return activeOfProject.delete(paymentLink) && status === 'completed'
      activeOfProject.add(paymentLink)
      activeLinks.set(project, activeOfProject)
      return false
    },
    /** Forgets the mark of a payment link. @default those of the project, or of all projects */
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

const countSituations = (
  counts: SituationCounts,
  shownSituations: readonly Situation[],
  request: string,
  sandbox: string | undefined,
): void => {
  for (const situation of shownSituations) {
    const count = counts.get(situation)
    if (count === undefined) counts.set(situation, { seen: 1, request, sandbox })
    else count.seen++
  }
}

const toCoverageItem = ({ operation, name, show }: Situation, count: SituationCount | undefined): CoverageItem => {
  if (count === undefined)
    return { operation, situation: name, seen: 0, request: null, ...(show !== undefined && { show: [...show] }) }
  const { seen, request, sandbox } = count
  return { operation, situation: name, seen, request, ...(sandbox !== undefined && { sandbox }) }
}
