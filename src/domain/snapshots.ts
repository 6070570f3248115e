import { MockError } from '../schema/error.ts'
import type { Snapshot } from '../schema/summaries.ts'
import type { ProjectState } from './project.ts'
import type { StoreState } from './initial-state.ts'
import type { Store } from './store.ts'

/** Named copies of the state. They survive a reset. A copy shares everything that has not changed. */
export interface Snapshots {
  /** Saves a snapshot. It replaces one with the same name. */
  save(name: string, project?: string): Snapshot
  list(project?: string): Snapshot[]
  restore(name: string, project?: string): void
  remove(name: string, project?: string): void
}

interface SavedState {
  readonly snapshot: Snapshot
  readonly restore: () => void
}

export const createSnapshots = (store: Store): Snapshots => {
  // By project, then by name. The key of snapshots of all projects is undefined.
  const saved = new Map<string | undefined, Map<string, SavedState>>()
  const snapshotsOf = (project: string | undefined) => saved.get(project) ?? new Map<string, SavedState>()
  const find = (name: string, project: string | undefined): SavedState => {
    const snapshots = snapshotsOf(project)
    const found = snapshots.get(name)
    if (found !== undefined) return found
    const names = [...snapshots.keys()]
    const where = project === undefined ? '' : ` of project '${project}'`
    throw new MockError('snapshotNotFound', `No snapshot '${name}'${where}.`, {
      hint: names.length === 0 ? 'No snapshot has been saved.' : `Saved snapshots: ${names.join(', ')}.`,
    })
  }
  return {
    save: (name, project) => {
      const state = project === undefined ? saveAll(store, name) : saveProject(store, name, project)
      saved.set(project, snapshotsOf(project).set(name, state))
      return state.snapshot
    },
    list: (project) => [...snapshotsOf(project).values()].map(({ snapshot }) => snapshot),
    restore: (name, project) => find(name, project).restore(),
    remove: (name, project) => {
      find(name, project)
      snapshotsOf(project).delete(name)
    },
  }
}

const saveAll = (store: Store, name: string): SavedState => {
  const state: StoreState = store.state()
  const projects = [...state.projects.values()]
  return { snapshot: describe(name, store.timeOf(''), projects), restore: () => store.replaceAll(state, 'restored') }
}

const saveProject = (store: Store, name: string, id: string): SavedState => {
  const project = store.projectState(id)
  return {
    snapshot: describe(name, store.timeOf(id), [project]),
    restore: () => store.replace(id, project, 'restored'),
  }
}

const describe = (name: string, now: number, projects: readonly ProjectState[]): Snapshot => ({
  name,
  createdAt: new Date(now).toISOString(),
  users: projects.reduce((sum, project) => sum + project.users.size, 0),
  paymentLinks: projects.reduce((sum, project) => sum + project.paymentLinks.size, 0),
})
