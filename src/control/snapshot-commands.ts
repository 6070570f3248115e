import * as z from 'zod/mini'
import { buildUnpagedListSchema, createUnpagedList } from '../schema/list.ts'
import { ProjectId } from '../schema/seed.ts'
import { Snapshot } from '../schema/summaries.ts'
import { defineCommand } from './command.ts'
import { summarizeEach, summaryOfEach } from './state-commands.ts'

const SnapshotList = buildUnpagedListSchema(Snapshot)

/** Named copies of the state. They survive a reset, and are deleted with their project. */
export const snapshotCommands = {
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

  restoreSnapshot: defineCommand(
    'both',
    'POST',
    '/snapshots/{name}/restore',
    'Restore a snapshot',
    summaryOfEach,
  ).handle((mock, { project, params }) => {
    mock.snapshots.restore(params.name, project)
    return summarizeEach(mock, project)
  }),

  deleteSnapshot: defineCommand('both', 'DELETE', '/snapshots/{name}', 'Delete a snapshot').handle(
    ({ snapshots }, { project, params }) => snapshots.remove(params.name, project),
  ),
}

export const snapshotSchemas = { Snapshot, SnapshotList }
