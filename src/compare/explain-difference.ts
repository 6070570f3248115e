// Explains why the service responds differently from the mock: other behaviors, a list that lags behind, a payment in the
// meantime, or a user that the run has not seen.
import { type BehaviorKey, behaviorKeys, behaviorRegistry, type Behaviors } from '../core/schema/behavior.ts'
import { isRecord } from '../core/schema/json-value.ts'
import { listDifferences, type ResponseDifference } from './compare-responses.ts'
import type { PredictionInput } from './service-knowledge.ts'
import type { Predict, Prediction } from './predictor.ts'
import { addPosition, type ProjectContent, findEntry, isActive, orderTies, putRecord } from './project-content.ts'
import { getCursor, getEmail, type ServiceCall, type ShownRecord } from './recorded-calls.ts'
import type { ServiceRun } from './service-run.ts'

export type ExplainedValue = Behaviors[BehaviorKey]
/** Changes of behaviors that explain a difference together. */
export type BehaviorChanges = readonly (readonly [key: BehaviorKey, value: ExplainedValue])[]

export const applyChanges = (behaviors: Behaviors, changes: BehaviorChanges): Behaviors => ({
  ...behaviors,
  ...Object.fromEntries(changes),
})

/** The response of the mock to an input, and its differences from the response of the service. */
export interface Attempt {
  readonly prediction: Prediction
  readonly differences: readonly ResponseDifference[]
  /** Whether the list of the service does not show all changes yet. */
  readonly isLate: boolean
}
export type TryCall = (input: PredictionInput, behaviors: Behaviors) => Promise<Attempt>

/** Creates the function that compares the responses to a call. Lists may lag behind: earlier content is tried too. */
export const createTryCall = (predict: Predict): TryCall => {
  const tryCall: TryCall = async (callInput, behaviors) => {
    const { call, shownContent } = callInput
    const input = { ...callInput, shownContent: shownContent && orderTies(shownContent, call, behaviors) }
    const prediction = await predict(input, { ...behaviors, listFreshness: 'immediate' })
    const assumed = [...prediction.assumed]
    const differences = listDifferences(input, prediction)
    const presentAttempt = { prediction: { ...prediction, assumed }, differences, isLate: false }
    if (differences.length === 0) return presentAttempt
    for (const [otherInput, otherBehaviors] of listAlternatives(input, behaviors, prediction)) {
      const attempt = await tryCall(otherInput, otherBehaviors)
      if (attempt.differences.length === 0) return attempt
      assumed.push(...attempt.prediction.assumed)
    }
    if (behaviors.listFreshness === 'immediate') return presentAttempt
    for (const { content } of input.past) {
      const attempt = await tryEarlierContent(tryCall, input, behaviors, content)
      if (attempt.differences.length === 0) return { ...attempt, isLate: true }
    }
    return presentAttempt
  }
  return tryCall
}

/** Lists other causes of the same error: the specification has no order of checks, and does not say what a token hides. */
const listAlternatives = (
  input: PredictionInput,
  behaviors: Behaviors,
  prediction: Prediction,
): readonly (readonly [PredictionInput, Behaviors])[] => {
  const { call, firstWithKey, hiddenFrom } = input
  if (hiddenFrom !== undefined) return [[{ ...input, tokenProjects: hiddenFrom, hiddenFrom: undefined }, behaviors]]
  // The call is invalid, and its key was sent with another body.
  if (firstWithKey === undefined || call.status < 400 || prediction.status < 400) return []
  return behaviors.idempotencyKey === 'ignore'
    ? [[input, { ...behaviors, idempotencyKey: 'replay' }]]
    : [[{ ...input, firstWithKey: undefined }, behaviors]]
}

const tryEarlierContent = (
  tryCall: TryCall,
  input: PredictionInput,
  behaviors: Behaviors,
  content: ProjectContent,
): Promise<Attempt> => {
  const { kind } = input.call
  const cursor = findEntry(input.shownContent, kind, getCursor(input.call))
  if (cursor === undefined || findEntry(content, kind, cursor.id) !== undefined)
    return tryCall({ ...input, shownContent: content, past: [] }, behaviors)
  // A cursor that the earlier content does not have yet marks its position.
  const withPosition = { ...input, shownContent: addPosition(content, kind, cursor), past: [] }
  return tryCall(withPosition, { ...behaviors, deletedCursor: 'resume' })
}

