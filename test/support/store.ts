import { exportAll, exportProject, loadAll, loadProject } from '../../src/core/domain/documents.ts'
import { type InitialOptions, createInitialState } from '../../src/core/domain/seeding.ts'
import { createStore as create, type StoreOptions as Given } from '../../src/core/domain/store.ts'
import type { ProjectDocument, Seed } from '../../src/core/schema/seed.ts'

export type StoreOptions = Omit<Given, 'initial'> & InitialOptions

export type DocumentedStore = ReturnType<typeof createStore>

/** A store that starts from a seed, and does what the control API does to whole documents. */
export const createStore = (options: StoreOptions) => {
  const store = create({ ...options, initial: createInitialState(options) })
  return {
    ...store,
    exportAll: () => exportAll(store),
    exportProject: (project: string) => store.read(project, ({ state }) => exportProject(state)),
    loadAll: (document: Seed) => loadAll(store, document),
    loadProject: (project: string, document: ProjectDocument) => loadProject(store, project, document),
  }
}
