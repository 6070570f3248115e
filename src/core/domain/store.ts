import type { BehaviorChoices, BehaviorLookup, Behaviors } from '../schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../schema/clock-document.ts'
import { errors } from '../schema/error.ts'
import { omitUndefined } from '../schema/json-value.ts'
import type { Template } from '../schema/seed.ts'
import type { ProjectSummary } from '../schema/summaries.ts'
import { advance, createClock, getClockStatus, readClock } from './clock.ts'
import { History, type Past, undoChanges } from './history.ts'
import { createDeriveId } from './ids.ts'
import { mapKinds, type RecordCounts, type RecordKind, recordKinds } from './kinds.ts'
import { completeDuePayments, isDue } from './payment-links.ts'
import { createProjects, type OnAccess, type Projects } from './projects.ts'
import type { ProjectSettings, ProjectState, StoreState } from './project-state.ts'
import { createFromTemplate } from './seeding.ts'
import { Transaction, type TransactionContext } from './transaction.ts'

export type ReplacementReason = 'reset' | 'loaded' | 'restored' | 'deleted'

export interface StoreOptions {
  /** The state that the store starts with, and that a reset restores. */
  readonly initial: StoreState
  /** The time of a real clock, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called after each write with what it changed. */
  readonly onCommit?: ((project: string, transaction: Transaction) => void) | undefined
  readonly onAccess?: OnAccess | undefined
  /** Without `project`, the state of all projects was replaced. */
  readonly onReplaced?: ((reason: ReplacementReason, project?: string) => void) | undefined
}

export type Store = ReturnType<typeof createStore>

/** Creates the store of all projects. It is synchronous, so each transaction is atomic. */
export const createStore = (options: StoreOptions) => {
  const projects = createProjects(options.initial, options.onAccess)
  const history = new History()
  const requests = new Map<string, number>()
  const parts: StoreParts = { ...options, projects, history, requests }
  const { settle, ...transactions } = createTransactions(parts)
  const deriveRequestId = createDeriveId()
  const summarizeProject = (project: string): ProjectSummary =>
    transactions.read(project, ({ state }) => ({
      object: 'project',
      id: project,
      revision: history.revisions.get(project) ?? 0,
      ...mapKinds<RecordCounts>((kind) => state[kind].size),
      preferredLocale: state.preferredLocale,
      clock: getClockStatus(state.clock, options.systemNow),
    }))
  const { has, listNames, ensure, draw, observe } = projects
  return {
    // Run an operation on a project: `read`, `write`, `update`.
    ...transactions,
    // The `clock` and the `behaviors` of a project, or of all.
    ...createSettings(parts, settle),
    states: createStates(parts, settle),
    projects: {
      has,
      listNames,
      ensure,
      observe,
      summarize: summarizeProject,
      summarizeAll: () => listNames().map(summarizeProject),
      revisions: history.revisions,
    },
    requests: {
      counts: requests,
      /** Each project counts its own requests, so that the ids are the same in every run. */
      nextId: (project: string): string => {
        const count = requests.get(project) ?? 0
        requests.set(project, count + 1)
        return deriveRequestId(projects.getSettings(project).idSeed, project, 'req', count)
      },
    },
    draw,
  }
}

interface StoreParts extends StoreOptions {
  readonly projects: Projects
  readonly history: History
  readonly requests: Map<string, number>
}

/** How many projects a hint searches: it must not cost more than the request. */
const maxSearchedProjects = 100

type TransactionCallback<R> = (transaction: Transaction) => R

const createTransactions = ({ projects, history, systemNow, onCommit }: StoreParts) => {
  let openTransaction: Transaction | undefined
  const findProjectWith = (id: string) =>
    projects
      .listNames(maxSearchedProjects)
      .find((name) => recordKinds.some((kind) => projects.get(name)[kind].get(id) !== undefined))
  const context: TransactionContext = { systemNow, deriveId: createDeriveId(), findProjectWith }
  const createBehaviorLookup =
    (project: string): BehaviorLookup =>
    (key) =>
      projects.getSettings(project).behaviors[key]
  const getTime = (project: string) => readClock(projects.getSettings(project).clock, systemNow)

  const runTransaction = <R>(transaction: Transaction, operation: TransactionCallback<R>): R => {
    openTransaction = transaction
    try {
      return operation(transaction)
    } catch (error) {
      undoChanges(transaction.state, transaction.changes)
      throw error
    } finally {
      openTransaction = undefined
    }
  }
  const commit = <R>(project: string, getBehavior: BehaviorLookup, operation: TransactionCallback<R>): R => {
    const projectDraft = projects.edit(project)
    const options = { project, state: projectDraft.state, before: projects.get(project), getBehavior }
    const transaction = new Transaction(context, options)
    const result = runTransaction(transaction, operation)
    if (transaction.isDirty) projectDraft.commit()
    if (transaction.hasChangedData) history.add(project, transaction.changes)
    onCommit?.(project, transaction)
    return result
  }
  /** No timer runs: due payments are completed when the project is used next. Throws while a transaction is open. */
  const settle = (project: string): void => {
    if (openTransaction !== undefined)
      throw new Error(`A transaction of project '${openTransaction.project}' has not returned yet.`)
    const state = projects.get(project)
    if (state.scheduledPayments.length === 0 || !projects.has(project)) return
    const now = new Date(getTime(project)).toISOString()
    if (state.scheduledPayments.some((scheduled) => isDue(scheduled, now)))
      commit(project, createBehaviorLookup(project), (transaction) => completeDuePayments(transaction, now))
  }
  const write = <R>(project: string, getBehavior: BehaviorLookup, operation: TransactionCallback<R>): R => {
    settle(project)
    return commit(project, getBehavior, (transaction) => {
      const result = operation(transaction)
      if (transaction.hasChangedData) transaction.stepClock()
      return result
    })
  }
  return {
    settle,
    /** Runs an operation on a project, and commits its changes. If it throws, only due payments are committed. */
    write,
    /** Runs an operation for the control API, with the behaviors of the project. Creates an unknown project. */
    update: <R>(project: string, operation: TransactionCallback<R>): R => {
      const result = write(project, createBehaviorLookup(project), operation)
      projects.ensure(project)
      return result
    },
    /**
     * Runs an operation that changes nothing. It does not create the project. With `past`, it reads an earlier state. If the
     * history is too short, or the state was replaced since, it reads the oldest known state.
     */
    read: <R>(
      project: string,
      operation: TransactionCallback<R>,
      getBehavior = createBehaviorLookup(project),
      past?: Past,
    ): R => {
      settle(project)
      // Every part can have changed, so every part counts as read.
      if (past?.changes !== undefined) projects.reportAll(project)
      const undone = past === undefined ? [] : history.listChangesSince(project, past, getTime(project))
      const transaction = new Transaction(context, { project, state: projects.get(project), undone, getBehavior })
      return projects.runBefore(project, undone, () => runTransaction(transaction, operation))
    },
    isChangedBetween: (project: string, kind: RecordKind, older: Past, newer: Past | undefined): boolean => {
      settle(project)
      return history.isChangedBetween(project, kind, older, newer, getTime(project))
    },
  }
}

