import type { Past, RecordChange } from '../domain/history.ts'
import type { ResponseData } from '../http/respond.ts'
import { type BehaviorKey, behaviorKeys, type BehaviorLookup, type Behaviors } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { Effect } from '../schema/fault.ts'
import type { Violation } from '../schema/recorded-request.ts'

/** The outcome of a request: its response, and the facts behind it. */
export interface RequestOutcome {
  /** The id of the delivery. It is that of the request, unless a fault delivers the request twice. */
  readonly id: string
  /** Undefined if the client receives no response. */
  readonly response: ResponseData | undefined
  /** The error that the operation or a stage before it has thrown. */
  readonly error: ErrorCode | undefined
  /** The result of the operation, and its query. Undefined if the operation failed or has not run. */
  readonly shown: { readonly result: unknown; readonly query: unknown } | undefined
  /** The records that the operation has changed. */
  readonly changes: readonly RecordChange[]
  /** The behaviors that could have decided the response, with their values, in the order of the registry. */
  readonly assumed: Partial<Behaviors>
  readonly violations: readonly Violation[]
  /** The earlier state that a fault or a behavior has shown. Undefined: the current state. */
  readonly past: Past | undefined
  /** Undefined if no fault applied. */
  readonly fault: FaultOutcome | undefined
}

/** Is called with the outcome of a request. */
export type OnOutcome = (outcome: RequestOutcome) => void

/** The effect of a fault on a request. */
export interface FaultOutcome {
  readonly id: string
  readonly effect: Effect
  /** Whether it has delayed the response for so long that clients should have a timeout. */
  readonly isLate: boolean
  /** Whether an earlier delivery of the same request has changed records. */
  readonly hasChangedBefore: boolean
  /** How it breaks the connection. */
  readonly broken: 'reset' | 'close' | 'truncated' | undefined
}

/** The result of the stages of a request. */
export interface StageResult extends ResponseData, Partial<Pick<RequestOutcome, 'error' | 'shown'>> {}

/** Facts that the stages of a request note beside their result. They are kept if a stage throws. */
export class Notes {
  changes: RequestOutcome['changes'] = noNotes
  violations: RequestOutcome['violations'] = noNotes
  assumed: Partial<Behaviors> = {}
  past: Past | undefined
  /** Notes that a behavior could have decided the response. */
  readonly assume: (key: BehaviorKey) => void
  /** Looks up a behavior for a decision, so that it is assumed. */
  readonly getBehavior: BehaviorLookup

  /** @param past the earlier state that a fault shows */
  constructor(behaviors: Behaviors, past: Past | undefined) {
    this.past = past
    this.assume = (key) => {
      if (!presentationOnly.has(key)) this.assumed = { ...this.assumed, [key]: behaviors[key] }
    }
    this.getBehavior = (key) => {
      this.assume(key)
      return behaviors[key]
    }
  }
}

const noNotes: readonly never[] = []

// These two change only the form of a response, and every response would list them.
const presentationOnly = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision'])

/** Returns behaviors in the order of the registry. */
export const sortBehaviors = (behaviors: Partial<Behaviors>): Partial<Behaviors> =>
  Object.fromEntries(behaviorKeys.filter((key) => key in behaviors).map((key) => [key, behaviors[key]]))
