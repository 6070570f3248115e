// Compares the response of the mock to one call with that of the service. Lists may lag behind: earlier content is tried too.
import type { Behaviors } from '../../schema/behavior.ts'
import { listDifferences } from './differences.ts'
import type { Attempt, TryCall } from './explain.ts'
import type { CallSituation, EarlierContent } from './knowledge.ts'
import type { Predict } from './predictor.ts'
import type { ServiceCall } from './service-call.ts'
import { addPosition, findEntry, type Content } from './project-content.ts'

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
    const present = await tryContent(predict, call, situation, behaviors)
    if (present.differences.length === 0 || behaviors.listFreshness === 'immediate') return present
    for (const { content, endedBy } of situation.past) {
      const lag = call.start - endedBy.end
      if (lag > (freshness()?.age ?? Infinity)) break
      const attempt = await tryEarlierContent(predict, call, situation, behaviors, content)
      if (attempt.differences.length === 0) return { ...attempt, lag }
    }
    return present
  }

const tryEarlierContent = (
  predict: Predict,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  content: Content,
): Promise<Attempt> => {
  const cursor = call.query.get('after') ?? call.query.get('before')
  const entry =
    cursor === null || situation.content === undefined ? undefined : findEntry(situation.content, call.kind, cursor)
  if (entry === undefined || findEntry(content, call.kind, entry.id) !== undefined)
    return tryContent(predict, call, { ...situation, content }, behaviors)
  // A cursor that the earlier content does not have yet marks its position.
  const withPosition = { ...situation, content: addPosition(content, call.kind, entry) }
  return tryContent(predict, call, withPosition, { ...behaviors, deletedCursor: 'resume' })
}

const tryContent = async (
  predict: Predict,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
): Promise<Attempt> => {
  const { content, given } = situation
  const prediction = await predict(call, content, { ...behaviors, listFreshness: 'immediate' }, given)
  return { prediction, differences: listDifferences(call, prediction, situation), lag: undefined }
}

/** How many changes are tried. With more, the age is unknown. */
const maxChanges = 20

/**
 * Returns the age of the youngest change that a list shows, if it is less than a limit. A list shows a change if it is that
 * of no earlier content.
 */
export const findYoungestShown = async (
  predict: Predict,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  limit: number,
): Promise<number | undefined> => {
  const getAge = ({ endedBy }: EarlierContent) => call.end - endedBy.start
  const end = situation.past.findIndex((one) => getAge(one) >= limit)
  const past = end === -1 ? situation.past : situation.past.slice(0, end)
  if (past.length > maxChanges) return undefined
  let age: number | undefined
  let newer: Content | undefined = situation.content
  for (const one of past) {
    const { content } = one
    if (content[call.kind] === newer?.[call.kind]) continue
    newer = content
    const { differences } = await tryEarlierContent(predict, call, situation, behaviors, content)
    age = differences.length === 0 ? undefined : (age ?? getAge(one))
  }
  return age
}
