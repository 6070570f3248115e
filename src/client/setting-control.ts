import type { BehaviorChoices, BehaviorSettings } from '../schema/behavior.ts'
import type { RedactedToken, Token } from '../schema/seed.ts'
import { getItems, type ScopedCall } from './call.ts'

/** The behaviors and the tokens of one project or of all. */
export interface SettingControl {
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

/** Creates the functions of behaviors and tokens. */
export const createSettingControl = (call: ScopedCall): SettingControl => ({
  behaviors: {
    get: () => call('readBehaviors'),
    set: (body) => call('changeBehaviors', { body }),
  },
  tokens: {
    get: () => call('readTokens').then(getItems),
    replace: (tokens) => call('replaceTokens', { body: { tokens } }).then(getItems),
  },
})
