import { errors } from '../schema/error.ts'
import type { Template } from '../schema/seed.ts'
import { readClock } from './clock.ts'
import { recordKinds } from './kinds.ts'
import type { Runner } from './runner.ts'
import { createFromTemplate, type StoreState } from './seeding.ts'
import { increment, type ReplacementReason, type StoreParts } from './store-parts.ts'
import type { ProjectSettings, ProjectState } from './transaction.ts'

/** Creates the part of a store that keeps and replaces whole states. */
export const createReplacements = (
  { options, projects, history, revisions, requests }: StoreParts,
  { getCurrent, rejectOpenTransaction }: Runner,
) => {
  const { systemNow, onReplaced } = options
  let { initial } = options
  const generations = new Map<string, number>()
  let replacements = 0

  const replaceAll = (next: StoreState, reason: ReplacementReason): void => {
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
  const replace = (id: string, next: ProjectState, reason: ReplacementReason): void => {
    projects.put(id, next)
    announceReplacement(id, reason)
  }
  const getState = (): StoreState => {
    projects.listNames().forEach(getCurrent)
    return projects.copy()
  }
  const keep = (state: ProjectState): ProjectState => {
    rejectOpenTransaction()
    for (const kind of recordKinds) state[kind].keep()
    return state
  }
  const reset = (id?: string): void => {
    if (id === undefined) {
      requests.clear()
      return replaceAll(initial, 'reset')
    }
    requests.delete(id)
    replace(id, initial.projects.get(id) ?? createFromTemplate(id, initial), 'reset')
  }
  return {
    /** Returns the whole state, after all due payments. It is valid until the next change. */
    getState,
    /** Return the state after due payments. It stays valid. */
    keepState: (): StoreState => {
      const state = getState()
      for (const project of state.projects.values()) keep(project)
      return state
    },
    keepProjectState: (id: string): ProjectState => keep(getCurrent(id)),
    /** Returns the initial idSeed, clock and behaviors, which a loaded document can omit. */
    getBase: (id?: string): ProjectSettings => (id === undefined ? undefined : initial.projects.get(id)) ?? initial,
    /** Returns how often the project's state was replaced. A request that began before must not write afterwards. */
    getGeneration: (id: string) => replacements + (generations.get(id) ?? 0),
    replaceAll,
    replace,
    /** Changes the settings of a project, which is created if it is unknown, or those of all projects, including future ones. */
    adjust: (change: <T extends ProjectSettings>(settings: T, now: number) => T, id?: string): void => {
      const adjust = <T extends ProjectSettings>(settings: T) => change(settings, readClock(settings.clock, systemNow))
      if (id !== undefined) return projects.put(id, adjust(getCurrent(id)))
      projects.replaceState(adjust(projects.state))
      for (const name of projects.listNames()) projects.put(name, adjust(getCurrent(name)))
      // Payments that are due now are completed.
      projects.listNames().forEach(getCurrent)
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
