// Finds the cause of a difference: other behaviors, a list that lags behind, an unseen payment, or an unseen user.
import { type BehaviorKey, behaviorKeys, behaviorRegistry, type Behaviors } from '../core/schema/behavior.ts'
import { isRecord } from '../core/schema/json-value.ts'
import { listDifferences, type ResponseDifference } from './compare-responses.ts'
import type { PredictionInput } from './service-knowledge.ts'
import type { Predict, Prediction } from './predictor.ts'
import { addPosition, type ProjectContent, findEntry, isActive, orderTies, putRecord } from './project-content.ts'
import { getCursor, getEmail, type ServiceCall, type ShownRecord } from './recorded-calls.ts'
import type { ServiceRun } from './service-run.ts'

export type ExplainedValue = Behaviors[BehaviorKey]
export type BehaviorChanges = readonly (readonly [key: BehaviorKey, value: ExplainedValue])[]

export const applyChanges = (behaviors: Behaviors, changes: BehaviorChanges): Behaviors => ({
  ...behaviors,
  ...Object.fromEntries(changes),
})

export interface Attempt {
  readonly prediction: Prediction
  readonly differences: readonly ResponseDifference[]
  /** Whether the service's list matches only earlier content, so the list lags behind. */
  readonly isStale: boolean
}
export type TryCall = (input: PredictionInput, behaviors: Behaviors) => Promise<Attempt>

/** Returns a function that compares prediction and response. If they differ, it tries other error causes and older content. */
export const createTryCall = (predict: Predict): TryCall => {
  const predictAndCompare: TryCall = async (callInput, behaviors) => {
    const { call, shownContent } = callInput
    const input = { ...callInput, shownContent: shownContent && orderTies(shownContent, call, behaviors) }
    const prediction = await predict(input, { ...behaviors, listFreshness: 'immediate' })
    const assumed = [...prediction.assumed]
    const differences = listDifferences(input, prediction)
    const presentAttempt = { prediction: { ...prediction, assumed }, differences, isStale: false }
    if (differences.length === 0) return presentAttempt
    for (const [otherInput, otherBehaviors] of listAlternatives(input, behaviors, prediction)) {
      const attempt = await predictAndCompare(otherInput, otherBehaviors)
      if (attempt.differences.length === 0) return attempt
      assumed.push(...attempt.prediction.assumed)
    }
    if (behaviors.listFreshness === 'immediate') return presentAttempt
    for (const { content } of input.past) {
      const attempt = await tryEarlierContent(predictAndCompare, input, behaviors, content)
      if (attempt.differences.length === 0) return { ...attempt, isStale: true }
    }
    return presentAttempt
  }
  return predictAndCompare
}

/** Lists other possible causes of an error. The specification defines neither the order of checks nor the meaning of a 404. */
const listAlternatives = (
  input: PredictionInput,
  behaviors: Behaviors,
  prediction: Prediction,
): readonly (readonly [PredictionInput, Behaviors])[] => {
  const { call, firstWithKey, projectsIfHidden: tokenProjects } = input
  if (tokenProjects !== undefined) return [[{ ...input, tokenProjects, projectsIfHidden: undefined }, behaviors]]
  // The call may fail because it is invalid, or because an earlier call sent the same key with another body.
  if (firstWithKey === undefined || call.status < 400 || prediction.status < 400) return []
  return behaviors.idempotencyKey === 'ignore'
    ? [[input, { ...behaviors, idempotencyKey: 'replay' }]]
    : [[{ ...input, firstWithKey: undefined }, behaviors]]
}

const tryEarlierContent = (
  predictAndCompare: TryCall,
  input: PredictionInput,
  behaviors: Behaviors,
  content: ProjectContent,
): Promise<Attempt> => {
  const { kind } = input.call
  const cursor = findEntry(input.shownContent, kind, getCursor(input.call))
  if (cursor === undefined || findEntry(content, kind, cursor.id) !== undefined)
    return predictAndCompare({ ...input, shownContent: content, past: [] }, behaviors)
  // The earlier content does not yet include the record of the cursor, so add its position.
  const withPosition = { ...input, shownContent: addPosition(content, kind, cursor), past: [] }
  return predictAndCompare(withPosition, { ...behaviors, deletedCursor: 'resume' })
}

const maxChanges = 4
const maxPartialExplanations = 24

export interface Explanation extends Attempt {
  readonly changes: BehaviorChanges
}

