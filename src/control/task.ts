import type { Snapshots } from '../domain/snapshots.ts'
import type { Tokens } from '../domain/tokens.ts'
import type { Store } from '../domain/store.ts'
import type { Following } from '../traffic/events.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { OnEnd } from '../traffic/waits.ts'
import type { AnswerForAll, AnswerOf, BodyForAll, BodyOf, QueryOf, VerbId } from '../schema/verbs.ts'

/** What the control plane steers. */
export interface ControlOptions {
  readonly world: Store
  readonly snapshots: Snapshots
  readonly tokens: Tokens
  readonly traffic: Traffic
  /** The address of a project's payment pages, for the origin that the call came in under. */
  readonly payUrl: (project: string, origin?: string) => string
  readonly version: string
  /** Milliseconds since 1970. */
  readonly systemNow: () => number
  /** When the mock was made, by the same clock. */
  readonly startedAt: number
}

/** The one who calls. */
export interface Caller {
  /** Where the call came in, if it came over HTTP. */
  readonly origin: string | undefined
  /** Tells when nobody waits for the answer any more. */
  readonly onEnd: OnEnd
  /** Of one who follows events: the one that was seen last, and what to do when too many were missed. */
  readonly lastEvent?: number | undefined
  readonly onBehind?: (() => void) | undefined
}

interface Called extends Caller {
  readonly params: Readonly<Record<string, string>>
}

/** A call for one project, parsed. For what has no project its name is empty. */
export interface Task<V extends VerbId> extends Called {
  readonly project: string
  readonly query: QueryOf<V>
  readonly body: BodyOf<V>
}

/** A call for all projects, parsed. */
interface TaskForAll<V extends VerbId> extends Called {
  readonly query: QueryOf<V>
  readonly body: BodyForAll<V>
}

/** What a verb does for one project, and for all where it can. */
interface Handler<V extends VerbId> {
  readonly one: (task: Task<V>) => Promised<V, AnswerOf<V>>
  readonly all?: (task: TaskForAll<V>) => Promised<V, AnswerForAll<V>>
}

/** Only what waits answers later; events come one after the other. */
type Promised<V extends VerbId, A> = V extends 'verifyRequests' ? Promise<A> : V extends 'events' ? Following : A

/** The verbs of one capability, and what they do. */
export type Handlers<V extends VerbId> = { readonly [K in V]: Handler<K> }

export const list = <T>(items: readonly T[]) => ({ object: 'list' as const, items: [...items] })
