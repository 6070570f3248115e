import type { Behave, Behaviors } from '../schema/behavior.ts'
import type { ProjectSummary } from '../schema/project.ts'
import type { ProjectDocument, Seed } from '../schema/seed.ts'
import { clockDocument, clockReading, timeOf } from './clock.ts'
import { exportProject } from './export.ts'
import { deriveId } from './ids.ts'
import type { ProjectState } from './project.ts'
import {
  type Base,
  buildOn,
  buildWorld,
  defaultBase,
  type Forced,
  layer,
  type NamedProject,
  type WorldState,
} from './start.ts'
import { Work } from './work.ts'

export interface WorldOptions extends Forced {
  readonly seed?: Seed | undefined
  /** Milliseconds since 1970: what a real clock shows. */
  readonly systemNow: () => number
}

/** All projects and their rows. Everything is synchronous, so that each piece of work is atomic by construction. */
export interface World {
  /** Does a piece of work on a project. What it changed becomes current when it returns; nothing does when it throws. */
  run<R>(project: string, behave: Behave, operation: (work: Work) => R): R
  /** Looks at a project without bringing it into being. */
  look<R>(project: string, operation: (work: Work) => R, behave?: Behave): R
  /** Brings a project into being from the template. Answers whether it was not there before. */
  enter(project: string): boolean
  has(project: string): boolean
  behaviorsOf(project: string): Behaviors
  /** The time by the project's clock, in milliseconds since 1970. */
  timeOf(project: string): number
  /** The id of the next request to a project: counted for each by itself, so that it is the same in every run. */
  nextRequestId(project: string): string
  summary(project: string): ProjectSummary
  summaries(): ProjectSummary[]
  /** Back to the seed: all projects, or one. */
  reset(project?: string): void
  exportAll(): Seed
  exportProject(project: string): ProjectDocument
  loadAll(document: Seed): void
  loadProject(project: string, document: ProjectDocument): void
}

export const createWorld = ({ seed = {}, systemNow, ...forced }: WorldOptions): World => {
  const start = buildWorld(seed, () => defaultBase, forced)
  let state = start
  const revisions = new Map<string, number>()
  const requests = new Map<string, number>()
  // Projects that no document lists, as they start: built once, when first looked at.
  let unlisted = new Map<string, ProjectState>()

  const find = (id: string) => state.projects.find(named(id))?.state
  const fromTemplate = (id: string, from: WorldState): ProjectState =>
    buildOn(from, { id, document: from.template, idSeed: from.idSeed })
  const asCreated = (id: string): ProjectState => {
    const known = unlisted.get(id) ?? fromTemplate(id, state)
    unlisted.set(id, known)
    return known
  }
  const read = (id: string): ProjectState => find(id) ?? asCreated(id)
  const baseOf = (id?: string): Base => (id === undefined ? undefined : start.projects.find(named(id))?.state) ?? start

  const put = (id: string, project: ProjectState) => {
    state = { ...state, projects: state.projects.replace(undefined, { id, state: project }) }
  }
  const grow = (id: string) => revisions.set(id, (revisions.get(id) ?? 0) + 1)
  const replace = (next: WorldState) => {
    const touched = new Set([...names(state), ...names(next)])
    state = next
    unlisted = new Map()
    touched.forEach(grow)
  }

  const projectWith = (id: string) => {
    for (const { id: name, state: project } of state.projects.walk('rising'))
      if (project.users.get(id) ?? project.paymentLinks.get(id)) return name
    return undefined
  }
  const workOn = (id: string, behave: Behave) => new Work(id, read(id), behave, { systemNow, projectWith })

  const summary = (id: string): ProjectSummary => {
    const { users, paymentLinks, preferredLocale, clock } = read(id)
    return {
      object: 'project',
      id,
      revision: revisions.get(id) ?? 0,
      users: users.size,
      paymentLinks: paymentLinks.size,
      preferredLocale,
      clock: clockReading(clock, systemNow),
    }
  }

  return {
    run: (id, behave, operation) => {
      const before = read(id)
      const work = workOn(id, behave)
      const result = operation(work)
      if (changed(before, work.state)) {
        put(id, work.written)
        grow(id)
      } else if (work.state !== before) put(id, work.state)
      return result
    },
    look: (id, operation, behave = (key) => read(id).behaviors[key]) => operation(workOn(id, behave)),
    enter: (id) => {
      if (find(id) !== undefined) return false
      put(id, asCreated(id))
      return true
    },
    has: (id) => find(id) !== undefined,
    behaviorsOf: (id) => (find(id) ?? state).behaviors,
    timeOf: (id) => timeOf((find(id) ?? state).clock, systemNow),
    nextRequestId: (id) => {
      const count = requests.get(id) ?? 0
      requests.set(id, count + 1)
      return deriveId((find(id) ?? state).idSeed, id, 'req', count)
    },
    summary,
    summaries: () => [...names(state)].map(summary),
    reset: (id) => {
      if (id === undefined) {
        requests.clear()
        return replace(start)
      }
      requests.delete(id)
      put(id, start.projects.find(named(id))?.state ?? fromTemplate(id, start))
      grow(id)
    },
    exportAll: () => ({
      idSeed: state.idSeed,
      clock: clockDocument(state.clock),
      behaviors: state.behaviors,
      template: state.template,
      projects: Object.fromEntries(
        [...state.projects.walk('rising')].map(({ id, state: project }) => [id, exportProject(project, state)]),
      ),
    }),
    exportProject: (id) => exportProject(read(id)),
    loadAll: (document) => replace(buildWorld(document, baseOf)),
    loadProject: (id, document) => {
      const idSeed = document.idSeed ?? baseOf(id).idSeed
      put(id, buildOn(layer(baseOf(id), {}, document), { id, document, idSeed }))
      grow(id)
    },
  }
}

const named = (id: string) => ({ id }) as NamedProject

function* names(state: WorldState): Generator<string, void, undefined> {
  for (const project of state.projects.walk('rising')) yield project.id
}

/** Whether data has changed. Counters and clocks are not data. */
const changed = (before: ProjectState, after: ProjectState): boolean =>
  before.users !== after.users ||
  before.paymentLinks !== after.paymentLinks ||
  before.preferredLocale !== after.preferredLocale
