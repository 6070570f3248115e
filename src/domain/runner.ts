import type { BehaviorLookup } from '../schema/behavior.ts'
import { readClock } from './clock.ts'
import type { Past } from './history.ts'
import { createDeriveId } from './ids.ts'
import { type RecordKind, recordKinds } from './kinds.ts'
import { completeDuePayments, hasDuePayments } from './payment-links.ts'
import { increment, type StoreParts } from './store-parts.ts'
import { runBefore, undoChanges } from './record-changes.ts'
import { type ProjectState, Transaction } from './transaction.ts'

/** How many projects a hint searches: it must not cost more than the request. */
const maxSearched = 100

export type Runner = ReturnType<typeof createRunner>

/** Creates the part of a store that runs operations on projects: each is a transaction. */
export const createRunner = ({ options, projects, history, revisions }: StoreParts) => {
  const { systemNow, onCommit, onAccess } = options
  let open: Transaction | undefined

  const getState = (id: string) => (open?.project === id ? open.result : projects.get(id))
  const findProjectWith = (id: string) => {
    onAccess?.({ project: '*', part: '*', isWrite: false })
    const hasRecord = (name: string) => recordKinds.some((kind) => getState(name)[kind].get(id) !== undefined)
    return projects.listNames(maxSearched).find(hasRecord)
  }
  const context = { systemNow, deriveId: createDeriveId(), findProjectWith, onAccess }

  /** Throws while an operation runs: it must not change a project in another way. */
  const rejectOpenTransaction = () => {
    if (open !== undefined) throw new Error(`A transaction of project '${open.project}' has not returned yet.`)
  }
  /** Runs an operation on a project, and commits its changes. If it throws, nothing has changed. */
  const transact = <R>(id: string, getBehavior: BehaviorLookup, operation: (transaction: Transaction) => R): R => {
    rejectOpenTransaction()
    const transaction = (open = new Transaction(context, id, projects.get(id), getBehavior, { isRead: false }))
    let result: R
    try {
      result = operation(transaction)
    } catch (error) {
      undoChanges(transaction.result, transaction.changes)
      throw error
    } finally {
      open = undefined
    }
    if (transaction.isChanged) projects.put(id, transaction.result)
    if (transaction.hasChangedData) {
      const revision = increment(revisions, id)
      for (const change of transaction.changes) history.add(id, revision, change)
    }
    onCommit?.(id, transaction)
    return result
  }
  const createBehaviorLookup =
    (id: string): BehaviorLookup =>
    (key) =>
      (projects.state.projects.get(id) ?? projects.state).behaviors[key]

  /** Returns the state of a project. No timer runs: due payments happen when their project is used next. */
  const getCurrent = (id: string): ProjectState => {
    const state = getState(id)
    // Inside a transaction they wait until it has returned.
    if (open !== undefined || state.scheduledPayments.length === 0 || !projects.state.projects.has(id)) return state
    const now = new Date(readClock(state.clock, systemNow)).toISOString()
    if (hasDuePayments(state, now))
      transact(id, createBehaviorLookup(id), (transaction) => completeDuePayments(transaction, now))
    return projects.get(id)
  }
  const getPresent = (id: string, { clock }: ProjectState) => ({
    revision: revisions.get(id) ?? 0,
    now: readClock(clock, systemNow),
  })
  const write = <R>(id: string, getBehavior: BehaviorLookup, operation: (transaction: Transaction) => R): R => {
    getCurrent(id)
    return transact(id, getBehavior, (transaction) => {
      const result = operation(transaction)
      if (transaction.hasChangedData) transaction.stepClock()
      return result
    })
  }
  /** Creates the project from the template. Returns true if it was created. */
  const ensureProject = (id: string): boolean => {
    if (projects.state.projects.has(id)) return false
    projects.put(id, projects.get(id))
    return true
  }
  return {
    rejectOpenTransaction,
    getCurrent,
    ensureProject,
    /** Returns the state of a project after its due payments, valid until its next change. An unknown one has its initial state. */
    getProjectState: (id: string): ProjectState => {
      onAccess?.({ project: id, part: '*', isWrite: false })
      return getCurrent(id)
    },
    /**
     * Runs an operation on a project, and commits its changes. If it throws, only due payments are committed. It must not
     * change a project in another way: that throws.
     */
    write,
    /** Runs an operation for the control API, with the behaviors of the project. Creates an unknown project. */
    update: <R>(id: string, operation: (transaction: Transaction) => R): R => {
      const result = write(id, createBehaviorLookup(id), operation)
      ensureProject(id)
      return result
    },
    /** Runs an operation that changes nothing. It does not create the project. */
    read: <R>(id: string, operation: (transaction: Transaction) => R, getBehavior = createBehaviorLookup(id)): R =>
      operation(new Transaction(context, id, getCurrent(id), getBehavior, { isRead: true })),
    /** Runs an operation on an earlier state, or on the oldest that is known. It is not older than the last replacement. */
    readPast: <R>(
      id: string,
      past: Past,
      operation: (transaction: Transaction) => R,
      getBehavior = createBehaviorLookup(id),
    ): R => {
      // A change of any part is a change.
      if (past.changes !== undefined) onAccess?.({ project: id, part: '*', isWrite: false })
      const state = getCurrent(id)
      const undone = history.listChangesSince(id, past, getPresent(id, state))
      return runBefore(state, undone, () =>
        operation(new Transaction(context, id, state, getBehavior, { isRead: true, undone })),
      )
    },
    /** Returns true if a record of this kind has changed between two states. `newer` is undefined for the current state. */
    isChangedBetween: (id: string, kind: RecordKind, older: Past, newer: Past | undefined): boolean =>
      history.isChangedBetween(id, kind, older, newer, getPresent(id, getCurrent(id))),
  }
}
