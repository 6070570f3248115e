import { type Behave, profiles } from '../schema/behavior.ts'
import { Refusal } from '../schema/error.ts'
import type { ProjectSummary } from '../schema/project.ts'
import { clockReading, timeOf } from './clock.ts'
import { createCounts } from './counts.ts'
import { deriveId, drawAt } from './ids.ts'
import { hasDuePlans, settlePlans } from './plans.ts'
import { hasChanged, type ProjectState } from './project.ts'
import {
  type Base,
  buildOn,
  buildWorld,
  defaultBase,
  type NamedDraws,
  type NamedProject,
  type WorldState,
} from './start.ts'
import { Work } from './work.ts'
import type { Replacement, World, WorldOptions } from './world.ts'

export const createWorld = (options: WorldOptions): World => {
  const { seed = {}, profile = 'default', systemNow, onWork, onReplaced, onProgress, ...forced } = options
  const base: Base = { ...defaultBase, behaviors: { ...defaultBase.behaviors, ...profiles[profile] } }
  let start = buildWorld(seed, () => base, forced, onProgress)
  let state = start
  // Asked several times for each request, and mostly for the same one.
  let found: Found | undefined
  const become = (next: WorldState) => {
    state = next
    // It would keep rows that are there no more.
    found = undefined
  }
  const counts = createCounts()
  const { revisions, generations, requests } = counts
  // The project that was looked at last without being there: as it would be, built once.
  let unborn: NamedProject | undefined

  const find = (id: string): ProjectState | undefined => {
    if (found?.id !== id) found = { id, state: state.projects.find(named(id))?.state }
    return found.state
  }
  const fromTemplate = (id: string, from: WorldState): ProjectState =>
    drawn(buildOn(from, { id, document: from.template, idSeed: from.idSeed }), from.draws.find(named(id))?.count ?? 0)
  const asCreated = (id: string): ProjectState => {
    if (unborn?.id !== id) unborn = { id, state: fromTemplate(id, state) }
    return unborn.state
  }
  const read = (id: string): ProjectState => {
    const project = find(id)
    return project === undefined ? asCreated(id) : settled(id, project)
  }
  const clockOf = (id: string) => (find(id) ?? state).clock
  const names = (most?: number) => state.projects.first(most).map(({ id }) => id)

  const drawsWithout = (id: string) =>
    state.draws.size === 0 ? state.draws : state.draws.replace(named(id), undefined)
  const put = (id: string, project: ProjectState) => {
    if (unborn?.id === id) unborn = undefined
    become({ ...state, projects: state.projects.replace(undefined, { id, state: project }), draws: drawsWithout(id) })
  }
  const commit = (before: ProjectState, work: Work, after: ProjectState = work.state) => {
    if (after !== before) put(work.project, after)
    if (hasChanged(before, after)) revisions.add(work.project)
    onWork?.(work.project, work)
  }
  const replaceAll = (next: WorldState, reason: Replacement) => {
    const touched = new Set([...names(), ...[...next.projects.walk('rising')].map((project) => project.id)])
    become(next)
    generations.add(everywhere)
    unborn = undefined
    for (const id of touched) revisions.add(id)
    onReplaced?.(reason)
  }
  const replace = (id: string, next: ProjectState, reason: Replacement) => {
    put(id, next)
    generations.add(id)
    revisions.add(id)
    onReplaced?.(reason, id)
  }

  const projectWith = (id: string) =>
    state.projects
      .first(maxSearched)
      .find(({ state: { users, paymentLinks } }) => users.get(id) ?? paymentLinks.get(id))?.id
  const workOn = (id: string, project: ProjectState, behave: Behave) =>
    new Work(id, project, behave, { systemNow, projectWith })
  const readings =
    (id: string): Behave =>
    (key) =>
      (find(id) ?? state).behaviors[key]

  // Plans come true when the project is next touched: no timer runs.
  const settled = (id: string, project: ProjectState): ProjectState => {
    if (project.plans.length === 0) return project
    const now = new Date(timeOf(project.clock, systemNow)).toISOString()
    if (!hasDuePlans(project, now)) return project
    const work = workOn(id, project, readings(id))
    settlePlans(work, now)
    commit(project, work)
    return work.state
  }

  const summary = (id: string): ProjectSummary => {
    const { users, paymentLinks, preferredLocale, clock } = read(id)
    const counted = { revision: revisions.of(id), users: users.size, paymentLinks: paymentLinks.size }
    return { object: 'project', id, ...counted, preferredLocale, clock: clockReading(clock, systemNow) }
  }

  return {
    counts,
    run: (id, behave, operation) => {
      const before = read(id)
      const work = workOn(id, before, behave)
      const result = operation(work)
      commit(before, work, hasChanged(before, work.state) ? work.written : work.state)
      return result
    },
    look: (id, operation, behave = readings(id)) => operation(workOn(id, read(id), behave)),
    read,
    enter: (id) => {
      if (find(id) !== undefined) return false
      put(id, asCreated(id))
      return true
    },
    has: (id) => find(id) !== undefined,
    names,
    behaviorsOf: (id) => (find(id) ?? state).behaviors,
    clockOf,
    timeOf: (id) => timeOf(clockOf(id), systemNow),
    generationOf: (id) => generations.of(everywhere) + generations.of(id),
    draw: (id) => {
      const project = read(id)
      const next = drawn(project, 1)
      if (find(id) !== undefined) put(id, next)
      else {
        become({ ...state, draws: state.draws.replace(undefined, { id, count: next.counters.draws }) })
        unborn = { id, state: next }
      }
      return drawAt(project.idSeed, id, project.counters.draws)
    },
    nextRequestId: (id) => deriveId((find(id) ?? state).idSeed, id, 'req', requests.add(id) - 1),
    summary,
    summaries: () => names().map(summary),

    state: () => {
      names().forEach(read)
      return state
    },
    baseOf: (id) => (id === undefined ? undefined : start.projects.find(named(id))?.state) ?? start,
    replaceAll,
    replace,
    adjustAll: (change, each) => {
      const projects = [...state.projects.walk('rising')]
      become(change(state))
      unborn = undefined
      for (const { id } of projects) put(id, each(read(id)))
    },
    adjust: (id, each) => put(id, each(read(id))),
    remove: (id) => {
      const project = state.projects.find(named(id))
      if (project === undefined) throw new Refusal('projectNotFound', `No project '${id}'.`)
      become({ ...state, projects: state.projects.replace(project, undefined), draws: drawsWithout(id) })
      generations.add(id)
      revisions.add(id)
      onReplaced?.('deleted', id)
    },
    reset: (id) => {
      if (id === undefined) {
        requests.forget()
        return replaceAll(start, 'reset')
      }
      requests.forget(id)
      replace(id, start.projects.find(named(id))?.state ?? fromTemplate(id, start), 'reset')
    },
    restart: (next) => {
      start = buildWorld(next, () => base, forced)
      requests.forget()
      replaceAll(start, 'reset')
    },
  }
}

/** A project after so many more draws. */
const drawn = (project: ProjectState, count: number): ProjectState =>
  count === 0 ? project : { ...project, counters: { ...project.counters, draws: project.counters.draws + count } }

/** What a name led to, until a state changes. */
interface Found {
  readonly id: string
  readonly state: ProjectState | undefined
}

const named = (id: string) => ({ id }) as NamedProject & NamedDraws

/** How many projects are searched for an unknown id: a hint must not cost more than the request. */
const maxSearched = 100

// No project can have this name.
const everywhere = ''
