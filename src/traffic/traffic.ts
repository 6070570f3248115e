import type { Transaction } from '../domain/transaction.ts'
import type { ReplacementReason } from '../domain/store.ts'
import { createDiagnostics, type Diagnostics } from './diagnostics.ts'
import { createEvents, type Events } from './events.ts'
import { createFaults, type Faults, type RandomSource } from './faults.ts'
import { createJournal, type Journal, type JournalLimits } from './journal.ts'
import { createPendingDelays, type PendingDelays } from './pending-delays.ts'
import { describeChange, toRecordedRequest, type StoredRequest } from './record.ts'
import { createUnknownProjects, type UnknownProjects } from './unknown-projects.ts'

/** The traffic of a mock: recorded requests, faults, events and waiting requests. */
export interface Traffic {
  readonly journal: Journal
  readonly diagnostics: Diagnostics
  readonly faults: Faults
  readonly events: Events
  readonly waits: PendingDelays
  /** Records a request, unless the journal was reset since `epoch`, in which the request began. */
  readonly record: (request: StoredRequest, epoch: number) => void
  /** Publishes the changes of a transaction. */
  readonly publishChanges: (project: string, transaction: Transaction) => void
  /** Ends waiting requests and restarts rate limits after the state of a project, or of all projects, was replaced. */
  readonly handleReplacement: (reason: ReplacementReason, project?: string) => void
  /** Whether requests wait or events are streamed. */
  readonly isBusy: () => boolean
  /** Ends all waiting requests and event subscriptions. */
  readonly stop: () => void
}

interface TrafficOptions extends RandomSource {
  readonly limits?: JournalLimits
  /** The limit that instances share. @default one of its own */
  readonly unknownProjects?: UnknownProjects
  readonly exists: (project: string) => boolean
  /** Is called when the requests to a project that does not exist are forgotten. */
  readonly onForgotten: (project: string) => void
}

export const createTraffic = ({
  limits,
  unknownProjects = createUnknownProjects(),
  exists,
  onForgotten,
  ...random
}: TrafficOptions): Traffic => {
  const journal = createJournal(limits)
  const diagnostics = createDiagnostics()
  const events = createEvents()
  const waits = createPendingDelays()
  const faults = createFaults(random, waits)
  /** By project: the function that forgets its requests. */
  const unknown = new Map<string, () => void>()
  const rememberUnknown = (project: string) => {
    const forget = () => {
      unknown.delete(project)
      if (exists(project)) return
      journal.clear(project)
      diagnostics.reset(project)
      onForgotten(project)
    }
    const known = unknown.get(project) ?? forget
    unknown.set(project, known)
    unknownProjects.remember(known)
  }
  return {
    journal,
    diagnostics,
    faults,
    events,
    waits,
    record: (request, epoch) => {
      const { project, id, fault } = request
      if (journal.getEpoch(project) !== epoch) return
      diagnostics.add(request)
      const size = journal.add(request)
      if (project !== '' && !exists(project)) rememberUnknown(project)
      // The event is built from the recorded request when it is read.
      events.publish(project, size, () => ({
        type: 'request',
        project: project || null,
        request: toRecordedRequest(request),
      }))
      if (fault !== undefined) events.publish(project, baseSize, () => ({ type: 'fault', project, fault, request: id }))
    },
    publishChanges: (project, { changes, failedPayments }) => {
      for (const change of changes)
        events.publish(project, baseSize + change.size, () => ({
          type: 'change',
          project,
          change: describeChange(change),
        }))
      for (const paymentLink of failedPayments)
        events.publish(project, baseSize, () => ({ type: 'payment', project, paymentLink, outcome: 'failed' }))
    },
    handleReplacement: (reason, project) => {
      waits.endReplaced(project)
      faults.resetRateLimits(project)
      if (reason === 'reset' || reason === 'deleted') {
        for (const part of [journal, diagnostics, faults]) part.reset(project)
        events.clear(project)
        if (project === undefined) {
          for (const forget of unknown.values()) unknownProjects.delete(forget)
          unknown.clear()
        }
      }
      events.publish(project, baseSize, () => ({ type: 'reset', project: project ?? null, reason }))
    },
    isBusy: () => waits.isBusy() || events.isBusy(),
    stop: () => {
      waits.stop()
      events.stop()
    },
  }
}

/** The approximate size of an event without the texts of a record, in characters. */
const baseSize = 500