type Settle = (project: string) => void

const createSettings = ({ projects, systemNow }: StoreParts, settle: Settle) => {
  /** Changes the settings of one project, which is created if it is unknown, or of all, including future ones. */
  const changeSettings = (
    getChange: (settings: ProjectSettings, now: number) => Partial<ProjectSettings>,
    project: string | undefined,
  ): void => {
    const getChangedSettings = (settings: ProjectSettings) => getChange(settings, readClock(settings.clock, systemNow))
    const changeProject = (name: string) => {
      settle(name)
      const { state, commit } = projects.edit(name)
      Object.assign(state, getChangedSettings(state))
      commit()
    }
    if (project === undefined) projects.changeDefaults(getChangedSettings(projects.getDefaults()))
    const projectNames = project === undefined ? projects.listNames() : [project]
    projectNames.forEach(changeProject)
    // The new time may have made more payments due.
    projectNames.forEach(settle)
  }
  return {
    clock: {
      /** Returns milliseconds since 1970. */
      getTime: (project: string): number => readClock(projects.getSettings(project).clock, systemNow),
      getStatus: (project: string): ClockStatus => getClockStatus(projects.getSettings(project).clock, systemNow),
      /** Without `now`, each clock starts at its current time. */
      set: (document: ClockDocument, project?: string): void =>
        changeSettings((_, now) => ({ clock: createClock(document, now) }), project),
      advance: (milliseconds: number, project?: string): void =>
        changeSettings(({ clock }) => ({ clock: advance(clock, milliseconds) }), project),
    },
    behaviors: {
      get: (project: string): Behaviors => projects.getSettings(project).behaviors,
      /** A value for all projects also replaces the own values of projects. */
      set: (choices: BehaviorChoices, project?: string): void =>
        changeSettings(({ behaviors }) => ({ behaviors: { ...behaviors, ...omitUndefined(choices) } }), project),
    },
  }
}

const createStates = ({ projects, history, requests, onReplaced, ...options }: StoreParts, settle: Settle) => {
  let { initial } = options
  let replacements = 0
  const generations = new Map<string, number>()

  const announceReplacement = (project: string, reason: ReplacementReason): void => {
    generations.set(project, (generations.get(project) ?? 0) + 1)
    history.restart(project)
    onReplaced?.(reason, project)
  }
  const replace = (project: string, nextState: ProjectState, reason: ReplacementReason): void => {
    projects.replace(project, nextState)
    announceReplacement(project, reason)
  }
  const replaceAll = (nextState: StoreState, reason: ReplacementReason): void => {
    for (const project of new Set([...projects.listNames(), ...nextState.projects.keys()])) history.restart(project)
    projects.replaceAll(nextState)
    replacements++
    onReplaced?.(reason)
  }
  const reset = (project?: string): void => {
    if (project === undefined) {
      requests.clear()
      return replaceAll(initial, 'reset')
    }
    requests.delete(project)
    replace(project, initial.projects.get(project) ?? createFromTemplate(project, initial), 'reset')
  }
  return {
    copy: (project: string): ProjectState => {
      settle(project)
      return projects.copy(project)
    },
    copyAll: (): StoreState => {
      projects.listNames().forEach(settle)
      return projects.copyAll()
    },
    replace,
    replaceAll,
    /** Returns the current state of a project, without completing due payments, for a storage. Undefined if it is unknown. */
    find: (project: string): ProjectState | undefined => (projects.has(project) ? projects.get(project) : undefined),
    /** Replaces the state of a project without a trace, for a storage. */
    load: (project: string, state: ProjectState): void => projects.replace(project, state),
    reset,
    restart: (nextState: StoreState): void => {
      initial = nextState
      reset()
    },
    delete: (project: string): void => {
      if (!projects.delete(project)) throw errors.projectNotFound({ id: project })
      announceReplacement(project, 'deleted')
    },
    /** Returns the initial idSeed, clock and behaviors, which a loaded document can omit. */
    getBase: (project?: string): ProjectSettings =>
      (project === undefined ? undefined : initial.projects.get(project)) ?? initial,
    /** Returns how often the project's state was replaced. A request that began before must not write afterwards. */
    getGeneration: (project: string): number => replacements + (generations.get(project) ?? 0),
    getDefaults: () => projects.getDefaults(),
    setTemplate: (template: Template): void => projects.changeDefaults({ template }),
  }
}
