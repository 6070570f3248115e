import { errors } from '../schema/error.ts'
import type { Snapshot } from '../schema/summaries.ts'
import { mapKinds, type RecordCounts } from './kinds.ts'
import type { ProjectState, StoreState } from './project-state.ts'
import type { Store } from './store.ts'

/** Named copies of the state. They survive a reset, and end with their project. */
export type Snapshots = ReturnType<typeof createSnapshots>

interface SavedSnapshot<S> {
  readonly snapshot: Snapshot
  readonly load: () => S
}

export type SavedProject = SavedSnapshot<ProjectState>

/** @param max the maximum number of snapshots of a project */
export const createSnapshots = (store: Store, max = Infinity) => {
  const storeSnapshots = new Map<string, SavedSnapshot<StoreState>>()
  const snapshotsByProject = new Map<string, Map<string, SavedProject>>()
  const getProjectSnapshots = (project: string) => snapshotsByProject.get(project) ?? new Map<string, SavedProject>()
  const getSnapshots = (project: string | undefined): Map<string, SavedSnapshot<unknown>> =>
    project === undefined ? storeSnapshots : getProjectSnapshots(project)
  const addSaved = (project: string, saved: SavedProject): void => {
    snapshotsByProject.set(project, addNewest(getProjectSnapshots(project), saved))
  }
  return {
    save: (name: string, project?: string): Snapshot => {
      const existingSnapshots = getSnapshots(project)
      if (!existingSnapshots.has(name) && existingSnapshots.size >= max)
        throw errors.tooManySnapshots(project ?? '', max)
      if (project === undefined) {
        const state = store.states.copyAll()
        const snapshot = summarizeSnapshot(name, store.clock.getTime(''), [...state.projects.values()])
        addNewest(storeSnapshots, { snapshot, load: () => state })
        return snapshot
      }
      const state = store.states.copy(project)
      const snapshot = summarizeSnapshot(name, store.clock.getTime(project), [state])
      addSaved(project, { snapshot, load: () => state })
      return snapshot
    },
    list: (project?: string): Snapshot[] => [...getSnapshots(project).values()].map(({ snapshot }) => snapshot),
    restore: (name: string, project?: string): void => {
      if (project === undefined) store.states.replaceAll(requireSnapshot(storeSnapshots, name).load(), 'restored')
      else
        store.states.replace(project, requireSnapshot(getProjectSnapshots(project), name, project).load(), 'restored')
    },
    remove: (name: string, project?: string): void => {
      requireSnapshot(getSnapshots(project), name, project)
      getSnapshots(project).delete(name)
    },
    removeAll: (project: string) => void snapshotsByProject.delete(project),
    /** A storage keeps what this returns, and restores it with `addSaved`. */
    getSaved: (project: string): ReadonlyMap<string, SavedProject> => getProjectSnapshots(project),
    addSaved,
  }
}

/** Adds a snapshot at the end, so that a map is ordered by the last creation. */
const addNewest = <S>(savedSnapshots: Map<string, SavedSnapshot<S>>, newestSnapshot: SavedSnapshot<S>) => {
  savedSnapshots.delete(newestSnapshot.snapshot.name)
  return savedSnapshots.set(newestSnapshot.snapshot.name, newestSnapshot)
}

const requireSnapshot = <S>(
  savedSnapshots: ReadonlyMap<string, SavedSnapshot<S>>,
  name: string,
  project?: string,
): SavedSnapshot<S> => {
  const savedSnapshot = savedSnapshots.get(name)
  if (savedSnapshot !== undefined) return savedSnapshot
  throw errors.snapshotNotFound({ name, project, known: [...savedSnapshots.keys()] })
}

const summarizeSnapshot = (name: string, now: number, projects: readonly ProjectState[]): Snapshot => ({
  name,
  createdAt: new Date(now).toISOString(),
  ...mapKinds<RecordCounts>((kind) => projects.reduce((sum, { [kind]: records }) => sum + records.size, 0)),
})
