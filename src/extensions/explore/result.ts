// The results of a search: its failures, and the calls and sleeps of each.
import type { FaultPlace } from './schedule-text.ts'

/** Why a search ended. `complete`: everything was tried. */
export type SearchEnd = 'complete' | 'only' | 'maxRuns' | 'maxFailures' | 'budget' | 'signal' | 'maxCalls'

/** The result of a search. `S` is a fault place, or a step of an actor. */
export interface SearchResult<S> {
  readonly runs: number
  /** The calls of all runs. */
  readonly calls: number
  /** Whether everything was tried, or something that cannot differ from it. */
  readonly exhausted: boolean
  /** Whether the signal, `budget`, `maxFailures` or `maxCalls` ended the search. */
  readonly stopped: boolean
  /** Why the search ended. */
  readonly endedBy: SearchEnd
  /** The failures: those with the fewest faults, and then with the fewest changes of actor, come first. */
  readonly failures: readonly Failure<S>[]
}
export type ExploreResult = SearchResult<FaultPlace>
export interface InterleaveResult extends SearchResult<string> {
  readonly isolated: boolean
}

/** The end of one run. */
export interface Outcome {
  /** The error of the invariant, or a `RunError`. Null if the invariant holds. */
  readonly error: unknown
  /** The calls in their order. */
  readonly requests: readonly ExploredRequest[]
  readonly sleeps: readonly ExploredSleep[]
}

/** A run that failed. `S` is a fault place, or a step of an actor. */
export interface Failure<S> extends Outcome {
  readonly schedule: readonly S[]
  /** The schedule as text, for `only` and `replay`. */
  readonly replay: string
}

/** A call in a run: a request, or a command of the control API. */
export interface ExploredRequest {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The id of the operation or command. Null: no route matched. */
  readonly operation: string | null
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The text of the body. */
  readonly body: string | null
  /** Null: the client received no response. */
  readonly status: number | null
  /** The text of the response. */
  readonly response: string | null
  /** When it was made, by the mock clock. */
  readonly time: string
  /** What a fault did to the call. Null: nothing. */
  readonly fault: string | null
}

/** A sleep, or the delay of a call, that ended in a run. */
export interface ExploredSleep {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The number of calls before it ended. */
  readonly calls: number
  /** When it ended, by the mock clock. */
  readonly time: string
}

/** The error of a run that did not end, or whose client code must succeed but threw. */
export class RunError extends Error {
  override readonly name = 'RunError'
  readonly code: 'deadlock' | 'maxCalls' | 'timeout' | 'flowFailed'

  constructor(code: RunError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Describes the fault of a call: `reset after the operation`. */
export const describeFault = ({ effect, phase }: Pick<FaultPlace, 'effect' | 'phase'>): string =>
  `${effect} ${phase} the operation`

/** Ends a search before everything was tried. */
export class Ended {
  readonly by: SearchEnd
  constructor(by: SearchEnd) {
    this.by = by
  }
}

/** Returns why a search ended, also if it threw `Ended`. */
export const catchEnd = <By extends SearchEnd>(search: Promise<By>): Promise<By> =>
  search.catch((error: unknown) => {
    if (error instanceof Ended) return error.by as By
    throw error
  })
