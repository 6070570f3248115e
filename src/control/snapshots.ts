import { type ControlOptions, type Handlers, list } from './task.ts'

type SnapshotVerb = 'saveSnapshot' | 'listSnapshots' | 'restoreSnapshot' | 'deleteSnapshot'

/** Named copies of the state, of all projects or of one. */
export const snapshotVerbs = ({ world, snapshots }: ControlOptions): Handlers<SnapshotVerb> => ({
  saveSnapshot: {
    one: ({ project, body }) => snapshots.save(body.name, project),
    all: ({ body }) => snapshots.save(body.name),
  },
  listSnapshots: { one: ({ project }) => list(snapshots.list(project)), all: () => list(snapshots.list()) },
  restoreSnapshot: {
    one: ({ project, params }) => {
      snapshots.restore(params.name!, project)
      return world.summary(project)
    },
    all: ({ params }) => {
      snapshots.restore(params.name!)
      return list(world.summaries())
    },
  },
  deleteSnapshot: {
    one: ({ project, params }) => snapshots.remove(params.name!, project) as undefined,
    all: ({ params }) => snapshots.remove(params.name!) as undefined,
  },
})
