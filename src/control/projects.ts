import { type ControlOptions, type Handlers, list } from './task.ts'

type ProjectVerb = 'health' | 'listProjects' | 'retrieveProject' | 'changeProject' | 'deleteProject'

/** That the mock is up, and which projects are in it. */
export const projects = ({ world, tokens, version, systemNow, startedAt }: ControlOptions): Handlers<ProjectVerb> => {
  const write = world.update
  return {
    health: { one: () => ({ status: 'ok', version, uptimeSeconds: Math.floor((systemNow() - startedAt) / 1000) }) },
    listProjects: { one: () => list(world.summaries()) },
    retrieveProject: { one: ({ project }) => world.summary(project) },
    changeProject: {
      one: ({ project, body: { preferredLocale } }) => {
        write(project, (work) => preferredLocale !== undefined && work.change({ preferredLocale }))
        return world.summary(project)
      },
    },
    deleteProject: {
      one: ({ project }) => {
        world.remove(project)
        tokens.forget(project)
        return undefined
      },
    },
  }
}
