import type { Work } from '../domain/work.ts'
import type { World } from '../domain/world.ts'
import type { AnswerOf, BodyOf, QueryOf, VerbId } from '../schema/verbs.ts'

/** What the control plane steers. */
export interface ControlOptions {
  readonly world: World
  /** Where a link can be paid, for the origin that the call came in under. */
  readonly paymentUrl: (project: string, paymentLink: string, origin?: string) => string
  /** Takes everything that is not in the world back to the start, for all projects or one. */
  readonly onReset: (project?: string) => void
  readonly version: string
  /** Milliseconds since 1970. */
  readonly systemNow: () => number
}

/** A call that has been parsed. */
export interface Task<V extends VerbId> {
  readonly project: string
  readonly params: Readonly<Record<string, string>>
  readonly query: QueryOf<V>
  readonly body: BodyOf<V>
  /** Where the call came in, if it came over HTTP. */
  readonly origin: string | undefined
}

/** The verbs of one capability, and what they do. */
export type Handlers<V extends VerbId> = { readonly [K in V]: (task: Task<K>) => AnswerOf<K> }

/** Work on a project as the control plane does it: an admin write brings the project into being. */
export const writeTo =
  (world: World) =>
  <R>(project: string, operation: (work: Work) => R): R => {
    const behaviors = world.behaviorsOf(project)
    const result = world.run(project, (key) => behaviors[key], operation)
    world.enter(project)
    return result
  }
