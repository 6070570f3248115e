import type { Exchange } from './exchange.ts'

/** What a probe has found out, and the exchanges that show it. */
export type Verdict<V> =
  | { readonly outcome: 'observed'; readonly value: V; readonly seen: readonly Exchange[] }
  | { readonly outcome: 'unknown'; readonly what: string; readonly seen: readonly Exchange[] }
  | { readonly outcome: 'untold'; readonly why: string; readonly seen: readonly Exchange[] }

/** The service has this reading. */
export const observed = <V>(value: V, ...seen: readonly Exchange[]): Verdict<V> => ({
  outcome: 'observed',
  value,
  seen,
})

/** What the service does fits no reading that the mock knows. */
export const unknown = (what: string, ...seen: readonly Exchange[]): Verdict<never> => ({
  outcome: 'unknown',
  what,
  seen,
})

/** What was seen leaves the reading open. */
export const untold = (why: string, ...seen: readonly Exchange[]): Verdict<never> => ({ outcome: 'untold', why, seen })

/** Ends one probe: what it needs is not to be had. */
export class CouldNotTell extends Error {
  readonly seen: readonly Exchange[]

  constructor(why: string, ...seen: readonly Exchange[]) {
    super(why)
    this.seen = seen
  }
}

/** Ends the whole run, in one sentence. */
export class CalibrationError extends Error {}

/** Ends the whole run, because somebody asked for it. */
export class Interrupted extends Error {}
