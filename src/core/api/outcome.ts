import type { Past, RecordChange } from '../domain/history.ts'
import type { ResponseData } from '../http/respond.ts'
import { type BehaviorKey, type BehaviorLookup, type Behaviors, pickBehaviors } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { Effect } from '../schema/fault.ts'
import type { Violation } from '../schema/recorded-request.ts'

export interface RequestOutcome {
  /** The id of the request, or a new id for a second delivery by a fault. */
  readonly id: string
  /** Undefined if the client receives no response. */
  readonly response: ResponseData | undefined
  /** The error that the operation or a stage before it has thrown. */
  readonly error: ErrorCode | undefined
  /** The result of the operation, and its query. Undefined if the operation failed or has not run. */
  readonly shown: { readonly result: unknown; readonly query: unknown } | undefined
  readonly changes: readonly RecordChange[]
  /** The behaviors that could have decided the response, with their values, in the order of the registry. */
  readonly assumed: Partial<Behaviors>
  readonly violations: readonly Violation[]
  /** The earlier state that a fault or a behavior has shown. Undefined: the current state. */
  readonly past: Past | undefined
  /** Undefined if no fault applied. */
  readonly fault: FaultOutcome | undefined
}

export type OnOutcome = (outcome: RequestOutcome) => void

export interface FaultOutcome {
  readonly id: string
  readonly effect: Effect
  /** Whether the delay was so long that clients should have a timeout. */
  readonly isLate: boolean
  /** Whether an earlier delivery of the same request has changed records. */
  readonly hasChangedBefore: boolean
  readonly broken: 'reset' | 'close' | 'truncated' | undefined
}

export interface StageResult extends ResponseData, Partial<Pick<RequestOutcome, 'error' | 'shown'>> {}

/** The notes of the stages of a request, beside their result. They are kept even if a stage throws. */
export class Notes {
  changes: RequestOutcome['changes'] = []
  violations: RequestOutcome['violations'] = []
  assumed: Partial<Behaviors> = {}
  past: Past | undefined
  /** Notes that a behavior could have decided the response. */
  readonly assume: (key: BehaviorKey) => void
  /** Returns the value of a behavior, and notes that it could have decided the response. */
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

// These two change only the form of a response, and every response would list them.
const presentationOnly = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision'])

export const sortBehaviors = (behaviors: Partial<Behaviors>): Partial<Behaviors> =>
  pickBehaviors(behaviors, (key) => key in behaviors)
