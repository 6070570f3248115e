import { MockError } from '../schema/error.ts'
import type { Snapshot } from '../schema/summaries.ts'
import type { ProjectState } from './project.ts'
import type { StoreState } from './initial-state.ts'
import type { Store } from './store.ts'

/** Named copies of the state. They survive a reset, and cost nothing: a copy shares all that did not change. */
export interface Snapshots {
  /** Saves under a name. A snapshot with this name is replaced. */
  save(name: string, project?: string): Snapshot
  list(project?: string): Snapshot[]
  restore(name: string, project?: string): void
  remove(name: string, project?: string): void
}

interface Saved {
  readonly snapshot: Snapshot
  readonly restore: () => void
}

export const createSnapshots = (store: Store): Snapshots => {
  // The key of the snapshots of all projects is undefined.
  const shelves = new Map<string | undefined, Map<string, Saved>>()
  const find = (name: string, project: string | undefined): Saved => {
    const saved = shelves.get(project)?.get(name)
    if (saved !== undefined) return saved
    const names = [...(shelves.get(project)?.keys() ?? [])]
    throw new MockError(
      'snapshotNotFound',
      `No snapshot '${name}'${project === undefined ? '' : ` of project '${project}'`}.`,
      {
        hint: names.length === 0 ? 'None has been saved.' : `Saved are: ${names.join(', ')}.`,
      },
    )
  }
  return {
    save: (name, project) => {
      const saved = project === undefined ? saveAll(store, name) : saveProject(store, name, project)
      shelves.set(project, (shelves.get(project) ?? new Map<string, Saved>()).set(name, saved))
      return saved.snapshot
    },
    list: (project) => [...(shelves.get(project)?.values() ?? [])].map((saved) => saved.snapshot),
    restore: (name, project) => find(name, project).restore(),
    remove: (name, project) => {
      find(name, project)
      shelves.get(project)!.delete(name)
    },
  }
}

const saveAll = (store: Store, name: string): Saved => {
  const state: StoreState = store.state()
  const projects = [...state.projects.values()]
  return { snapshot: describe(name, store.timeOf(''), projects), restore: () => store.replaceAll(state, 'restored') }
}

const saveProject = (store: Store, name: string, id: string): Saved => {
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
