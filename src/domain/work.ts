import type { Behave } from '../schema/behavior.ts'
import { afterWrite, timeOf } from './clock.ts'
import { deriveId } from './ids.ts'
import type { Prefix, ProjectState } from './project.ts'

/** What a piece of work needs to know of the world around its project. */
export interface Surroundings {
  /** Milliseconds since 1970, as the machine has them. */
  readonly systemNow: () => number
  /** Another project that has a row with this id, for hints. */
  readonly projectWith: (id: string) => string | undefined
}

/**
 * One operation on one project. `state` is the next state: it becomes current when the operation has succeeded,
 * and is forgotten when it throws, so that what is refused has changed nothing.
 */
export class Work {
  readonly project: string
  readonly behave: Behave
  readonly projectWith: Surroundings['projectWith']
  state: ProjectState
  readonly #systemNow: () => number
  #now: string | undefined

  constructor(project: string, state: ProjectState, behave: Behave, surroundings: Surroundings) {
    this.project = project
    this.state = state
    this.behave = behave
    this.projectWith = surroundings.projectWith
    this.#systemNow = surroundings.systemNow
  }

  /** The time of this operation, by the project's clock: the same however often it is asked. */
  get now(): string {
    this.#now ??= new Date(timeOf(this.state.clock, this.#systemNow)).toISOString()
    return this.#now
  }

  /** A new id. Ids that are or were a row's are skipped: a seed may have pinned them. */
  newId(prefix: Prefix): string {
    const { idSeed, counters, users, paymentLinks } = this.state
    const rows = prefix === 'usr' ? users : paymentLinks
    let counter = counters[prefix]
    let id: string
    do id = deriveId(idSeed, this.project, prefix, counter++)
    while (rows.has(id))
    this.change({ counters: { ...counters, [prefix]: counter } })
    return id
  }

  change(part: Partial<ProjectState>): void {
    this.state = { ...this.state, ...part }
  }

  /** The state after a write: a stepping clock has stepped. */
  get written(): ProjectState {
    return { ...this.state, clock: afterWrite(this.state.clock) }
  }
}
