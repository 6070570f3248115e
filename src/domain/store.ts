import type { ProjectSummary } from '../schema/summaries.ts'
import { getClockStatus, readClock } from './clock.ts'
import { History } from './history.ts'
import { createDeriveId } from './ids.ts'
import { mapKinds, type RecordCounts } from './kinds.ts'
import { Projects } from './projects.ts'
import { createReplacements } from './replacements.ts'
import { createRunner } from './runner.ts'
import { increment, type StoreOptions, type StoreParts } from './store-parts.ts'

export type Store = ReturnType<typeof createStore>

/** Creates the store of all projects. It is synchronous, so each transaction is atomic. */
export const createStore = (options: StoreOptions) => {
  const { initial, systemNow, onAccess } = options
  const projects = new Projects(initial)
  const revisions = new Map<string, number>()
  const requests = new Map<string, number>()
  const parts: StoreParts = { options, projects, history: new History(), revisions, requests }
  const runner = createRunner(parts)
  const deriveId = createDeriveId()

  const find = (id: string) => projects.state.projects.get(id)
  const getSettings = (id: string) => find(id) ?? projects.state
  const summarize = (id: string): ProjectSummary => {
    const state = runner.getCurrent(id)
    return {
      object: 'project',
      id,
      revision: revisions.get(id) ?? 0,
      ...mapKinds<RecordCounts>((kind) => state[kind].size),
      preferredLocale: state.preferredLocale,
      clock: getClockStatus(state.clock, systemNow),
    }
  }
  return {
    ...runner,
    ...createReplacements(parts, runner),
    /** By project: the number of changes, and of requests. */
    counts: { revisions, requests },
    has: (id: string) => find(id) !== undefined,
    /** Returns the state of a project without running due payments. Undefined if it is unknown. */
    find,
    /** Returns the names of the first `max` projects, sorted. @default all */
    listNames: (max?: number) => projects.listNames(max),
    getBehaviors: (id: string) => getSettings(id).behaviors,
    getClock: (id: string) => getSettings(id).clock,
    /** Returns the time of the project's clock, in milliseconds since 1970. */
    getTime: (id: string) => readClock(getSettings(id).clock, systemNow),
    /** Returns the next seeded random number of a project, from 0 to below 1. Does not create the project. */
    draw: (id: string) => {
      onAccess?.({ project: id, part: 'counters', isWrite: true })
      return projects.draw(id)
    },
    /** Returns the id of the next request. Each project counts its own, so the ids are the same in every run. */
    nextRequestId: (id: string) => deriveId(getSettings(id).idSeed, id, 'req', increment(requests, id) - 1),
    summarize,
    summarizeAll: () => projects.listNames().map(summarize),
  }
}
