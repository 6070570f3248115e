import { errors } from '../schema/error.ts'
import type { Template } from '../schema/seed.ts'
import type { History } from './history.ts'
import type { Projects } from './projects.ts'
import type { StoreState } from './project-state.ts'
import { createFromTemplate } from './seeding.ts'
import type { ProjectSettings, ProjectState } from './project-state.ts'

/** Why a state was replaced. */
export type ReplacementReason = 'reset' | 'loaded' | 'restored' | 'deleted'

interface StatesOptions {
  /** The state that a reset restores. */
  readonly initial: StoreState
  readonly projects: Projects
  readonly history: History
  /** By project: the number of requests. */
  readonly requests: Map<string, number>
  /** Completes the due payments of a project. */
  readonly settle: (project: string) => void
  /** Is called when the state of a project was replaced, or that of all projects. */
  readonly onReplaced?: ((reason: ReplacementReason, project?: string) => void) | undefined
}

/** Creates the part of a store that copies and replaces whole states. */
export const createStates = ({ projects, history, requests, settle, onReplaced, ...options }: StatesOptions) => {
  let { initial } = options
  let replacements = 0
  const generations = new Map<string, number>()

  const announce = (project: string, reason: ReplacementReason): void => {
    generations.set(project, (generations.get(project) ?? 0) + 1)
    history.restart(project)
    onReplaced?.(reason, project)
  }
  const replace = (project: string, next: ProjectState, reason: ReplacementReason): void => {
    projects.replace(project, next)
    announce(project, reason)
  }
  const replaceAll = (next: StoreState, reason: ReplacementReason): void => {
    for (const project of new Set([...projects.listNames(), ...next.projects.keys()])) history.restart(project)
    projects.replaceAll(next)
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
    /** Returns a copy of the state of a project after its due payments. Later changes do not affect it. */
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
    /** Restores the initial state of all projects, or of one. Request ids restart. */
    reset,
    /** Replaces the state and the initial state. */
    restart: (next: StoreState): void => {
      initial = next
      reset()
    },
    /** Deletes a project. Its revision stays. Throws `projectNotFound` if it is unknown. */
    delete: (project: string): void => {
      if (!projects.delete(project)) throw errors.projectNotFound({ id: project })
      announce(project, 'deleted')
    },
    /** Returns the initial idSeed, clock and behaviors, which a loaded document can omit. */
    getBase: (project?: string): ProjectSettings =>
      (project === undefined ? undefined : initial.projects.get(project)) ?? initial,
    /** Returns how often the project's state was replaced. A request that began before must not write afterwards. */
    getGeneration: (project: string): number => replacements + (generations.get(project) ?? 0),
    /** Returns what projects have that do not exist yet. */
    getDefaults: () => projects.getDefaults(),
    /** Replaces the initial content of future projects. */
    setTemplate: (template: Template): void => projects.changeDefaults({ template }),
  }
}
