import { errors } from '../schema/error.ts'
import type { BehaviorLookup } from '../schema/behavior.ts'
import type { Template } from '../schema/seed.ts'
import type { ProjectSummary } from '../schema/summaries.ts'
import { getClockStatus, readClock } from './clock.ts'
import { createDeriveId } from './ids.ts'
import { History, type Past, showEarlier } from './history.ts'
import { hasDuePayments, completeDuePayments } from './payment-links.ts'
import { Projects } from './projects.ts'
import { createFromTemplate, type StoreState } from './seeding.ts'
import { type ProjectState, type OnAccess, type ProjectSettings, Transaction, undoChanges } from './transaction.ts'
import type { Writer } from './collection.ts'
import { type RecordKind, mapKinds, type RecordCounts, recordKinds } from './kinds.ts'

/** Why a state was replaced. */
export type ReplacementReason = 'reset' | 'loaded' | 'restored' | 'deleted'

export interface StoreOptions {
  readonly initial: StoreState
  /** The time of a real clock, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called after each transaction with what it changed. */
  readonly onCommit?: ((project: string, transaction: Transaction) => void) | undefined
  /** Is called for each part of a project that a request or a command reads or writes. */
  readonly onAccess?: OnAccess | undefined
  /** Is called when the state of a project was replaced, or that of all projects. */
  readonly onReplaced?: ((reason: ReplacementReason, project?: string) => void) | undefined
}

/** How many projects a hint searches: it must not cost more than the request. */
const maxSearched = 100

export type Store = ReturnType<typeof createStore>

