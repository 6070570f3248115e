import { errors } from '../schema/error.ts'
import type { Snapshot } from '../schema/summaries.ts'
import { mapKinds, type RecordCounts } from './kinds.ts'
import type { ProjectState } from './transaction.ts'
import type { StoreState } from './initial-state.ts'
import type { Store } from './store.ts'

/** Named copies of the state. They survive a reset, and end with their project. A copy shares everything that has not changed. */
export type Snapshots = ReturnType<typeof createSnapshots>

interface SavedState {
  readonly snapshot: Snapshot
  readonly restore: () => void
}

/** A snapshot of one project. */
export interface SavedProject {
  readonly snapshot: Snapshot
  readonly load: () => ProjectState
}

/**
 * Creates the object that saves, lists and restores snapshots.
 * @param max the maximum number of snapshots of a project
 */
export const createSnapshots = (store: Store, max = Infinity) => {
  const all = new Map<string, SavedState>()
  const own = new Map<string, Map<string, SavedProject & SavedState>>()
  const getOwn = (project: string) => own.get(project) ?? new Map<string, SavedProject & SavedState>()
  const getSnapshots = (project: string | undefined): Omit<Map<string, SavedState>, 'set'> =>
    project === undefined ? all : getOwn(project)
  const addSaved = (project: string, saved: SavedProject) => {
    const restore = () => store.replace(project, saved.load(), 'restored')
    own.set(project, setLast(getOwn(project), saved.snapshot.name, { ...saved, restore }))
  }
  const find = (name: string, project: string | undefined): SavedState => {
    const snapshots = getSnapshots(project)
    const found = snapshots.get(name)
    if (found !== undefined) return found
    throw errors.snapshotNotFound({ name, project, known: [...snapshots.keys()] })
  }
  return {
    /** Saves a snapshot. It replaces one with the same name. */
    save: (name: string, project?: string): Snapshot => {
      if (!getSnapshots(project).has(name) && getSnapshots(project).size >= max)
        throw errors.tooManySnapshots(project ?? '', max)
      if (project === undefined) setLast(all, name, saveAll(store, name))
      else addSaved(project, saveProject(store, name, project))
      return find(name, project).snapshot
    },
    list: (project?: string): Snapshot[] => [...getSnapshots(project).values()].map(({ snapshot }) => snapshot),
    restore: (name: string, project?: string) => find(name, project).restore(),
    remove: (name: string, project?: string): void => {
      find(name, project)
      getSnapshots(project).delete(name)
    },
    /** Removes the snapshots of a deleted project. */
    removeAll: (project: string) => void own.delete(project),
    /** Returns the snapshots of one project by name, with their states. */
    getSaved: (project: string): ReadonlyMap<string, SavedProject> => getOwn(project),
    /** Adds a snapshot that `getSaved` returned. */
    addSaved,
  }
}

/** Sets the value of a key and moves it to the end, so that a map is ordered by the last creation. */
const setLast = <V>(map: Map<string, V>, key: string, value: V): Map<string, V> => {
  map.delete(key)
  return map.set(key, value)
}

const saveAll = (store: Store, name: string): SavedState => {
  const state: StoreState = store.keepState()
  const projects = [...state.projects.values()]
  return { snapshot: summarize(name, store.getTime(''), projects), restore: () => store.replaceAll(state, 'restored') }
}

const saveProject = (store: Store, name: string, id: string): SavedProject => {
  const project = store.keepProjectState(id)
  return { snapshot: summarize(name, store.getTime(id), [project]), load: () => project }
}

const summarize = (name: string, now: number, projects: readonly ProjectState[]): Snapshot => ({
  name,
  createdAt: new Date(now).toISOString(),
  ...mapKinds<RecordCounts>((kind) => projects.reduce((sum, { [kind]: records }) => sum + records.size, 0)),
})
