import { type BehaviorChoices, type Behaviors, defaultBehaviors, type Profile, profiles } from '../schema/behavior.ts'
import type { ClockDocument } from '../schema/clock.ts'
import type { ProjectDocument, Seed, Template } from '../schema/seed.ts'
import { type Clock, clockOf } from './clock.ts'
import type { OnProgress } from './progress.ts'
import type { ProjectState } from './project.ts'
import { buildProject } from './seeding.ts'

/** The whole state, in one value: reset, load, snapshot and restore replace it, so nothing can be forgotten. */
export interface StoreState {
  readonly idSeed: string
  /** The initial content of a project that no document lists. */
  readonly template: Template
  readonly clock: Clock
  readonly behaviors: Behaviors
  readonly projects: ReadonlyMap<string, ProjectState>
  /** The number of random draws of projects that do not exist yet. */
  readonly draws: ReadonlyMap<string, number>
}

/** A copy with Maps of its own. The projects in them are immutable. */
export const copyOf = (state: StoreState) => ({
  ...state,
  projects: new Map(state.projects),
  draws: new Map(state.draws),
})

/** The values that a document can leave out. */
export interface Base {
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** Flags, environment and options. They override documents. */
interface Forced {
  readonly idSeed?: string | undefined
  readonly clock?: ClockDocument | undefined
  readonly behaviors?: BehaviorChoices | undefined
}

const defaultBase: Base = { idSeed: 'paylink-mock', clock: clockOf(), behaviors: defaultBehaviors }

export interface InitialOptions extends Forced {
  readonly seed?: Seed | undefined
  /** The behaviors that the seed does not set. @default 'default' */
  readonly profile?: Profile | undefined
  /** Is called while the records of the seed are created. */
  readonly onProgress?: OnProgress | undefined
}

/** Builds the state that a store starts from and returns to. */
export const initialState = ({ seed = {}, profile = 'default', onProgress, ...forced }: InitialOptions): StoreState => {
  const base: Base = { ...defaultBase, behaviors: { ...defaultBase.behaviors, ...profiles[profile] } }
  return buildState(seed, () => base, forced, onProgress)
}

/** Builds the state of a document. Each project has a base of its own. */
export const buildState = (
  document: Seed,
  baseOf: (project?: string) => Base,
  forced: Forced = {},
  onProgress?: OnProgress,
): StoreState => {
  const idSeed = forced.idSeed ?? document.idSeed ?? baseOf().idSeed
  const projects = Object.entries(document.projects ?? {}).map(([id, project]): [string, ProjectState] => [
    id,
    buildOn(layer(baseOf(id), forced, document, project), {
      id,
      document: project,
      idSeed: forced.idSeed ?? project.idSeed ?? document.idSeed ?? baseOf(id).idSeed,
      onProgress,
    }),
  ])
  return {
    idSeed,
    template: document.template ?? {},
    ...layer(baseOf(), forced, document),
    projects: new Map(projects),
    draws: new Map(Object.entries(document.progress?.draws ?? {})),
  }
}

/** Builds the state of one project. */
export const buildOn = ({ clock, behaviors }: Omit<Base, 'idSeed'>, { id, document, ...rest }: ToBuild): ProjectState =>
  buildProject(document, { project: id, clock, behaviors, ...rest })

interface ToBuild {
  readonly id: string
  readonly document: ProjectDocument
  readonly idSeed: string
  readonly onProgress?: OnProgress | undefined
}

/** Merges clock and behaviors: the base, then the documents, the last of them first, then what is forced. */
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

/** The choices without undefined ones. */
export const chosen = (choices: BehaviorChoices): Partial<Behaviors> =>
  Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined))
