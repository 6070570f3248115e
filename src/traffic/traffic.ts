import type { RecordChange, Transaction } from '../domain/transaction.ts'
import type { Replacement } from '../domain/store.ts'
import { createEvents, type Events } from './events.ts'
import { type RandomSource, createFaults, type Faults } from './faults.ts'
import { createDiagnostics, type Diagnostics } from './diagnostics.ts'
import { createJournal, type Journal, type JournalLimits } from './journal.ts'
import { changeOf, entryOf, type Recorded } from './record.ts'
import { createPendingDelays, type PendingDelays } from './pending-delays.ts'

/** The traffic of a mock: journal, faults, events and waiting requests. */
export interface Traffic {
  readonly journal: Journal
  readonly diagnostics: Diagnostics
  readonly faults: Faults
  readonly events: Events
  readonly waits: PendingDelays
  /** Writes down a request that was begun in this epoch of the journal. */
  readonly record: (recorded: Recorded, epoch: number) => void
  /** Publishes the changes of a transaction. */
  readonly committed: (project: string, transaction: Transaction) => void
  /** The state of a project was replaced, or that of all. */
  readonly replaced: (reason: Replacement, project?: string) => void
  /** Ends all that wait and follow. */
  readonly stop: () => void
}

export const createTraffic = (limits: JournalLimits, chance: RandomSource): Traffic => {
  const journal = createJournal(limits)
  const diagnostics = createDiagnostics()
  const faults = createFaults(chance)
  const events = createEvents()
  const waits = createPendingDelays()
  return {
    journal,
    diagnostics,
    faults,
    events,
    waits,
    record: (recorded, epoch) => {
      const { project } = recorded
      if (journal.epochOf(project) !== epoch) return
      diagnostics.add(recorded)
      const size = journal.add(recorded)
      events.publish(project ?? '', requestEvent, recorded, size)
      if (recorded.fault !== undefined) publishFault(events, recorded, recorded.fault)
    },
    committed: (project, { changes, failedPayments }) => {
      for (const change of changes)
        events.publish(project, (of) => ({ type: 'change', project, change: changeOf(of) }), change, weightOf(change))
      for (const failed of failedPayments)
        events.publish(project, (paymentLink) => ({ type: 'payment', project, paymentLink, outcome: 'failed' }), failed)
    },
    replaced: (reason, project) => {
      waits.replaced(project)
      faults.replaced(project)
      if (reason === 'reset' || reason === 'deleted') {
        for (const part of [journal, diagnostics, faults]) part.reset(project)
        events.forget(project)
      }
      events.publish(project, (why) => ({ type: 'reset', project: project ?? null, reason: why }), reason)
    },
    stop: () => {
      waits.stop()
      events.stop()
    },
  }
}

// A request without a project has an empty name, which no project can have.
const requestEvent = (recorded: Recorded) => ({
  type: 'request' as const,
  project: recorded.project ?? null,
  request: entryOf(recorded),
})

/** About how many characters a change holds: only the texts of a row can be long. */
const weightOf = ({ from, to }: RecordChange): number => 500 + charactersIn(from) + charactersIn(to)

const charactersIn = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let sum = 0
  for (const [key, item] of Object.entries(value)) sum += key.length + charactersIn(item)
  return sum
}

const publishFault = (events: Events, { project = '', id }: Recorded, fault: string) =>
  events.publish(project, (request) => ({ type: 'fault', project, fault, request }), id)
