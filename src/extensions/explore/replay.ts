import * as z from 'zod/mini'
import { isRecord } from '../../schema/is-record.ts'
import { parseOptions } from '../../schema/options.ts'
import { runActors } from './actors-run.ts'
import { runFlow } from './flow-run.ts'
import { followSchedule, requireSchedule } from './interleave.ts'
import {
  type ExploreOptions,
  FaultPlace,
  type InterleaveOptions,
  parseExplore,
  parseInterleave,
  requireEffects,
} from './options.ts'
import type { Outcome } from './run.ts'
import { startSearch } from './search.ts'

/**
 * Runs one schedule again. The error is null if the invariant holds.
 *
 * @param given The arguments of the search that found the schedule.
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the schedule does not fit the flow or the actors
 */
export function replay(given: ExploreOptions, schedule: readonly FaultPlace[]): Promise<Outcome>
export function replay(given: InterleaveOptions, schedule: readonly string[]): Promise<Outcome>
export async function replay(given: ExploreOptions | InterleaveOptions, schedule: unknown): Promise<Outcome> {
  const { error, requests } =
    isRecord(given) && 'actors' in given
      ? await replayOrder(given as InterleaveOptions, parseSchedule(z.string(), schedule))
      : await replayFaults(given as ExploreOptions, parseSchedule(FaultPlace, schedule))
  return { error, requests }
}

const parseSchedule = <S extends z.ZodMiniType>(step: S, schedule: unknown) =>
  parseOptions('replay', '{ schedule: [] }', z.object({ schedule: z.array(step) }), { schedule }).schedule

const hint = 'Pass the arguments of the search that found the schedule.'

const replayFaults = async (given: ExploreOptions, schedule: readonly FaultPlace[]): Promise<Outcome> => {
  const options = { ...parseExplore(given), signal: undefined }
  const names = schedule.map(({ effect }) => effect)
  requireEffects('schedule', names, options.effects)
  using search = startSearch(options)
  const outcome = (await runFlow(options, schedule, search))!
  for (const { call, operation } of schedule) {
    const found = outcome.requests[call - 1]?.operation
    if (found !== operation)
      throw new Error(
        `The code does not repeat itself: call ${call} is ${found ?? 'missing'}, not ${operation}. ${hint}`,
      )
  }
  return outcome
}

const replayOrder = async (given: InterleaveOptions, schedule: readonly string[]): Promise<Outcome> => {
  const options = parseInterleave(given)
  using search = startSearch(options)
  const outcome = await runActors(options, followSchedule(schedule), search)
  requireSchedule(schedule, outcome, hint)
  const next = outcome.steps[schedule.length]
  if (next !== undefined)
    throw new Error(`The schedule ends after step ${schedule.length}, but the run does not. ${hint}`)
  return outcome
}