/** How many changes may be needed together, and how many sets of them are continued. */
const maxExplanationDepth = 4
const maxExplanationBreadth = 24

/** Changes that explain differences, and what the mock does with them. */
export interface Explanation extends Attempt {
  readonly changes: BehaviorChanges
}

/** Finds the smallest sets of possible changes of behaviors that explain the differences of an attempt. */
export const explain = async (
  tryCall: TryCall,
  input: PredictionInput,
  behaviors: Behaviors,
  firstAttempt: Attempt,
  depths = maxExplanationDepth,
  isPossible: (change: BehaviorChanges[number]) => boolean = () => true,
): Promise<readonly Explanation[]> => {
  let partialExplanations: readonly Explanation[] = [{ ...firstAttempt, changes: [] }]
  const tried = new Set<string>()
  for (let depth = 1; depth <= depths; depth++) {
    const nextExplanations: Explanation[] = []
    for (const { changes, differences, prediction } of partialExplanations)
      for (const change of listChanges(behaviors, prediction).filter(isPossible)) {
        const moreChanges: BehaviorChanges = [...changes, change]
        const changesKey = moreChanges.map(String).toSorted().join(' ')
        if (tried.has(changesKey) || changes.some(([key]) => key === change[0])) continue
        tried.add(changesKey)
        const attempt = await tryCall(input, applyChanges(behaviors, moreChanges))
        if (weighDifferences(attempt.differences) < weighDifferences(differences))
          nextExplanations.push({ ...attempt, changes: moreChanges })
      }
    const solutions = nextExplanations.filter((explanation) => explanation.differences.length === 0)
    if (solutions.length > 0) return solutions
    partialExplanations = nextExplanations
      .toSorted((a, b) => weighDifferences(a.differences) - weighDifferences(b.differences))
      .slice(0, maxExplanationBreadth)
  }
  return []
}

/** The behaviors that a response may depend on without a note in its header. */
const unnotedBehaviors = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision', 'listFreshness'])

/** Lists the other values of the behaviors that may have decided a response. */
const listChanges = (behaviors: Behaviors, { assumed }: Prediction): BehaviorChanges =>
  behaviorKeys
    .filter((key) => assumed.includes(key) || unnotedBehaviors.has(key))
    .flatMap((key) =>
      behaviorRegistry[key].values
        .filter((value: ExplainedValue) => value !== behaviors[key])
        .map((value: ExplainedValue) => [key, value] as const),
    )

const weights: Readonly<Record<string, number>> = { outcome: 1000, items: 100 }

/** An outcome hides all other differences, and other items hide those of their fields. */
const weighDifferences = (differences: readonly ResponseDifference[]): number =>
  differences.reduce((sum, { path }) => sum + (weights[path] ?? 1), 0)

/** Selects the explanations without a lag of lists, and then those with the error code of the service, if there are any. */
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

/**
 * A person may have paid a link that the run has not seen since. Returns the content in which they did and the links, if that
 * explains the differences, and no later call shows the opposite.
 */
export const assumePayments = async (
  tryCall: TryCall,
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
    const { prediction, differences } = await tryCall({ ...input, shownContent: content }, behaviors)
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

/** Adds a user with the email of a call that the service has rejected as taken. Undefined for other calls. */
export const addHiddenUser = (input: PredictionInput): PredictionInput | undefined => {
  const { call, shownContent: content } = input
  const email = getEmail(call.sentFields)
  if (call.status !== 409 || !call.isWrite || call.kind !== 'users' || email === undefined || content === undefined)
    return undefined
  if (content.users.some(({ fields }) => getEmail(fields ?? {}) === email)) return undefined
  const hiddenUser = { id: 'usr_hidden', createdAt: new Date(0).toISOString(), email: call.sentFields.email }
  return { ...input, shownContent: putRecord(content, 'users', hiddenUser) }
}
