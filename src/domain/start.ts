import { type BehaviorChoices, type Behaviors, defaultBehaviors } from '../schema/behavior.ts'
import type { ClockDocument } from '../schema/clock.ts'
import type { ProjectDocument, Seed, Template } from '../schema/seed.ts'
import { type Clock, clockOf } from './clock.ts'
import { compareTexts, OrderedSet } from './ordered-set.ts'
import type { OnProgress } from './progress.ts'
import type { ProjectState } from './project.ts'
import { buildProject } from './seeding.ts'

/** A project and its name. */
export interface NamedProject {
  readonly id: string
  readonly state: ProjectState
}

/** All there is, in one value: reset, load, snapshot and restore replace it, so that nothing can be forgotten. */
export interface WorldState {
  readonly idSeed: string
  /** What a project starts with that no document lists. */
  readonly template: Template
  readonly clock: Clock
  readonly behaviors: Behaviors
  readonly projects: OrderedSet<NamedProject>
  /** Of projects that are not there yet: they go on from there when they come into being. */
  readonly draws: OrderedSet<NamedDraws>
}

/** How often chance was drawn from a project. */
export interface NamedDraws {
  readonly id: string
  readonly count: number
}

/** What a document builds on: it says the rest. */
export interface Base {
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** What wins over a document: flags, environment and options. */
export interface Forced {
  readonly idSeed?: string | undefined
  readonly clock?: ClockDocument | undefined
  readonly behaviors?: BehaviorChoices | undefined
}

export const defaultBase: Base = { idSeed: 'paylink-mock', clock: clockOf(), behaviors: defaultBehaviors }

/** The world as a document says, on a base of its own for each project. */
export const buildWorld = (
  document: Seed,
  baseOf: (project?: string) => Base,
  forced: Forced = {},
  onProgress?: OnProgress,
): WorldState => {
  const idSeed = forced.idSeed ?? document.idSeed ?? baseOf().idSeed
  const projects = Object.entries(document.projects ?? {}).map(([id, project]) => ({
    id,
    state: buildOn(layer(baseOf(id), forced, document, project), {
      id,
      document: project,
      idSeed: forced.idSeed ?? project.idSeed ?? document.idSeed ?? baseOf(id).idSeed,
      onProgress,
    }),
  }))
  const draws = Object.entries(document.progress?.draws ?? {}).map(([id, count]) => ({ id, count }))
  return {
    idSeed,
    template: document.template ?? {},
    ...layer(baseOf(), forced, document),
    projects: OrderedSet.of(byName, projects),
    draws: OrderedSet.of(byName, draws),
  }
}

/** One project as its document says. */
export const buildOn = ({ clock, behaviors }: Omit<Base, 'idSeed'>, { id, document, ...rest }: ToBuild): ProjectState =>
  buildProject(document, { project: id, clock, behaviors, ...rest })

interface ToBuild {
  readonly id: string
  readonly document: ProjectDocument
  readonly idSeed: string
  readonly onProgress?: OnProgress | undefined
}

/** The base, with what the documents say over it, the nearest last, and what is forced over all. */
export const layer = (
  base: Base,
  forced: Forced,
  ...documents: readonly {
    readonly clock?: ClockDocument | undefined
    readonly behaviors?: BehaviorChoices | undefined
  }[]
): Omit<Base, 'idSeed'> => {
  const clock = forced.clock ?? documents.findLast((document) => document.clock !== undefined)?.clock
  const choices = [...documents.map((document) => document.behaviors ?? {}), forced.behaviors ?? {}]
  return {
    clock: clock === undefined ? base.clock : clockOf(clock),
    behaviors: choices.reduce<Behaviors>((all, some) => ({ ...all, ...chosen(some) }), base.behaviors),
  }
}

/** The choices that were made: an undefined one is none. */
export const chosen = (choices: BehaviorChoices): Partial<Behaviors> =>
  Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined))

const byName = (a: { readonly id: string }, b: { readonly id: string }) => compareTexts(a.id, b.id)
