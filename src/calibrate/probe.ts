import type { BehaviorKey, Behaviors } from '../schema/behavior.ts'
import type { Scene } from './scene.ts'
import type { Verdict } from './verdict.ts'

/** Rows and answers that probes share, so that less is made. */
export type Shared = 'user' | 'link' | 'refusal'

/** How one behavior is seen from outside. */
export interface Probe<K extends BehaviorKey> {
  /** What of the shared it looks at. */
  readonly uses?: readonly Shared[]
  /** The requests that it sends beside these, below the project unless they name another. */
  readonly requests: readonly string[]
  /** The most users that it makes; they are deleted. */
  readonly users?: number
  /** The most payment links that there may be more when it is through; a later probe takes those of an earlier one. */
  readonly links?: number
  /** What else may stay. */
  readonly leaves?: string
  readonly ask: (scene: Scene) => Promise<Verdict<Behaviors[K]>>
}

export type Probes<K extends BehaviorKey> = { readonly [Key in K]: Probe<Key> }
