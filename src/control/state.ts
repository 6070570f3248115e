import type { ControlOptions, Handlers } from './task.ts'

type StateVerb = 'resetAll' | 'resetProject' | 'exportAll' | 'loadAll' | 'exportProject' | 'loadProject'

/** The state as a whole: what `exportAll` answers, `loadAll` takes. */
export const state = ({ world, onReset }: ControlOptions): Handlers<StateVerb> => ({
  resetAll: () => {
    world.reset()
    onReset()
    return { object: 'list', items: world.summaries() }
  },
  resetProject: ({ project }) => {
    world.reset(project)
    onReset(project)
    return world.summary(project)
  },
  exportAll: () => world.exportAll(),
  loadAll: ({ body }) => {
    world.loadAll(body)
    return { object: 'list', items: world.summaries() }
  },
  exportProject: ({ project }) => world.exportProject(project),
  loadProject: ({ project, body }) => {
    world.loadProject(project, body)
    return world.summary(project)
  },
})
