import { type BehaviorChoices, type Behaviors, defaultBehaviors, type Profile, profiles } from '../schema/behavior.ts'
import type { ClockDocument } from '../schema/clock-document.ts'
import type { Seed, Template } from '../schema/seed.ts'
import { type Clock, createClock } from './clock.ts'
import type { ProjectState } from './transaction.ts'
import { buildProject } from './seeding.ts'
import { omitUndefined } from '../schema/json-value.ts'

/** The state of all projects, in one value. Reset, load, snapshot and restore replace it as a whole. */
export interface StoreState {
  readonly idSeed: string
  /** The initial content of a project that no document lists. */
  readonly template: Template
  readonly clock: Clock
  readonly behaviors: Behaviors
  readonly projects: ReadonlyMap<string, ProjectState>
  /** The number of random draws of each project that does not exist yet. */
  readonly draws: ReadonlyMap<string, number>
}

/** Copies the Maps. The projects in them are immutable. */
export const copyState = (state: StoreState) => ({
  ...state,
  projects: new Map(state.projects),
  draws: new Map(state.draws),
})

/** The values that a document can omit. */
export interface Base {
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** The settings of flags, environment and options. They override documents. */
interface Overrides {
  readonly idSeed?: string | undefined
  readonly clock?: ClockDocument | undefined
  readonly behaviors?: BehaviorChoices | undefined
}

const defaultBase: Base = { idSeed: 'paylink-mock', clock: createClock(), behaviors: defaultBehaviors }

export interface InitialOptions extends Overrides {
  readonly seed?: Seed | undefined
  /** The behaviors that the seed does not set. @default 'default' */
  readonly profile?: Profile | undefined
}

/** Builds the initial state of a store, which a reset restores. */
export const createInitialState = ({ seed = {}, profile = 'default', ...overrides }: InitialOptions): StoreState => {
  const base: Base = { ...defaultBase, behaviors: { ...defaultBase.behaviors, ...profiles[profile] } }
  return buildState(seed, () => base, overrides)
}

/** Builds the state of a document. `getBase` returns the values that it omits, for the store or a project. */
export const buildState = (
  document: Seed,
  getBase: (project?: string) => Base,
  overrides: Overrides = {},
): StoreState => {
  const idSeed = overrides.idSeed ?? document.idSeed ?? getBase().idSeed
  const projects = Object.entries(document.projects ?? {}).map(([id, project]): [string, ProjectState] => [
    id,
    buildProject(project, {
      ...mergeSettings(getBase(id), overrides, document, project),
      project: id,
      idSeed: overrides.idSeed ?? project.idSeed ?? document.idSeed ?? getBase(id).idSeed,
    }),
  ])
  return {
    idSeed,
    template: document.template ?? {},
    ...mergeSettings(getBase(), overrides, document),
    projects: new Map(projects),
    draws: new Map(Object.entries(document.progress?.draws ?? {})),
  }
}

/** Merges clock and behaviors. Overrides win over documents, later documents over earlier ones, and documents over the base. */
export const mergeSettings = (
  base: Base,
  overrides: Overrides,
  ...documents: readonly {
    readonly clock?: ClockDocument | undefined
    readonly behaviors?: BehaviorChoices | undefined
  }[]
): Omit<Base, 'idSeed'> => {
  const clock = overrides.clock ?? documents.findLast((document) => document.clock !== undefined)?.clock
  const choices = [...documents.map((document) => document.behaviors ?? {}), overrides.behaviors ?? {}]
  return {
    clock: clock === undefined ? base.clock : createClock(clock),
    behaviors: choices.reduce<Behaviors>((all, some) => ({ ...all, ...omitUndefined(some) }), base.behaviors),
  }
}
