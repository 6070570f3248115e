import { exportAll, loadAll, loadProject, patchAll, patchProject } from '../domain/documents.ts'
import { exportProject } from '../domain/export.ts'
import { type ControlOptions, type Handlers, list } from './task.ts'

type StateVerb = 'reset' | 'exportState' | 'loadState' | 'patchState'

/** The state as a whole: what is exported can be loaded. */
export const state = ({ world, tokens }: ControlOptions): Handlers<StateVerb> => {
  const summaries = () => list(world.summaries())
  return {
    reset: {
      one: ({ project }) => {
        world.reset(project)
        tokens.reset(project)
        return world.summary(project)
      },
      all: () => {
        world.reset()
        tokens.reset()
        return summaries()
      },
    },
    exportState: { one: ({ project }) => exportProject(world.read(project)), all: () => exportAll(world) },
    loadState: {
      one: ({ project, body }) => {
        loadProject(world, project, body)
        return world.summary(project)
      },
      all: ({ body }) => {
        loadAll(world, body)
        return summaries()
      },
    },
    patchState: {
      one: ({ project, body }) => {
        patchProject(world, project, body)
        return world.summary(project)
      },
      all: ({ body }) => {
        patchAll(world, body)
        return summaries()
      },
    },
  }
}