/** Uses a beam search to find the smallest sets of behavior changes that remove all differences. */
export const explain = async (
  predictAndCompare: TryCall,
  input: PredictionInput,
  behaviors: Behaviors,
  firstAttempt: Attempt,
  changeLimit = maxChanges,
  isPossible: (change: BehaviorChanges[number]) => boolean = () => true,
): Promise<readonly Explanation[]> => {
  let partialExplanations: readonly Explanation[] = [{ ...firstAttempt, changes: [] }]
  const tried = new Set<string>()
  for (let size = 1; size <= changeLimit; size++) {
    const nextExplanations: Explanation[] = []
    for (const { changes, differences, prediction } of partialExplanations)
      for (const change of listRelevantChanges(behaviors, prediction).filter(isPossible)) {
        const moreChanges: BehaviorChanges = [...changes, change]
        const changesKey = moreChanges.map(String).toSorted().join(' ')
        if (tried.has(changesKey) || changes.some(([key]) => key === change[0])) continue
        tried.add(changesKey)
        const attempt = await predictAndCompare(input, applyChanges(behaviors, moreChanges))
        if (weighDifferences(attempt.differences) < weighDifferences(differences))
          nextExplanations.push({ ...attempt, changes: moreChanges })
      }
    const solutions = nextExplanations.filter((explanation) => explanation.differences.length === 0)
    if (solutions.length > 0) return solutions
    partialExplanations = nextExplanations
      .toSorted((a, b) => weighDifferences(a.differences) - weighDifferences(b.differences))
      .slice(0, maxPartialExplanations)
  }
  return []
}

/** Behaviors that may affect a response without being listed in the `mock-assumed` header. */
const behaviorsWithoutHeader = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision', 'listFreshness'])

const listRelevantChanges = (behaviors: Behaviors, { assumed }: Prediction): BehaviorChanges =>
  behaviorKeys
    .filter((key) => assumed.includes(key) || behaviorsWithoutHeader.has(key))
    .flatMap((key) =>
      behaviorRegistry[key].values
        .filter((value: ExplainedValue) => value !== behaviors[key])
        .map((value: ExplainedValue) => [key, value] as const),
    )

/** A different outcome hides all other differences, and different items hide field differences, so both weigh more. */
const weights: Readonly<Record<string, number>> = { outcome: 1000, items: 100 }

const weighDifferences = (differences: readonly ResponseDifference[]): number =>
  differences.reduce((sum, { path }) => sum + (weights[path] ?? 1), 0)

/** Prefers explanations that leave `listFreshness` alone if lists are fresh, then explanations with the right error code. */
export const selectBest = (
  explanations: readonly Explanation[],
  { json }: ServiceCall,
  hasFreshLists: boolean,
): readonly Explanation[] => {
  const prefer = (list: readonly Explanation[], isBetter: (explanation: Explanation) => boolean) =>
    list.some(isBetter) ? list.filter(isBetter) : list
  const fresh = hasFreshLists
    ? prefer(explanations, ({ changes }) => changes.every(([key]) => key !== 'listFreshness'))
    : explanations
  const code = getCode(json)
  return prefer(fresh, ({ prediction }) => code !== undefined && getCode(prediction.json) === code)
}

const getCode = (json: unknown): unknown => (isRecord(json) ? json.code : undefined)

const maxPayments = 20

/** Tries to explain the differences by payments that no response has shown and no later call contradicts. */
export const assumePayments = async (
  predictAndCompare: TryCall,
  input: PredictionInput,
  behaviors: Behaviors,
  { calls }: ServiceRun,
): Promise<{ readonly content: ProjectContent; readonly paid: readonly string[] } | undefined> => {
  const { call } = input
  let content = input.shownContent
  const shownIds = new Set(call.shownRecords.map(({ id }) => id))
  const paid: string[] = []
  const mayBePaid = (id: string) => {
    const laterLink = calls
      .slice(call.number)
      .flatMap(({ shownRecords }) => shownRecords.find((record) => record.id === id) ?? [])[0]
    return laterLink === undefined || laterLink.status === 'completed'
  }
  while (content !== undefined && call.kind === 'paymentLinks') {
    const { prediction, differences } = await predictAndCompare({ ...input, shownContent: content }, behaviors)
    if (differences.length === 0) return { content, paid }
    const { items = [] } = (prediction.json ?? {}) as { readonly items?: readonly ShownRecord[] }
    const missingLinkIds = call.isList ? items.map(({ id }) => id).filter((id) => !shownIds.has(id)) : [call.id ?? '']
    const activeLinkIds = missingLinkIds.filter((id) => content !== undefined && isActive(content, id))
    if (activeLinkIds.length === 0 || paid.length >= maxPayments || !activeLinkIds.every(mayBePaid)) return undefined
    for (const id of activeLinkIds) content = payLink(content, id, call.end)
    paid.push(...activeLinkIds)
  }
  return undefined
}

const payLink = (content: ProjectContent, id: string, time: number): ProjectContent => {
  const link = findEntry(content, 'paymentLinks', id)
  const completed = { status: 'completed', completedAt: new Date(time).toISOString() }
  return link === undefined ? content : putRecord(content, 'paymentLinks', { ...link, ...link.fields, ...completed })
}

/** Adds a user if the service rejected the sent email as taken, but no known user has it. Otherwise returns undefined. */
export const addHiddenUser = (input: PredictionInput): PredictionInput | undefined => {
  const { call, shownContent: content } = input
  const email = getEmail(call.sentFields)
  if (call.status !== 409 || !call.isWrite || call.kind !== 'users' || email === undefined || content === undefined)
    return undefined
  if (content.users.some(({ fields }) => getEmail(fields ?? {}) === email)) return undefined
  const hiddenUser = { id: 'usr_hidden', createdAt: new Date(0).toISOString(), email: call.sentFields.email }
  return { ...input, shownContent: putRecord(content, 'users', hiddenUser) }
}
