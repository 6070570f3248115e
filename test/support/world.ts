import { exportAll, loadAll, loadProject } from '../../src/domain/documents.ts'
import { exportProject } from '../../src/domain/export.ts'
import { createStore as create } from '../../src/domain/store.ts'
import type { Store, StoreOptions } from '../../src/domain/store.ts'
import type { ProjectDocument, Seed } from '../../src/schema/seed.ts'

/** A world, with what is done to whole documents at hand. */
export interface DocumentedWorld extends Store {
  readonly exportAll: () => Seed
  readonly exportProject: (project: string) => ProjectDocument
  readonly loadAll: (document: Seed) => void
  readonly loadProject: (project: string, document: ProjectDocument) => void
}

export const createWorld = (options: StoreOptions): DocumentedWorld => {
  const world = create(options)
  return {
    ...world,
    exportAll: () => exportAll(world),
    exportProject: (project) => exportProject(world.read(project)),
    loadAll: (document) => loadAll(world, document),
    loadProject: (project, document) => loadProject(world, project, document),
  }
}
