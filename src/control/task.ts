import type { Snapshots } from '../domain/snapshots.ts'
import type { Tokens } from '../domain/tokens.ts'
import type { Work } from '../domain/work.ts'
import type { World } from '../domain/world.ts'
import type { AnswerForAll, AnswerOf, BodyForAll, BodyOf, QueryOf, VerbId } from '../schema/verbs.ts'

/** What the control plane steers. */
export interface ControlOptions {
  readonly world: World
  readonly snapshots: Snapshots
  readonly tokens: Tokens
  /** Where a link can be paid, for the origin that the call came in under. */
  readonly paymentUrl: (project: string, paymentLink: string, origin?: string) => string
  readonly version: string
  /** Milliseconds since 1970. */
  readonly systemNow: () => number
}

interface Called {
  readonly params: Readonly<Record<string, string>>
  /** Where the call came in, if it came over HTTP. */
  readonly origin: string | undefined
}

/** A call for one project, parsed. For what has no project its name is empty. */
export interface Task<V extends VerbId> extends Called {
  readonly project: string
  readonly query: QueryOf<V>
  readonly body: BodyOf<V>
}

/** A call for all projects, parsed. */
interface TaskForAll<V extends VerbId> extends Called {
  readonly body: BodyForAll<V>
}

/** What a verb does for one project, and for all where it can. */
interface Handler<V extends VerbId> {
  readonly one: (task: Task<V>) => AnswerOf<V>
  readonly all?: (task: TaskForAll<V>) => AnswerForAll<V>
}

/** The verbs of one capability, and what they do. */
export type Handlers<V extends VerbId> = { readonly [K in V]: Handler<K> }

/** Work on a project as the control plane does it: an admin write brings the project into being. */
export const writeTo =
  (world: World) =>
  <R>(project: string, operation: (work: Work) => R): R => {
    const behaviors = world.behaviorsOf(project)
    const result = world.run(project, (key) => behaviors[key], operation)
    world.enter(project)
    return result
  }

export const list = <T>(items: readonly T[]) => ({ object: 'list' as const, items: [...items] })
