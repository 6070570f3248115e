import { exportAll, exportProject, loadAll, loadProject } from '../../src/domain/documents.ts'
import { createStore as create, type Store, type StoreOptions } from '../../src/domain/store.ts'
import type { ProjectDocument, Seed } from '../../src/schema/seed.ts'

/** A store, with what is done to whole documents at hand. */
export interface DocumentedStore extends Store {
  readonly exportAll: () => Seed
  readonly exportProject: (project: string) => ProjectDocument
  readonly loadAll: (document: Seed) => void
  readonly loadProject: (project: string, document: ProjectDocument) => void
}

export const createStore = (options: StoreOptions): DocumentedStore => {
  const store = create(options)
  return {
    ...store,
    exportAll: () => exportAll(store),
    exportProject: (project) => exportProject(store.projectState(project)),
    loadAll: (document) => loadAll(store, document),
    loadProject: (project, document) => loadProject(store, project, document),
  }
}
