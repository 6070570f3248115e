import { exportAll, exportProject, loadAll, loadProject, patchAll, patchProject } from '../domain/documents.ts'
import { behaviorKeys, type BehaviorSettings, behaviorRegistry } from '../schema/behavior.ts'
import { findLargeRecords } from '../domain/record-size.ts'
import { errors } from '../schema/error.ts'
import type { ProjectDocument, ProjectPatch, Seed, SeedPatch } from '../schema/seed.ts'
import { createUnpagedList } from '../schema/list.ts'
import type { stateCommands } from '../schema/commands/state-definitions.ts'
import type { ControlOptions, Handlers } from './handlers.ts'

/** Creates the handlers of projects, their state, snapshots, clocks, behaviors and tokens. */
export const createStateHandlers = ({
  store,
  snapshots,
  tokens,
  version,
  systemNow,
  startedAt,
  sandboxes,
  bodyLimit,
}: ControlOptions): Handlers<keyof typeof stateCommands> => {
  const summarize = (project?: string) =>
    project === undefined ? createUnpagedList(store.projects.summarizeAll()) : store.projects.summarize(project)
  const getClock = (project = '') => store.clock.getStatus(project)
  const getBehaviors = (project = ''): BehaviorSettings => ({
    values: { ...store.behaviors.get(project) },
    registry: [...registry],
  })
  const rejectLarge = (document: Seed | SeedPatch | ProjectDocument | ProjectPatch) => {
    const problems = findLargeRecords(document, bodyLimit)
    if (problems.length > 0) throw errors.invalidBody({ what: 'The request body', problems })
  }
  const requireSandboxes = () => {
    if (sandboxes === undefined) throw errors.sandboxNotFound('inSandbox')
    return sandboxes
  }
  return {
    health: () => ({ status: 'ok', version, uptimeSeconds: Math.floor((systemNow() - startedAt) / 1000) }),
    listProjects: () => createUnpagedList(store.projects.summarizeAll()),
    retrieveProject: ({ project }) => store.projects.summarize(project),
    changeProject: ({ project, body: { preferredLocale } }) => {
      store.update(project, (tx) => preferredLocale !== undefined && tx.set('preferredLocale', preferredLocale))
      return store.projects.summarize(project)
    },
    deleteProject: ({ project }) => {
      store.states.delete(project)
      tokens.delete(project)
      snapshots.removeAll(project)
    },

    listSandboxes: () => createUnpagedList(requireSandboxes().list()),
    deleteSandboxes: () => requireSandboxes().delete(),
    deleteSandbox: ({ params }) => requireSandboxes().delete(params.sandbox),

    reset: ({ project }) => {
      store.states.reset(project)
      tokens.reset(project)
      return summarize(project)
    },
    exportState: ({ project }) =>
      project === undefined ? exportAll(store) : store.read(project, ({ state }) => exportProject(state)),
    loadState: ({ project, body }) => {
      rejectLarge(body)
      if (project === undefined) loadAll(store, body)
      else loadProject(store, project, body)
      return summarize(project)
    },
    patchState: ({ project, body }) => {
      rejectLarge(body)
      if (project === undefined) patchAll(store, body)
      else patchProject(store, project, body)
      return summarize(project)
    },

    saveSnapshot: ({ project, body }) => {
      if (project !== undefined) store.projects.ensure(project)
      return snapshots.save(body.name, project)
    },
    listSnapshots: ({ project }) => createUnpagedList(snapshots.list(project)),
    restoreSnapshot: ({ project, params }) => {
      snapshots.restore(params.name, project)
      return summarize(project)
    },
    deleteSnapshot: ({ project, params }) => snapshots.remove(params.name, project),

    readClock: ({ project }) => getClock(project),
    setClock: ({ project, body }) => {
      store.clock.set(body, project)
      return getClock(project)
    },
    advanceClock: ({ project, body }) => {
      store.clock.advance(body.milliseconds, project)
      return getClock(project)
    },

    readBehaviors: ({ project }) => getBehaviors(project),
    changeBehaviors: ({ project, body }) => {
      store.behaviors.set(body, project)
      return getBehaviors(project)
    },

    readTokens: ({ project }) => tokens.list(project),
    replaceTokens: ({ project, body }) => {
      tokens.replace(body.tokens, project)
      if (project !== undefined) store.projects.ensure(project)
      return tokens.list(project)
    },
  }
}

const registry: BehaviorSettings['registry'] = behaviorKeys.map((key) => {
  const { values, spec, summary } = behaviorRegistry[key]
  return { key, values: [...values], default: values[0], spec, summary }
})
