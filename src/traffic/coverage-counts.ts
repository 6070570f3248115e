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
interface Count {
  seen: number
  readonly request: string
  readonly sandbox: string | undefined
}

type Counts = Map<Situation, Count>

/**
 * Counts the situations that clients were shown. It does not read the journal, which drops old requests.
 *
 * @param list returns all situations. It is called with the first read.
 */
export const createCoverageCounts = (list: () => readonly Situation[]) => {
  const ofAll: Counts = new Map()
  const byProject = new Map<string, Counts>()
  /** The links that clients have seen active, by project. */
  const activeLinks = new Map<string, Set<string>>()

  return {
    /**
     * Counts the situations of a request.
     *
     * @param project undefined if it does not exist, or is that of a sandbox
     * @param sandbox the sandbox of the request, if these are not its own counts
     */
    count: (shown: readonly Situation[], request: string, project: string | undefined, sandbox?: string): void => {
      if (shown.length === 0) return
      increase(ofAll, shown, request, sandbox)
      if (project === undefined) return
      const ofProject: Counts = byProject.get(project) ?? new Map()
      byProject.set(project, ofProject)
      increase(ofProject, shown, request, sandbox)
    },
    /**
     * Notes the status of a payment link that its client was shown. Returns true if the link is completed and the client had
     * seen it active. Each link has one mark.
     */
    noteStatus: (project: string, paymentLink: string, status: PaymentLinkStatus): boolean => {
      const active = activeLinks.get(project) ?? new Set()
      if (status !== 'active') return active.delete(paymentLink) && status === 'completed'
      active.add(paymentLink)
      activeLinks.set(project, active)
      return false
    },
    /** Forgets the mark of a payment link. @default those of the project, or of all projects */
    forgetStatus: (project?: string, paymentLink?: string): void => {
      if (project === undefined) activeLinks.clear()
      else if (paymentLink === undefined) activeLinks.delete(project)
      else activeLinks.get(project)?.delete(paymentLink)
    },
    read: (project?: string): Coverage => {
      const counts = project === undefined ? ofAll : byProject.get(project)
      const items = list().map((situation) => toItem(situation, counts?.get(situation)))
      return { object: 'coverage', seen: items.filter(({ seen }) => seen > 0).length, total: items.length, items }
    },
    clear: (project?: string): void => {
      if (project !== undefined) return void byProject.delete(project)
      ofAll.clear()
      byProject.clear()
    },
  }
}

const increase = (counts: Counts, shown: readonly Situation[], request: string, sandbox: string | undefined): void => {
  for (const situation of shown) {
    const known = counts.get(situation)
    if (known === undefined) counts.set(situation, { seen: 1, request, sandbox })
    else known.seen++
  }
}

const toItem = ({ operation, name, show }: Situation, count: Count | undefined): CoverageItem => {
  if (count === undefined)
    return { operation, situation: name, seen: 0, request: null, ...(show !== undefined && { show: [...show] }) }
  const { seen, request, sandbox } = count
  return { operation, situation: name, seen, request, ...(sandbox !== undefined && { sandbox }) }
}
