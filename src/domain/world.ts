import type { Behave, Behaviors, Profile } from '../schema/behavior.ts'
import type { ProjectSummary } from '../schema/project.ts'
import type { Seed } from '../schema/seed.ts'
import type { Counts } from './counts.ts'
import type { Clock } from './clock.ts'
import type { OnProgress } from './progress.ts'
import type { ProjectState } from './project.ts'
import type { Base, Forced, WorldState } from './start.ts'
import type { Work } from './work.ts'

/** What came of a piece of work. */
export type Done = Pick<Work, 'changes' | 'failedPayments'>

/** Why another state took the place of the one there was. */
export type Replacement = 'reset' | 'loaded' | 'restored' | 'deleted'

export interface WorldOptions extends Forced {
  readonly seed?: Seed | undefined
  /** The readings below those of the seed. @default 'default' */
  readonly profile?: Profile | undefined
  /** Milliseconds since 1970: what a real clock shows. */
  readonly systemNow: () => number
  /** Told how far the rows of the seed are, at the start. */
  readonly onProgress?: OnProgress | undefined
  /** Told of the work that was done on a project, once it is. */
  readonly onWork?: ((project: string, done: Done) => void) | undefined
  /** Told that the state of a project was replaced, or that of all. */
  readonly onReplaced?: ((reason: Replacement, project?: string) => void) | undefined
}

/** All projects and their rows. Everything is synchronous, so that each piece of work is atomic by construction. */
export interface World {
  /** What outlives the state of a project. */
  readonly counts: Counts
  /**
   * Does a piece of work on a project. What it changed becomes current when it returns; nothing does when it throws.
   * Plans that were due come true all the same.
   */
  run<R>(project: string, behave: Behave, operation: (work: Work) => R): R
  /** Looks at a project without bringing it into being. */
  look<R>(project: string, operation: (work: Work) => R, behave?: Behave): R
  /** A project as it is, plans that are due included; one that is not there as it would be. */
  read(project: string): ProjectState
  /** Brings a project into being from the template. Answers whether it was not there before. */
  enter(project: string): boolean
  has(project: string): boolean
  /** The names in their order, the first of them if there are more than `most`. */
  names(most?: number): string[]
  behaviorsOf(project: string): Behaviors
  /** The clock of a project. Due payments are left as they are. */
  clockOf(project: string): Clock
  /** The time by the project's clock, in milliseconds since 1970. */
  timeOf(project: string): number
  /** Counts the replacements of a project's state: what was begun before one must not write after it. */
  generationOf(project: string): number
  /** The next of a project's seeded draws, from 0 to below 1. It does not bring the project into being. */
  draw(project: string): number
  /** The id of the next request to a project: counted for each by itself, so that it is the same in every run. */
  nextRequestId(project: string): string
  summary(project: string): ProjectSummary
  summaries(): ProjectSummary[]

  /** All there is, plans that are due included. */
  state(): WorldState
  /** What a document that is loaded builds on: the start, of a project where the seed has it. */
  baseOf(project?: string): Base
  /** Puts another state in the place of all there is, or of a project. */
  replaceAll(next: WorldState, reason: Replacement): void
  replace(project: string, next: ProjectState, reason: Replacement): void
  /** Changes what is no data, clocks, behaviors and the template, of all projects and of those to come. */
  adjustAll(change: (state: WorldState) => WorldState, each: (project: ProjectState) => ProjectState): void
  /** The same of one project, which comes into being. */
  adjust(project: string, each: (project: ProjectState) => ProjectState): void
  /** Takes a project away; its revision goes on counting. Refuses (`projectNotFound`) when it is not there. */
  remove(project: string): void
  /** Back to the seed, the count of requests included: all projects, or one. */
  reset(project?: string): void
  /** Starts anew from another seed. */
  restart(seed: Seed): void
}
