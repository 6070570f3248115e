import { getId, isStoredRecord } from '../domain/collection.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { ReplacementReason, Store } from '../domain/store.ts'
import { createCoverageCounts, type Situation } from './coverage-counts.ts'
import { createDiagnostics } from './diagnostics.ts'
import { baseEventSize, createEvents } from './events.ts'
import { createFaults } from './faults.ts'
import { createJournal, type JournalLimits, type StoredRequest } from './journal.ts'
import { createWaits } from './waits.ts'

export type Traffic = ReturnType<typeof createTraffic>

export interface TrafficOptions {
  readonly store: Pick<Store, 'draw' | 'clock' | 'projects' | 'requests'>
  readonly limits?: JournalLimits
  /** The limit that instances share. */
  readonly unknownProjects: UnknownProjects
  readonly listSituations: () => readonly Situation[]
  readonly onShown?: ((shown: readonly Situation[], request: string) => void) | undefined
}

export const createTraffic = ({ store, limits, unknownProjects, listSituations, onShown }: TrafficOptions) => {
  const journal = createJournal(limits)
  const diagnostics = createDiagnostics()
  const coverage = createCoverageCounts(listSituations)
  const events = createEvents()
  const waits = createWaits()
  const faults = createFaults(store, waits)
  /** By project: the function that forgets its requests. */
  const forgetByProject = new Map<string, () => void>()
  const rememberUnknownProject = (project: string) => {
    const forgetRequests =
      forgetByProject.get(project) ??
      (() => {
        forgetByProject.delete(project)
        if (store.projects.has(project)) return
        journal.clear(project)
        diagnostics.reset(project)
        store.requests.counts.delete(project)
      })
    forgetByProject.set(project, forgetRequests)
    unknownProjects.remember(forgetRequests)
  }
  return {
    journal,
    diagnostics,
    coverage,
    faults,
    events,
    waits,
    /** Does nothing if the journal was reset since `epoch`, in which the request began. */
    record: (request: StoredRequest, epoch: number, shown: readonly Situation[]): void => {
      const { project, id, fault } = request
      if (journal.getEpoch(project) !== epoch) return
      diagnostics.add(request)
      const size = journal.add(request)
      const isKnown = store.projects.has(project)
      if (project !== '' && !isKnown) rememberUnknownProject(project)
      coverage.count(shown, id, isKnown ? project : undefined)
      onShown?.(shown, id)
      events.publish({ type: 'request', project, request }, size)
      if (fault !== undefined) events.publish({ type: 'fault', project, fault, request: id })
    },
    publishChanges: (project: string, { changes, failedPayments }: Transaction): void => {
      for (const change of changes) {
        if (!isStoredRecord(change.to)) coverage.forgetStatus(project, getId(change.to))
        events.publish({ type: 'change', project, change }, baseEventSize + change.size)
      }
      for (const paymentLink of failedPayments)
        events.publish({ type: 'payment', project, paymentLink, outcome: 'failed' })
    },
    handleReplacement: (reason: ReplacementReason, project?: string): void => {
      waits.endReplaced(project)
      coverage.forgetStatus(project)
      // The counts survive the reset of a project, because many suites reset theirs between tests.
      if (reason === 'deleted' || (reason === 'reset' && project === undefined)) coverage.clear(project)
      if (reason === 'reset' || reason === 'deleted') {
        for (const store of [journal, diagnostics, faults]) store.reset(project)
        events.clear(project)
        if (project === undefined) {
          for (const forget of forgetByProject.values()) unknownProjects.delete(forget)
          forgetByProject.clear()
        }
      }
      events.publish({ type: 'reset', project: project ?? null, reason })
    },
    stop: (): void => {
      waits.stop()
      events.stop()
    },
  }
}

/**
 * The projects that received requests and do not exist, because every request was rejected. Only the newest are remembered, so
 * that many misspelled or hostile names cannot fill the memory. The instances of a mock share the limit.
 */
export type UnknownProjects = ReturnType<typeof createUnknownProjects>

export const createUnknownProjects = (max = 1000) => {
  const oldestFirst = new Set<() => void>()
  return {
    /** Remembers a project as the newest. Forgets the oldest project if there are too many. */
    remember: (forget: () => void): void => {
      oldestFirst.delete(forget)
      oldestFirst.add(forget)
      const [oldest] = oldestFirst
      if (oldest === undefined || oldestFirst.size <= max) return
      oldestFirst.delete(oldest)
      oldest()
    },
    delete: (forget: () => void): void => void oldestFirst.delete(forget),
  }
}
