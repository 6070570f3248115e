export { explore, interleave, replay } from './explore.ts'
export { formatFailure, formatResult } from './format.ts'
export type { Client, ExploreOptions, FinishedRun, Flow, InterleaveOptions, Progress } from './options.ts'
export {
  type ExploredRequest,
  type ExploredSleep,
  type ExploreResult,
  type Failure,
  type InterleaveResult,
  type Outcome,
  RunError,
  type SearchEnd,
  type SearchResult,
} from './result.ts'
export type { FaultPlace } from './schedule-text.ts'
