// A strategy: only the schedules that the user gives.
import type { SearchedRun } from '../order-search.ts'
import { type Followed, type Runner, type Strategy, wantRun } from '../search.ts'

export function* tryGivenSchedules<R extends SearchedRun>(
  schedules: readonly Followed<R>[],
  runner: Runner<R>,
): Strategy<R> {
  for (const { decide, check } of schedules) {
    const { run } = yield wantRun(runner, decide)
    check(run)
  }
  return true
}
