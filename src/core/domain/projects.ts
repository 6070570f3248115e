import { compareTexts } from './collection.ts'
import { deriveDraw } from './ids.ts'
import { type Collections, mapKinds } from './kinds.ts'
import { type RecordChange, runBefore } from './history.ts'
import { createFromTemplate } from './seeding.ts'
import type { ProjectSettings, ProjectState, StoreState } from './project-state.ts'

export interface Access {
  /** `'*'`: all projects. */
  readonly project: string
  /** A field of the state of a project, its faults, or whether the project exists. `'*'`: all parts. */
  readonly part: keyof ProjectState | 'faults' | 'existence' | '*'
  readonly isWrite: boolean
}

export type OnAccess = (access: Access) => void

export type Projects = ReturnType<typeof createProjects>

/** No other object has this state, so each read and write of it is reported to `onAccess` here. */
export const createProjects = (initial: StoreState, onAccess?: OnAccess) => {
  let { projects, draws, ...defaults } = copyState(initial)
  let sortedNames: readonly string[] | undefined
  // One request reads the same unknown project several times.
  let implicitProject: { readonly id: string; readonly state: ProjectState } | undefined

  const { report, reportParts, observe } = createAccessReports(onAccess)
  /** Returns the state of a project, or the state that an unknown project would start with. */
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
      sortedNames = undefined
      implicitProject = undefined
    }
    projects.set(id, state)
  }
  const getDefaults = (): Omit<StoreState, 'projects'> => {
    report('*', '*', false)
    return { ...defaults, draws: new Map(draws) }
  }

  return {
    /** Only with `unknownProject=notFound` does anything depend on the existence of a project. */
    has: (id: string): boolean => {
      const { behaviors } = projects.get(id) ?? defaults
      if (behaviors.unknownProject === 'notFound') report(id, 'existence', false)
      return projects.has(id)
    },
    /** Returns the names in alphabetical order. @param max @default all */
    listNames: (max = Infinity): string[] => {
      report('*', 'existence', false)
      sortedNames ??= [...projects.keys()].toSorted(compareTexts)
      return sortedNames.slice(0, max)
    },
    /** The state is valid until the next change. */
    get: (id: string): ProjectState => reportParts(id, findProjectState(id)),
    getSettings: (id: string): ProjectSettings => reportParts<ProjectSettings>(id, projects.get(id) ?? defaults),
    /** `commit` stores the copy. The collections are not copied: they change in place. */
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
    reportAll: (id: string): void => report(id, '*', false),
    /** The function itself reports what it reads. */
    runBefore: <R>(id: string, changes: readonly RecordChange[], run: () => R): R =>
      runBefore(findProjectState(id), changes, run),
    observe,
    copy: (id: string): ProjectState => {
      report(id, '*', false)
      return copyProject(findProjectState(id))
    },
    replace: (id: string, state: ProjectState): void => {
      report(id, '*', true)
      putProjectState(id, copyProject(state))
    },
    delete: (id: string): boolean => {
      report(id, '*', true)
      if (!projects.has(id)) return false
      projects.delete(id)
      draws.delete(id)
      sortedNames = undefined
      return true
    },
    copyAll: (): StoreState => copyState({ ...getDefaults(), projects }),
    replaceAll: (nextState: StoreState): void => {
      report('*', '*', true)
      implicitProject = undefined
      ;({ projects, draws, ...defaults } = copyState(nextState))
      sortedNames = undefined
    },
    getDefaults,
    changeDefaults: (change: Partial<Omit<StoreState, 'projects' | 'draws'>>): void => {
      report('*', '*', true)
      defaults = { ...defaults, ...change }
      implicitProject = undefined
    },
    /** Returns the next seeded random number, from 0 to below 1. It does not create the project. */
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
    /** Reads of an observer are not reported. */
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

const copyProject = (state: ProjectState): ProjectState => ({
  ...state,
  ...mapKinds<Collections>((kind) => state[kind].copy()),
})

const copyState = ({ projects, draws, ...defaults }: StoreState) => ({
  ...defaults,
  projects: new Map([...projects].map(([id, project]) => [id, copyProject(project)])),
  draws: new Map(draws),
})
