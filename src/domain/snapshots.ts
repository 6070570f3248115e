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
  /** The snapshots of one project by name, with their states. */
  own(project: string): ReadonlyMap<string, SavedProject>
  /** Adds a snapshot that `own` returned. */
  adopt(project: string, saved: SavedProject): void
}

interface SavedState {
  readonly snapshot: Snapshot
  readonly restore: () => void
}

/** A snapshot of one project. */
export interface SavedProject {
  readonly snapshot: Snapshot
  readonly load: () => ProjectState
}

/** `max` is the maximum number of snapshots of a project. */
export const createSnapshots = (store: Store, max = Infinity): Snapshots => {
  const all = new Map<string, SavedState>()
  const own = new Map<string, Map<string, SavedProject & SavedState>>()
  const ownOf = (project: string) => own.get(project) ?? new Map<string, SavedProject & SavedState>()
  const snapshotsOf = (project: string | undefined): Omit<Map<string, SavedState>, 'set'> =>
    project === undefined ? all : ownOf(project)
  const adopt = (project: string, saved: SavedProject) => {
    const restore = () => store.replace(project, saved.load(), 'restored')
    own.set(project, ownOf(project).set(saved.snapshot.name, { ...saved, restore }))
  }
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
      if (!snapshotsOf(project).has(name) && snapshotsOf(project).size >= max) throw tooMany(max, project)
      if (project === undefined) all.set(name, saveAll(store, name))
      else adopt(project, saveProject(store, name, project))
      return find(name, project).snapshot
    },
    list: (project) => [...snapshotsOf(project).values()].map(({ snapshot }) => snapshot),
    restore: (name, project) => find(name, project).restore(),
    remove: (name, project) => {
      find(name, project)
      snapshotsOf(project).delete(name)
    },
    own: ownOf,
    adopt,
  }
}

const saveAll = (store: Store, name: string): SavedState => {
  const state: StoreState = store.state()
  const projects = [...state.projects.values()]
  return { snapshot: describe(name, store.timeOf(''), projects), restore: () => store.replaceAll(state, 'restored') }
}

const saveProject = (store: Store, name: string, id: string): SavedProject => {
  const project = store.projectState(id)
  return { snapshot: describe(name, store.timeOf(id), [project]), load: () => project }
}

const tooMany = (max: number, project = ''): MockError =>
  new MockError('tooManySnapshots', `Project '${project}' already has ${max} snapshots.`, {
    hint: 'Delete a snapshot, or save under the name of one.',
  })

const describe = (name: string, now: number, projects: readonly ProjectState[]): Snapshot => ({
  name,
  createdAt: new Date(now).toISOString(),
  users: projects.reduce((sum, project) => sum + project.users.size, 0),
  paymentLinks: projects.reduce((sum, project) => sum + project.paymentLinks.size, 0),
})