/** Creates the store of all projects. It is synchronous, so each transaction is atomic. */
export const createStore = (options: StoreOptions) => {
  const { systemNow, onCommit, onAccess, onReplaced } = options
  let { initial } = options
  const projects = new Projects(initial)
  // These outlive the state: a deleted project keeps its revision.
  const revisions = new Map<string, number>()
  const generations = new Map<string, number>()
  const requests = new Map<string, number>()
  const history = new History()
  let replacements = 0
  const deriveId = createDeriveId()
  let writer: Writer = Symbol('writer')
  let open: Transaction | undefined

  const find = (id: string) => projects.state.projects.get(id)
  const getSettings = (id: string) => find(id) ?? projects.state
  const replaceAll = (next: StoreState, reason: ReplacementReason) => {
    for (const id of new Set([...projects.listNames(), ...next.projects.keys()])) increment(revisions, id)
    projects.replaceState(next)
    history.clear()
    replacements++
    onReplaced?.(reason)
  }
  const announceReplacement = (id: string, reason: ReplacementReason) => {
    increment(generations, id)
    increment(revisions, id)
    history.clear(id)
    onReplaced?.(reason, id)
  }
  const replace = (id: string, next: ProjectState, reason: ReplacementReason) => {
    projects.put(id, next)
    announceReplacement(id, reason)
  }

  const findProjectWith = (id: string) => {
    onAccess?.({ project: '*', part: '*', isWrite: false })
    return projects.listNames(maxSearched).find((name) => {
      const state = open?.project === name ? open.result : projects.get(name)
      return recordKinds.some((kind) => state[kind].get(id) !== undefined)
    })
  }
  const context = { systemNow, deriveId, findProjectWith, onAccess }
  /** Runs an operation on a project, and commits its changes. If it throws, nothing has changed. */
  const transact = <R>(
    id: string,
    before: ProjectState,
    getBehavior: BehaviorLookup,
    operation: (transaction: Transaction) => R,
  ): R => {
    rejectOpenTransaction()
    const transaction = (open = new Transaction(context, id, before, getBehavior, writer))
    let result: R
    try {
      result = operation(transaction)
    } catch (error) {
      // The state of an unknown project is never edited in place.
      if (transaction.changes.length > 0 && find(id) !== undefined)
        projects.put(id, { ...before, ...undoChanges(transaction.result, transaction.changes, writer) })
      throw error
    } finally {
      open = undefined
    }
    const { result: after, changes } = transaction
    if (after !== before) projects.put(id, after)
    if (hasChanged(before, after)) {
      const revision = increment(revisions, id)
      for (const change of changes) history.add(id, revision, change)
    }
    onCommit?.(id, transaction)
    return result
  }
  const rejectOpenTransaction = () => {
    if (open !== undefined) throw new Error(`A transaction of project '${open.project}' has not returned yet.`)
  }
  /** Keeps a state: later changes get a new writer, which does not edit it. */
  const keep = <T>(state: T): T => {
    rejectOpenTransaction()
    writer = Symbol('writer')
    return state
  }
  const getPresent = (id: string, { clock }: ProjectState) => ({
    revision: revisions.get(id) ?? 0,
    now: readClock(clock, systemNow),
  })
  const createBehaviorLookup =
    (id: string): BehaviorLookup =>
    (key) =>
      getSettings(id).behaviors[key]

  /** Returns the state of a project. No timer runs: due payments happen when their project is used next. */
  const getProjectState = (id: string): ProjectState => {
    if (open?.project === id) return open.result
    const project = projects.get(id)
    // Inside a transaction they wait until it has returned.
    if (open !== undefined || project.scheduledPayments.length === 0 || find(id) === undefined) return project
    const now = new Date(readClock(project.clock, systemNow)).toISOString()
    if (!hasDuePayments(project, now)) return project
    return transact(id, project, createBehaviorLookup(id), (transaction) => {
      completeDuePayments(transaction, now)
      return transaction.result
    })
  }

  const summarize = (id: string): ProjectSummary => {
    const state = getProjectState(id)
    return {
      object: 'project',
      id,
      revision: revisions.get(id) ?? 0,
      ...mapKinds<RecordCounts>((kind) => state[kind].size),
      preferredLocale: state.preferredLocale,
      clock: getClockStatus(state.clock, systemNow),
    }
  }

  const write = <R>(id: string, getBehavior: BehaviorLookup, operation: (transaction: Transaction) => R): R => {
    const before = getProjectState(id)
    return transact(id, before, getBehavior, (transaction) => {
      const result = operation(transaction)
      if (hasChanged(before, transaction.result)) transaction.stepClock()
      return result
    })
  }
  const getState = (): StoreState => {
    projects.listNames().forEach(getProjectState)
    return projects.copy()
  }
  const reset = (id?: string): void => {
    if (id === undefined) {
      requests.clear()
      return replaceAll(initial, 'reset')
    }
    requests.delete(id)
    replace(id, initial.projects.get(id) ?? createFromTemplate(id, initial), 'reset')
  }
  const ensureProject = (id: string): boolean => {
    if (find(id) !== undefined) return false
    projects.put(id, projects.get(id))
    return true
  }

  return {
    /** By project: the number of changes, and of requests. */
    counts: { revisions, requests },
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
      operation(new Transaction(context, id, getProjectState(id), getBehavior, undefined)),
    /** Runs an operation on an earlier state, or on the oldest that is known. It is not older than the last replacement. */
    readPast: <R>(
      id: string,
      past: Past,
      operation: (transaction: Transaction) => R,
      getBehavior = createBehaviorLookup(id),
    ): R => {
      // A change of any part is a change.
      if (past.changes !== undefined) onAccess?.({ project: id, part: '*', isWrite: false })
      const current = getProjectState(id)
      const changes = history.listChangesSince(id, past, getPresent(id, current))
      const state = { ...current, ...showEarlier(current, changes) }
      return operation(new Transaction(context, id, state, getBehavior, undefined, current))
    },
    /** Returns true if a record of this kind has changed between two states. `newer` is undefined for the current state. */
    isChangedBetween: (id: string, kind: RecordKind, older: Past, newer: Past | undefined): boolean => {
      const present = getPresent(id, getProjectState(id))
      return history.isChangedBetween(id, kind, older, newer, present)
    },
    /** Returns the state of a project after its due payments, valid until its next change. An unknown one has its initial state. */
    getProjectState: (id: string): ProjectState => {
      onAccess?.({ project: id, part: '*', isWrite: false })
      return getProjectState(id)
    },
    /** Creates the project from the template. Returns true if it was created. */
    ensureProject,
    has: (id: string) => find(id) !== undefined,
    /** Returns the state of a project without running due payments. Undefined if it is unknown. */
    find,
    /** Returns the names of the first `max` projects, sorted. @default all */
    listNames: (max?: number) => projects.listNames(max),
    getBehaviors: (id: string) => getSettings(id).behaviors,
    getClock: (id: string) => getSettings(id).clock,
    /** Returns the time of the project's clock, in milliseconds since 1970. */
    getTime: (id: string) => readClock(getSettings(id).clock, systemNow),
    /** Returns how often the project's state was replaced. A request that began before must not write afterwards. */
    getGeneration: (id: string) => replacements + (generations.get(id) ?? 0),
    /** Returns the next seeded random number of a project, from 0 to below 1. Does not create the project. */
    draw: (id: string) => {
      onAccess?.({ project: id, part: 'counters', isWrite: true })
      return projects.draw(id)
    },
    /** Returns the id of the next request. Each project counts its own, so the ids are the same in every run. */
    nextRequestId: (id: string) => deriveId(getSettings(id).idSeed, id, 'req', increment(requests, id) - 1),
    summarize,
    summarizeAll: () => projects.listNames().map(summarize),

    /** Returns the whole state, after all due payments. It is valid until the next change. */
    getState,
    /** Return the state after due payments. It stays valid. */
    keepState: (): StoreState => keep(getState()),
    keepProjectState: (id: string): ProjectState => keep(getProjectState(id)),
    /** Returns the initial idSeed, clock and behaviors, which a loaded document can omit. */
    getBase: (id?: string): ProjectSettings => (id === undefined ? undefined : initial.projects.get(id)) ?? initial,
    replaceAll,
    replace,
    /** Changes the settings of a project, which is created if it is unknown, or those of all projects, including future ones. */
    adjust: (change: <T extends ProjectSettings>(settings: T, now: number) => T, id?: string): void => {
      const adjust = <T extends ProjectSettings>(settings: T) => change(settings, readClock(settings.clock, systemNow))
      if (id !== undefined) return projects.put(id, adjust(getProjectState(id)))
      projects.replaceState(adjust(projects.state))
      for (const name of projects.listNames()) projects.put(name, adjust(getProjectState(name)))
      // Payments that are due now are completed.
      projects.listNames().forEach(getProjectState)
    },
    /** Replaces the initial content of future projects. */
    setTemplate: (template: Template) => projects.replaceState({ ...projects.state, template }),
    /** Replaces the state of a project without a trace, for a storage. */
    put: (id: string, state: ProjectState) => projects.put(id, state),
    /** Deletes a project. Its revision stays. Throws `projectNotFound` if it is unknown. */
    remove: (id: string) => {
      if (!projects.delete(id)) throw errors.projectNotFound({ id })
      announceReplacement(id, 'deleted')
    },
    /** Restores the initial state of all projects, or of one. Request ids restart. */
    reset,
    /** Replaces the state and the initial state. */
    restart: (next: StoreState) => {
      initial = next
      reset()
    },
  }
}

const increment = (counts: Map<string, number>, id: string): number => {
  const next = (counts.get(id) ?? 0) + 1
  counts.set(id, next)
  return next
}

/** Returns true if data has changed. Counters and clocks are not data. */
const hasChanged = (before: ProjectState, after: ProjectState): boolean =>
  recordKinds.some((kind) => before[kind] !== after[kind]) ||
  before.preferredLocale !== after.preferredLocale ||
  before.invoices !== after.invoices ||
  before.scheduledPayments.length !== after.scheduledPayments.length
