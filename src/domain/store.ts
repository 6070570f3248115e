import type { BehaviorLookup } from '../schema/behavior.ts'
import { MockError } from '../schema/error.ts'
import type { ProjectSummary } from '../schema/summaries.ts'
import { clockStatus, readClock } from './clock.ts'
import { deriveId } from './ids.ts'
import { hasDuePayments, completeDuePayments } from './scheduled-payments.ts'
import { hasChanged, type ProjectState } from './project.ts'
import type { Base, StoreState } from './initial-state.ts'
import { fromTemplate, Projects } from './projects.ts'
import { Transaction } from './transaction.ts'

/** Why a state was replaced. */
export type ReplacementReason = 'reset' | 'loaded' | 'restored' | 'deleted'

export interface StoreOptions {
  readonly initial: StoreState
  /** The time of a real clock, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called after each transaction with what it changed. */
  readonly onCommit?: ((project: string, transaction: Transaction) => void) | undefined
  /** Is called when the state of a project was replaced, or that of all projects. */
  readonly onReplaced?: ((reason: ReplacementReason, project?: string) => void) | undefined
}

/** How many projects a hint searches: it must not cost more than the request. */
const maxSearched = 100

export type Store = ReturnType<typeof createStore>

/** Creates the store of all projects. It is synchronous, so each transaction is atomic. */
export const createStore = (options: StoreOptions) => {
  const { systemNow, onCommit, onReplaced } = options
  let { initial } = options
  const projects = new Projects(initial)
  // These outlive the state: a deleted project keeps its revision.
  const revisions = new Map<string, number>()
  const generations = new Map<string, number>()
  const requests = new Map<string, number>()
  let replacements = 0

  const settingsOf = (id: string) => projects.find(id) ?? projects.state
  const projectState = (id: string): ProjectState => runDuePayments(id, projects.get(id))
  const commit = (before: ProjectState, transaction: Transaction) => {
    const { project, state: after } = transaction
    if (after !== before) projects.put(project, after)
    if (hasChanged(before, after)) increment(revisions, project)
    onCommit?.(project, transaction)
  }
  const replaceAll = (next: StoreState, reason: ReplacementReason) => {
    for (const id of new Set([...projects.names(), ...next.projects.keys()])) increment(revisions, id)
    projects.replaceState(next)
    replacements++
    onReplaced?.(reason)
  }
  const replaced = (id: string, reason: ReplacementReason) => {
    increment(generations, id)
    increment(revisions, id)
    onReplaced?.(reason, id)
  }
  const replace = (id: string, next: ProjectState, reason: ReplacementReason) => {
    projects.put(id, next)
    replaced(id, reason)
  }

  const projectWith = (id: string) =>
    projects.names(maxSearched).find((name) => {
      const { users, paymentLinks } = projects.get(name)
      return users.get(id) ?? paymentLinks.get(id)
    })
  const begin = (id: string, project: ProjectState, getBehavior: BehaviorLookup) =>
    new Transaction(id, project, getBehavior, { systemNow, projectWith })
  const behaviorLookup =
    (id: string): BehaviorLookup =>
    (key) =>
      settingsOf(id).behaviors[key]

  // No timer runs: a scheduled payment happens when its project is used next.
  const runDuePayments = (id: string, project: ProjectState): ProjectState => {
    if (project.scheduledPayments.length === 0 || projects.find(id) === undefined) return project
    const now = new Date(readClock(project.clock, systemNow)).toISOString()
    if (!hasDuePayments(project, now)) return project
    const transaction = begin(id, project, behaviorLookup(id))
    completeDuePayments(transaction, now)
    commit(project, transaction)
    return transaction.state
  }

  const summary = (id: string): ProjectSummary => {
    const { users, paymentLinks, preferredLocale, clock } = projectState(id)
    const counted = { revision: revisions.get(id) ?? 0, users: users.size, paymentLinks: paymentLinks.size }
    return { object: 'project', id, ...counted, preferredLocale, clock: clockStatus(clock, systemNow) }
  }

  const write = <R>(id: string, getBehavior: BehaviorLookup, operation: (transaction: Transaction) => R): R => {
    const before = projectState(id)
    const transaction = begin(id, before, getBehavior)
    const result = operation(transaction)
    if (hasChanged(before, transaction.state)) transaction.stepClock()
    commit(before, transaction)
    return result
  }
  const ensureProject = (id: string): boolean => {
    if (projects.find(id) !== undefined) return false
    projects.put(id, projects.get(id))
    return true
  }

  return {
    /** By project: the number of changes, and of requests. */
    counts: { revisions, requests },
    /** Runs an operation on a project, and commits its changes. If it throws, only due payments are committed. */
    write,
    /** Runs an operation for the control API: with the behaviors of the project, which is created if it is unknown. */
    update: <R>(id: string, operation: (transaction: Transaction) => R): R => {
      const result = write(id, behaviorLookup(id), operation)
      ensureProject(id)
      return result
    },
    /** Runs an operation that changes nothing. It does not create the project. */
    read: <R>(id: string, operation: (transaction: Transaction) => R, getBehavior = behaviorLookup(id)): R =>
      operation(begin(id, projectState(id), getBehavior)),
    /** The state of a project after its due payments; of an unknown project, the state that it would start with. */
    projectState,
    /** Creates the project from the template. Returns true if it was created. */
    ensureProject,
    has: (id: string) => projects.find(id) !== undefined,
    /** The state of a project as it is, without its due payments. Undefined if it is unknown. */
    find: (id: string) => projects.find(id),
    /** The names of all projects, sorted. */
    names: (max?: number) => projects.names(max),
    behaviorsOf: (id: string) => settingsOf(id).behaviors,
    clockOf: (id: string) => settingsOf(id).clock,
    /** The time of the project's clock, in milliseconds since 1970. */
    timeOf: (id: string) => readClock(settingsOf(id).clock, systemNow),
    /** Counts how often the project's state was replaced. A request that began before must not write afterwards. */
    generationOf: (id: string) => replacements + (generations.get(id) ?? 0),
    /** The next seeded random number of a project, from 0 to below 1. It does not create the project. */
    draw: (id: string) => projects.draw(id),
    /** Each project counts its own requests, so the ids are the same in every run. */
    nextRequestId: (id: string) => deriveId(settingsOf(id).idSeed, id, 'req', increment(requests, id) - 1),
    summary,
    summaries: () => projects.names().map(summary),

    /** A copy of the whole state, after all due payments. */
    state: (): StoreState => {
      projects.names().forEach(projectState)
      return projects.copy()
    },
    /** The initial idSeed, clock and behaviors, which a loaded document can leave out. */
    baseOf: (id?: string): Base => (id === undefined ? undefined : initial.projects.get(id)) ?? initial,
    replaceAll,
    replace,
    /** Changes clock, behaviors or template of the store, and the same of every project. */
    adjustAll: (change: (state: StoreState) => StoreState, each: (project: ProjectState) => ProjectState) => {
      projects.replaceState(change(projects.state))
      for (const id of projects.names()) projects.put(id, each(projectState(id)))
    },
    /** Changes clock or behaviors of a project, which is created if it is unknown. */
    adjust: (id: string, each: (project: ProjectState) => ProjectState) => projects.put(id, each(projectState(id))),
    /** Deletes a project. Its revision stays. Throws `projectNotFound` if it is unknown. */
    remove: (id: string) => {
      if (!projects.delete(id)) throw new MockError('projectNotFound', `No project '${id}'.`)
      replaced(id, 'deleted')
    },
    /** Restores the initial state of all projects, or of one. Request ids restart. */
    reset: (id?: string) => {
      if (id === undefined) {
        requests.clear()
        return replaceAll(initial, 'reset')
      }
      requests.delete(id)
      replace(id, initial.projects.get(id) ?? fromTemplate(id, initial), 'reset')
    },
    /** Starts again from another state. */
    restart: (next: StoreState) => {
      initial = next
      requests.clear()
      replaceAll(initial, 'reset')
    },
  }
}

const increment = (counts: Map<string, number>, id: string): number => {
  const next = (counts.get(id) ?? 0) + 1
  counts.set(id, next)
  return next
}
