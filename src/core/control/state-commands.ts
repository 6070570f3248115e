import * as z from 'zod/mini'
import { exportAll, exportProject, loadAll, loadProject, patchAll, patchProject } from '../domain/documents.ts'
import { findLargeRecords } from '../domain/record-size.ts'
import { errors } from '../schema/error.ts'
import { buildUnpagedListSchema, createUnpagedList } from '../schema/list.ts'
import { ProjectDocument, ProjectId, ProjectPatch, Seed, SeedPatch } from '../schema/seed.ts'
import { ProjectList, ProjectSummary, Snapshot } from '../schema/summaries.ts'
import { type CommandContext, defineCommand } from './command.ts'

const projectSummaries = { response: ProjectSummary, responseForAll: ProjectList }

const SnapshotList = buildUnpagedListSchema(Snapshot)

const exampleProject = {
  preferredLocale: 'pt-BR',
  invoices: ['inv_100'],
  users: [{ email: 'ada@example.com', fullName: 'Ada Lovelace' }],
  paymentLinks: [{ invoice: 'inv_100', status: 'completed' }],
}

export const stateCommands = {
  reset: defineCommand('both', 'POST', '/reset', 'Reset to the seed', projectSummaries).handle((mock, { project }) => {
    mock.store.states.reset(project)
    mock.tokens.reset(project)
    return summarizeProjects(mock, project)
  }),

  exportState: defineCommand('both', 'GET', '/state', 'Export the state', {
    description: 'Returns a seed document, which `PUT` accepts.',
    response: ProjectDocument,
    responseForAll: Seed,
  }).handle(({ store }, { project }) =>
    project === undefined ? exportAll(store) : store.read(project, ({ state }) => exportProject(state)),
  ),

  loadState: defineCommand('both', 'PUT', '/state', 'Replace the state', {
    body: ProjectDocument,
    bodyForAll: Seed,
    ...projectSummaries,
    examples: {
      empty: { summary: 'No records', value: {} },
      project: { summary: 'A project with one user and one link', value: exampleProject },
    },
    examplesForAll: {
      empty: { summary: 'No projects', value: {} },
      seed: {
        summary: 'A frozen clock and one project',
        value: { clock: { mode: 'frozen', now: '2025-01-01T00:00:00.000Z' }, projects: { acme: exampleProject } },
      },
    },
  }).handle((mock, { project, body }) => {
    rejectLarge(mock, body)
    if (project === undefined) loadAll(mock.store, body)
    else loadProject(mock.store, project, body)
    return summarizeProjects(mock, project)
  }),

  patchState: defineCommand('both', 'PATCH', '/state', 'Add or overwrite records', {
    body: ProjectPatch,
    bodyForAll: SeedPatch,
    ...projectSummaries,
    examples: { users: { summary: 'One more user', value: { users: [{ email: 'hedy@example.com' }] } } },
    examplesForAll: {
      users: {
        summary: 'One more user in one project',
        value: { projects: { acme: { users: [{ email: 'hedy@example.com' }] } } },
      },
    },
  }).handle((mock, { project, body }) => {
    rejectLarge(mock, body)
    if (project === undefined) patchAll(mock.store, body)
    else patchProject(mock.store, project, body)
    return summarizeProjects(mock, project)
  }),

  saveSnapshot: defineCommand('both', 'POST', '/snapshots', 'Save a snapshot', {
    status: 201,
    body: z.object({ name: ProjectId.check(z.maxLength(200)) }),
    response: Snapshot,
    examples: { name: { summary: 'A name', value: { name: 'paid' } } },
  }).handle(({ store, snapshots }, { project, body }) => {
    if (project !== undefined) store.projects.ensure(project)
    return snapshots.save(body.name, project)
  }),

  listSnapshots: defineCommand('both', 'GET', '/snapshots', 'List snapshots', { response: SnapshotList }).handle(
    ({ snapshots }, { project }) => createUnpagedList(snapshots.list(project)),
  ),

  restoreSnapshot: defineCommand('both', 'POST', '/snapshots/{name}/restore', 'Restore a snapshot', {
    ...projectSummaries,
  }).handle((mock, { project, params }) => {
    mock.snapshots.restore(params.name, project)
    return summarizeProjects(mock, project)
  }),

  deleteSnapshot: defineCommand('both', 'DELETE', '/snapshots/{name}', 'Delete a snapshot').handle(
    ({ snapshots }, { project, params }) => snapshots.remove(params.name, project),
  ),
}

const summarizeProjects = ({ store }: CommandContext, project: string | undefined) =>
  project === undefined ? createUnpagedList(store.projects.summarizeAll()) : store.projects.summarize(project)

const rejectLarge = ({ bodyLimit }: CommandContext, document: Seed | SeedPatch | ProjectDocument | ProjectPatch) => {
  const problems = findLargeRecords(document, bodyLimit)
  if (problems.length > 0) throw errors.invalidBody({ what: 'The request body', problems })
}
