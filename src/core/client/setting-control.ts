import type { BehaviorChoices, BehaviorSettings } from '../schema/behavior.ts'
import type { ClockDocument, ClockStatus } from '../schema/clock-document.ts'
import type { RedactedToken, Token } from '../schema/seed.ts'
import { getItems, type ScopedCall } from './call.ts'

/** The clock, the behaviors and the tokens of one project or of all. */
export interface SettingControl {
  /** The clock of the project, or of all projects. */
  readonly clock: {
    /** Returns the clock with its current time. */
    get(): Promise<ClockStatus>
    /** Sets the clock, also to an earlier time. Without `now`, a frozen or stepping clock starts at its current time. */
    set(clock: ClockDocument): Promise<ClockStatus>
    /**
     * Advances the clock. Scheduled payments that are due then run in order, each with its own time.
     *
     * @throws MockError `invalidBody` for a negative number
     * @example
     * await acme.clock.advance(60_000)
     */
    advance(milliseconds: number): Promise<ClockStatus>
  }
  /** The behavior values: the choices of the mock where the specification is silent. */
  readonly behaviors: {
    /** Returns the current values and all possible ones. */
    get(): Promise<BehaviorSettings>
    /**
     * Sets behavior values, for all projects those of every project. Other behaviors keep their values.
     *
     * @throws MockError `invalidBody` for an unknown behavior or value
     * @example
     * await acme.behaviors.set({ cancelInactive: 'idempotent' })
     */
    set(choices: BehaviorChoices): Promise<BehaviorSettings>
  }
  /** The bearer tokens of the mocked API. If the list is empty, any token is valid. */
  readonly tokens: {
    /** Returns a short hash instead of each token. */
    get(): Promise<readonly RedactedToken[]>
    /** Replaces the tokens. With none, any token is valid. */
    replace(tokens: readonly Token[]): Promise<readonly RedactedToken[]>
  }
}

export const createSettingControl = (call: ScopedCall): SettingControl => ({
  clock: {
    get: () => call('readClock'),
    set: (body) => call('setClock', { body }),
    advance: (milliseconds) => call('advanceClock', { body: { milliseconds } }),
  },
  behaviors: { get: () => call('readBehaviors'), set: (body) => call('changeBehaviors', { body }) },
  tokens: {
    get: () => call('readTokens').then(getItems),
    replace: (tokens) => call('replaceTokens', { body: { tokens } }).then(getItems),
  },
})
