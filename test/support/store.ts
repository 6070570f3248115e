import { exportAll, exportProject, loadAll, loadProject } from '../../src/core/domain/documents.ts'
import { type InitialOptions, createInitialState } from '../../src/core/domain/seeding.ts'
import { createStore as create, type Store, type StoreOptions as Given } from '../../src/core/domain/store.ts'
import type { ProjectDocument, Seed } from '../../src/core/schema/seed.ts'

export type StoreOptions = Omit<Given, 'initial'> & InitialOptions

/** A store that starts from a seed, and does what the control API does to whole documents. */
export interface DocumentedStore extends Store {
  readonly exportAll: () => Seed
  readonly exportProject: (project: string) => ProjectDocument
  readonly loadAll: (document: Seed) => void
  readonly loadProject: (project: string, document: ProjectDocument) => void
}

export const createStore = (options: StoreOptions): DocumentedStore => {
  const store = create({ ...options, initial: createInitialState(options) })
  return {
    ...store,
    exportAll: () => exportAll(store),
    exportProject: (project) => store.read(project, ({ state }) => exportProject(state)),
    loadAll: (document) => loadAll(store, document),
    loadProject: (project, document) => loadProject(store, project, document),
  }
}
