import type { BehaviorChoices, BehaviorKey } from '../schema/behavior.ts'
import type { Finding, Report } from './calibrate.ts'

/** A behavior that the service had, and has no more. */
export interface Change {
  readonly key: BehaviorKey
  readonly was: string | number | boolean
  readonly now: Finding
}

/** What has changed since these behaviors were written down. What could not be told is no change. */
export const driftOf = (known: BehaviorChoices, { findings }: Pick<Report, 'findings'>): readonly Change[] =>
  findings.flatMap((now) => {
    const was = known[now.key]
    if (was === undefined || now.outcome === 'untold') return []
    return now.outcome === 'observed' && now.value === was ? [] : [{ key: now.key, was, now }]
  })
