// What the mock does with a call, compared with the service. A list of a service that lags behind is compared with earlier
// worlds too.
import type { Behaviors } from '../../schema/behavior.ts'
import { listDifferences } from './differences.ts'
import type { Attempt, TryCall } from './explain.ts'
import type { CallSituation } from './knowledge.ts'
import type { Predict } from './predictor.ts'
import type { ServiceCall } from './service-call.ts'
import { addPosition, findEntry, type World } from './world.ts'

/** The youngest change that a list has shown: no list lags behind longer than that. */
export interface Freshness {
  /** In milliseconds, at most. */
  readonly age: number
  readonly number: number
}

/** `freshness` returns that of the calls so far. */
export const createTryCall =
  (predict: Predict, freshness: () => Freshness | undefined): TryCall =>
  async (call, situation, behaviors) => {
    const present = await tryWorld(predict, call, situation, behaviors)
    if (present.differences.length === 0 || behaviors.listFreshness === 'immediate') return present
    const { world, past } = situation
    const cursor = call.query.get('after') ?? call.query.get('before')
    const entry = cursor === null || world === undefined ? undefined : findEntry(world, call.kind, cursor)
    for (const earlier of past) {
      const lag = call.start - earlier.endedBy.end
      if (lag > (freshness()?.age ?? Infinity)) break
      // A cursor that the earlier world does not have yet marks its position.
      const isLater = entry !== undefined && findEntry(earlier.world, call.kind, entry.id) === undefined
      const attempt = isLater
        ? await tryWorld(
            predict,
            call,
            { ...situation, world: addPosition(earlier.world, call.kind, entry) },
            { ...behaviors, deletedCursor: 'resume' },
          )
        : await tryWorld(predict, call, { ...situation, world: earlier.world }, behaviors)
      if (attempt.differences.length === 0) return { ...attempt, lag }
    }
    return present
  }

const tryWorld = async (
  predict: Predict,
  call: ServiceCall,
  { world, given, isComplete, paymentUrls }: CallSituation,
  behaviors: Behaviors,
): Promise<Attempt> => {
  const prediction = await predict(call, world, { ...behaviors, listFreshness: 'immediate' }, given)
  return { prediction, differences: listDifferences(call, prediction, { isComplete, paymentUrls }), lag: undefined }
}

/** How many changes are tried. */
const maxChanges = 5

/**
 * Returns the age of the youngest change that a list shows, if it is less than a limit.
 * A change is shown if the list would be another one without it.
 */
export const findYoungestShown = async (
  tryCall: TryCall,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  limit: number,
): Promise<number | undefined> => {
  const immediate: Behaviors = { ...behaviors, listFreshness: 'immediate' }
  let newer: World | undefined = situation.world
  for (const { world, endedBy } of situation.past.slice(0, maxChanges)) {
    const age = call.end - endedBy.start
    if (age >= limit) return undefined
    if (world[call.kind] === newer?.[call.kind]) continue
    newer = world
    const { differences } = await tryCall(call, { ...situation, world }, immediate)
    if (differences.length > 0) return age
  }
  return undefined
}
