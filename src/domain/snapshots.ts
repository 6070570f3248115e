import { errors } from '../schema/error.ts'
import type { Snapshot } from '../schema/summaries.ts'
import { mapKinds, type RecordCounts } from './kinds.ts'
import type { ProjectState, StoreState } from './project-state.ts'
import type { Store } from './store.ts'

/** Named copies of the state. They survive a reset, and end with their project. */
export type Snapshots = ReturnType<typeof createSnapshots>

interface Saved<S> {
  readonly snapshot: Snapshot
  readonly load: () => S
}

export type SavedProject = Saved<ProjectState>

/**
 * Creates the object that saves, lists and restores snapshots.
 * @param max the maximum number of snapshots of a project
 */
export const createSnapshots = (store: Store, max = Infinity) => {
  const all = new Map<string, Saved<StoreState>>()
  const byProject = new Map<string, Map<string, SavedProject>>()
  const getOwn = (project: string) => byProject.get(project) ?? new Map<string, SavedProject>()
  const getSnapshots = (project: string | undefined): Map<string, Saved<unknown>> =>
    project === undefined ? all : getOwn(project)
  const addSaved = (project: string, saved: SavedProject): void => {
    byProject.set(project, setLast(getOwn(project), saved))
  }
  return {
    /** Saves a snapshot. It replaces one with the same name. */
    save: (name: string, project?: string): Snapshot => {
      const known = getSnapshots(project)
      if (!known.has(name) && known.size >= max) throw errors.tooManySnapshots(project ?? '', max)
      if (project === undefined) {
        const state = store.states.copyAll()
        const snapshot = summarize(name, store.clock.getTime(''), [...state.projects.values()])
        setLast(all, { snapshot, load: () => state })
        return snapshot
      }
      const state = store.states.copy(project)
      const snapshot = summarize(name, store.clock.getTime(project), [state])
      addSaved(project, { snapshot, load: () => state })
      return snapshot
    },
    list: (project?: string): Snapshot[] => [...getSnapshots(project).values()].map(({ snapshot }) => snapshot),
    restore: (name: string, project?: string): void => {
      if (project === undefined) store.states.replaceAll(requireSnapshot(all, name).load(), 'restored')
      else store.states.replace(project, requireSnapshot(getOwn(project), name, project).load(), 'restored')
    },
    remove: (name: string, project?: string): void => {
      requireSnapshot(getSnapshots(project), name, project)
      getSnapshots(project).delete(name)
    },
    /** Removes the snapshots of a deleted project. */
    removeAll: (project: string) => void byProject.delete(project),
    /** Returns the snapshots of one project by name, with their states. */
    getSaved: (project: string): ReadonlyMap<string, SavedProject> => getOwn(project),
    /** Adds a snapshot that `getSaved` returned. */
    addSaved,
  }
}

/** Adds a snapshot at the end, so that a map is ordered by the last creation. */
const setLast = <S>(saved: Map<string, Saved<S>>, added: Saved<S>) => {
  saved.delete(added.snapshot.name)
  return saved.set(added.snapshot.name, added)
}

const requireSnapshot = <S>(saved: ReadonlyMap<string, Saved<S>>, name: string, project?: string): Saved<S> => {
  const found = saved.get(name)
  if (found !== undefined) return found
  throw errors.snapshotNotFound({ name, project, known: [...saved.keys()] })
}

const summarize = (name: string, now: number, projects: readonly ProjectState[]): Snapshot => ({
  name,
  createdAt: new Date(now).toISOString(),
  ...mapKinds<RecordCounts>((kind) => projects.reduce((sum, { [kind]: records }) => sum + records.size, 0)),
})
