import type { ProjectSummary } from '../schema/summaries.ts'
import { getClockStatus } from './clock.ts'
import { History } from './history.ts'
import { createDeriveId } from './ids.ts'
import { mapKinds, type RecordCounts } from './kinds.ts'
import { completeDuePayments, hasDuePayments } from './payment-links.ts'
import { createProjects, type OnAccess } from './projects.ts'
import type { StoreState } from './project-state.ts'
import { createSettings } from './project-settings.ts'
import { createStates, type ReplacementReason } from './states.ts'
import { createTransactions, type Transaction } from './transaction.ts'

export interface StoreOptions {
  readonly initial: StoreState
  /** The time of a real clock, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called after each write with what it changed. */
  readonly onCommit?: ((project: string, transaction: Transaction) => void) | undefined
  /** Is called for each part of the state that a request or a command reads or writes. */
  readonly onAccess?: OnAccess | undefined
  /** Is called when the state of a project was replaced, or that of all projects. */
  readonly onReplaced?: ((reason: ReplacementReason, project?: string) => void) | undefined
}

export type Store = ReturnType<typeof createStore>

/** Creates the store of all projects. It is synchronous, so each transaction is atomic. */
export const createStore = (options: StoreOptions) => {
  const projects = createProjects(options.initial, options.onAccess)
  const history = new History()
  const requests = new Map<string, number>()
  const { settle, ...transactions } = createTransactions({
    ...options,
    projects,
    history,
    hasDuePayments,
    completeDuePayments,
  })
  const deriveRequestId = createDeriveId()
  const summarize = (project: string): ProjectSummary =>
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
    // Run an operation on a project: `read`, `write`, `update`, `readPast`.
    ...transactions,
    // The `clock` and the `behaviors` of a project, or of all.
    ...createSettings({ ...options, projects, settle }),
    /** Whole states: copies, loads, resets. */
    states: createStates({ ...options, projects, history, requests, settle }),
    projects: {
      has,
      listNames,
      ensure,
      observe,
      summarize,
      summarizeAll: () => listNames().map(summarize),
      /** The number of changes of each project. */
      revisions: history.revisions,
    },
    requests: {
      /** The number of requests of each project. */
      counts: requests,
      /** Returns the id of the next request. Each project counts its own, so the ids are the same in every run. */
      nextId: (project: string): string => {
        const count = requests.get(project) ?? 0
        requests.set(project, count + 1)
        return deriveRequestId(projects.getSettings(project).idSeed, project, 'req', count)
      },
    },
    /** Returns the next seeded random number of a project. */
    draw,
  }
}
