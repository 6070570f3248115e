import { compareTexts } from './collection.ts'
import { deriveDraw } from './ids.ts'
import { type Collections, mapKinds } from './kinds.ts'
import { type RecordChange, runBefore } from './history.ts'
import { createFromTemplate } from './seeding.ts'
import type { ProjectSettings, ProjectState, StoreState } from './project-state.ts'

/** A read or a write of the state. */
export interface Access {
  /** `'*'`: all projects. */
  readonly project: string
  /** A field of the state of a project, its faults, or whether the project exists. `'*'`: all parts. */
  readonly part: keyof ProjectState | 'faults' | 'existence' | '*'
  readonly isWrite: boolean
}

export type OnAccess = (access: Access) => void

/** The settings of projects that do not exist yet. */
type ProjectDefaults = Omit<StoreState, 'projects' | 'draws'>

export type Projects = ReturnType<typeof createProjects>

/**
 * Creates the state of all projects, also of projects that do not exist yet. No other object has this state, so each read and
 * write of it is reported to `onAccess` here.
 */
export const createProjects = (initial: StoreState, onAccess?: OnAccess) => {
  let { projects, draws, ...defaults } = copyState(initial)
  // The names in order, once they were needed.
  let projectNames: readonly string[] | undefined
  // One request reads the same unknown project several times.
  let implicitProject: { readonly id: string; readonly state: ProjectState } | undefined

  const { report, reportParts, observe } = createAccessReports(onAccess)
  /** Returns the state of a project, or the one that an unknown project would start with. */
  const findProjectState = (id: string): ProjectState => {
    const knownState = projects.get(id) ?? (implicitProject?.id === id ? implicitProject.state : undefined)
    if (knownState !== undefined) return knownState
    const state = createFromTemplate(id, { ...defaults, draws })
    implicitProject = { id, state }
    return state
  }
  const putProjectState = (id: string, state: ProjectState): void => {
    if (!projects.has(id)) {
      report(id, 'existence', true)
      draws.delete(id)
      projectNames = undefined
      // It is the project now.
      implicitProject = undefined
    }
    projects.set(id, state)
  }
  const getDefaults = (): Omit<StoreState, 'projects'> => {
    report('*', '*', false)
    return { ...defaults, draws: new Map(draws) }
  }

  return {
    /** Returns true if the project exists. Only with `unknownProject=notFound` does anything depend on it. */
    has: (id: string): boolean => {
      const { behaviors } = projects.get(id) ?? defaults
      if (behaviors.unknownProject === 'notFound') report(id, 'existence', false)
      return projects.has(id)
    },
    /** Returns the names of the first `max` projects, sorted. @default all */
    listNames: (max = Infinity): string[] => {
      report('*', 'existence', false)
      projectNames ??= [...projects.keys()].toSorted(compareTexts)
      return projectNames.slice(0, max)
    },
    /** Returns the state of a project, or the one that an unknown project would start with. It is valid until the next change. */
    get: (id: string): ProjectState => reportParts(id, findProjectState(id)),
    /** Returns the settings of a project. An unknown one has the defaults. */
    getSettings: (id: string): ProjectSettings => reportParts<ProjectSettings>(id, projects.get(id) ?? defaults),
    /**
     * Returns a copy of the state of a project, and `commit`, which stores the copy and creates an unknown project. The
     * collections are not copied: they change in place.
     */
    edit: (id: string) => {
      const state = { ...findProjectState(id) }
      return { state: reportParts(id, state), commit: () => putProjectState(id, state) }
    },
    /** Creates the project from the template. Returns true if it was created. */
    ensure: (id: string): boolean => {
      if (projects.has(id)) return false
      putProjectState(id, findProjectState(id))
      return true
    },
    /** Reports that all parts of a project are read. */
    reportAll: (id: string): void => report(id, '*', false),
    /** Runs a function while the newest changes of a project are undone. The function itself reports what it reads. */
    runBefore: <R>(id: string, changes: readonly RecordChange[], run: () => R): R =>
      runBefore(findProjectState(id), changes, run),
    observe,
    /** Returns a copy of the state of a project, which later changes do not affect. */
    copy: (id: string): ProjectState => {
      report(id, '*', false)
      return copyProject(findProjectState(id))
    },
    /** Replaces the state of a project, which is created if it is unknown. */
    replace: (id: string, state: ProjectState): void => {
      report(id, '*', true)
      putProjectState(id, copyProject(state))
    },
    /** Returns false if the project is unknown. */
    delete: (id: string): boolean => {
      report(id, '*', true)
      if (!projects.has(id)) return false
      projects.delete(id)
      draws.delete(id)
      projectNames = undefined
      return true
    },
    copyAll: (): StoreState => copyState({ ...getDefaults(), projects }),
    replaceAll: (nextState: StoreState): void => {
      report('*', '*', true)
      implicitProject = undefined
      ;({ projects, draws, ...defaults } = copyState(nextState))
      projectNames = undefined
    },
    /** Returns what projects have that do not exist yet. */
    getDefaults,
    changeDefaults: (change: Partial<ProjectDefaults>): void => {
      report('*', '*', true)
      defaults = { ...defaults, ...change }
      implicitProject = undefined
    },
    /** Returns the next seeded random number of a project, from 0 to below 1. It does not create the project. */
    draw: (id: string): number => {
      report(id, 'counters', true)
      const { counters, ...otherState } = findProjectState(id)
      const state = { ...otherState, counters: { ...counters, draws: counters.draws + 1 } }
      if (projects.has(id)) projects.set(id, state)
      else {
        draws.set(id, state.counters.draws)
        implicitProject = { id, state }
      }
      return deriveDraw(state.idSeed, id, counters.draws)
    },
  }
}

const createAccessReports = (onAccess: OnAccess | undefined) => {
  let isObserving = false
  const report = (project: string, part: Access['part'], isWrite: boolean): void => {
    if (!isObserving) onAccess?.({ project, part, isWrite })
  }
  return {
    report,
    /** Returns a state that reports each part that is read or set. */
    reportParts: <S extends ProjectSettings>(id: string, state: S): S =>
      onAccess === undefined
        ? state
        : new Proxy(state, {
            get: (stateTarget, part: keyof ProjectState) => {
              report(id, part, false)
              return Reflect.get(stateTarget, part) as unknown
            },
            set: (stateTarget, part: keyof ProjectState, value) => {
              report(id, part, true)
              return Reflect.set(stateTarget, part, value)
            },
          }),
    /** Runs a function that reads for an observer of the requests. It reports nothing. */
    observe: <R>(run: () => R): R => {
      isObserving = true
      try {
        return run()
      } finally {
        isObserving = false
      }
    },
  }
}

/** Copies a state. Its records are copied when one of both changes. */
const copyProject = (state: ProjectState): ProjectState => ({
  ...state,
  ...mapKinds<Collections>((kind) => state[kind].copy()),
})

const copyState = ({ projects, draws, ...defaults }: StoreState) => ({
  ...defaults,
  projects: new Map([...projects].map(([id, project]) => [id, copyProject(project)])),
  draws: new Map(draws),
})
