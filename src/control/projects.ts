import type { ControlOptions, Handlers } from './task.ts'

/** That the mock is up, and what is in it. */
export const projects = ({
  world,
  version,
  systemNow,
}: ControlOptions): Handlers<'health' | 'listProjects' | 'retrieveProject'> => {
  const startedAt = systemNow()
  return {
    health: () => ({ status: 'ok', version, uptimeSeconds: Math.floor((systemNow() - startedAt) / 1000) }),
    listProjects: () => ({ object: 'list', items: world.summaries() }),
    retrieveProject: ({ project }) => world.summary(project),
  }
}
