// The mock's response to one call in several situations, and why that of the service may be different: other behaviors, a
// list that lags behind, a payment meanwhile, a user that the run has not seen.
import { type BehaviorKey, behaviorKeys, behaviorRegistry, type Behaviors } from '../../schema/behavior.ts'
import { isRecord } from '../../schema/json-value.ts'
import { listDifferences, type ResponseDifference } from './differences.ts'
import type { EarlierContent, CallSituation } from './knowledge.ts'
import type { Predict, Prediction } from './predictor.ts'
import { addPosition, type Content, findEntry, isActive, putRecord } from './project-content.ts'
import { getEmail, type Run, type ServiceCall, type ShownRecord } from './service-call.ts'

export type ExplainedValue = Behaviors[BehaviorKey]
/** Changes of behaviors that explain a difference together. */
export type Changes = readonly (readonly [key: BehaviorKey, value: ExplainedValue])[]

export const applyChanges = (behaviors: Behaviors, changes: Changes): Behaviors => ({
  ...behaviors,
  ...Object.fromEntries(changes),
})

/** The response of the mock in a situation, and its differences from that of the service. */
export interface Attempt {
  readonly prediction: Prediction
  readonly differences: readonly ResponseDifference[]
  /** Whether the list of the service does not show all changes yet. */
  readonly isLate: boolean
}
export type TryCall = (call: ServiceCall, situation: CallSituation, behaviors: Behaviors) => Promise<Attempt>

/** Creates the function that compares the responses to a call. Lists may lag behind: earlier content is tried too. */
export const createTryCall = (predict: Predict): TryCall => {
  const tryCall: TryCall = async (call, situation, behaviors) => {
    const prediction = await predict(call, situation, { ...behaviors, listFreshness: 'immediate' })
    const present = { prediction, differences: listDifferences(call, prediction, situation), isLate: false }
    if (present.differences.length === 0 || behaviors.listFreshness === 'immediate') return present
    for (const { content } of situation.past) {
      const attempt = await tryEarlierContent(tryCall, call, situation, behaviors, content)
      if (attempt.differences.length === 0) return { ...attempt, isLate: true }
    }
    return present
  }
  return tryCall
}

const tryEarlierContent = (
  tryCall: TryCall,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  content: Content,
): Promise<Attempt> => {
  const cursor = findEntry(situation.content, call.kind, call.query.get('after') ?? call.query.get('before') ?? '')
  if (cursor === undefined || findEntry(content, call.kind, cursor.id) !== undefined)
    return tryCall(call, { ...situation, content, past: [] }, behaviors)
  // A cursor that the earlier content does not have yet marks its position.
  const withPosition = { ...situation, content: addPosition(content, call.kind, cursor), past: [] }
  return tryCall(call, withPosition, { ...behaviors, deletedCursor: 'resume' })
}

/** How many changes are tried. With more, the age is unknown. */
const maxChanges = 20

/**
 * Returns the age in milliseconds of the youngest change that a list shows, if it is less than a limit. A list shows a change
 * if it is that of no earlier content.
 */
export const findYoungestShown = async (
  tryCall: TryCall,
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
  let newer = situation.content
  for (const one of past) {
    const { content } = one
    if (content[call.kind] === newer?.[call.kind]) continue
    newer = content
    const { differences } = await tryEarlierContent(tryCall, call, situation, behaviors, content)
    age = differences.length === 0 ? undefined : (age ?? getAge(one))
  }
  return age
}

/** How many changes may be needed together, and how many sets of them are continued. */
const maxDepth = 4
const maxBreadth = 24

/** Changes that explain differences, and what the mock does with them. */
export interface Explanation extends Attempt {
  readonly changes: Changes
}

/** Finds the smallest sets of changes of behaviors that explain the differences of an attempt. */
export const explain = async (
  tryCall: TryCall,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  from: Attempt,
): Promise<readonly Explanation[]> => {
  let frontier: readonly Explanation[] = [{ ...from, changes: [] }]
  const tried = new Set<string>()
  for (let depth = 1; depth <= maxDepth; depth++) {
    const next: Explanation[] = []
    for (const { changes, differences } of frontier)
      for (const change of listChanges(behaviors)) {
        const more: Changes = [...changes, change]
        const name = more.map(String).toSorted().join(' ')
        if (tried.has(name) || changes.some(([key]) => key === change[0])) continue
        tried.add(name)
        const attempt = await tryCall(call, situation, applyChanges(behaviors, more))
        if (weigh(attempt) < weigh({ differences })) next.push({ ...attempt, changes: more })
      }
    const solutions = next.filter((one) => one.differences.length === 0)
    if (solutions.length > 0) return solutions
    frontier = next.toSorted((a, b) => weigh(a) - weigh(b)).slice(0, maxBreadth)
  }
  return []
}

/** Selects the explanations with the error code of the service. Returns all if none has this code. */
export const preferErrorCode = (call: ServiceCall, explanations: readonly Explanation[]): readonly Explanation[] => {
  const code = getCode(call.json)
  const equal = explanations.filter(({ prediction }) => code !== undefined && getCode(prediction.json) === code)
  return equal.length > 0 ? equal : explanations
}

/** Selects the explanations without a lag of lists. Returns all if each needs one. */
export const preferFreshLists = (explanations: readonly Explanation[]): readonly Explanation[] => {
  const others = explanations.filter(({ changes }) => changes.every(([key]) => key !== 'listFreshness'))
  return others.length > 0 ? others : explanations
}

const getCode = (json: unknown): unknown => (isRecord(json) ? json.code : undefined)

const listChanges = (behaviors: Behaviors): Changes =>
  behaviorKeys.flatMap((key) =>
    behaviorRegistry[key].values
      .filter((value: ExplainedValue) => value !== behaviors[key])
      .map((value: ExplainedValue) => [key, value] as const),
  )

const weights: Readonly<Record<string, number>> = { outcome: 1000, items: 100 }

/** An outcome hides all other differences, and other items hide those of their fields. */
const weigh = ({ differences }: Pick<Attempt, 'differences'>): number =>
  differences.reduce((sum, { path }) => sum + (weights[path] ?? 1), 0)

/** How many links may have been paid meanwhile. */
const maxPayments = 20

/**
 * A person may have paid a link that the run has not seen since. Returns the content in which they did and the links, if that
 * explains the differences, and no later call shows the opposite.
 */
export const assumePayments = async (
  tryCall: TryCall,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  { statuses }: Run,
): Promise<{ readonly content: Content; readonly paid: readonly string[] } | undefined> => {
  let { content } = situation
  const shown = new Set(call.shown.map(({ id }) => id))
  const paid: string[] = []
  const isPossible = (id: string) => {
    const later = statuses.get(id)?.find(({ number }) => number > call.number)
    return later === undefined || later.status === 'completed'
  }
  while (content !== undefined && call.kind === 'paymentLinks') {
    const { prediction, differences } = await tryCall(call, { ...situation, content }, behaviors)
    if (differences.length === 0) return { content, paid }
    const { items = [] } = (prediction.json ?? {}) as { readonly items?: readonly ShownRecord[] }
    const missing = call.isList ? items.map(({ id }) => id).filter((id) => !shown.has(id)) : [call.id ?? '']
    const active = missing.filter((id) => content !== undefined && isActive(content, id))
    if (active.length === 0 || paid.length >= maxPayments || !active.every(isPossible)) return undefined
    for (const id of active) content = pay(content, id, call.end)
    paid.push(...active)
  }
  return undefined
}

const pay = (content: Content, id: string, time: number): Content => {
  const link = findEntry(content, 'paymentLinks', id)
  const completed = { status: 'completed', completedAt: new Date(time).toISOString() }
  return link === undefined ? content : putRecord(content, 'paymentLinks', { ...link, ...link.fields, ...completed })
}

/** Adds a user with the email of a call that the service has rejected as taken. Undefined for other calls. */
export const addHiddenUser = (call: ServiceCall, situation: CallSituation): CallSituation | undefined => {
  const { content } = situation
  const email = getEmail(call.sent)
  if (call.status !== 409 || !call.isWrite || call.kind !== 'users' || email === undefined || content === undefined)
    return undefined
  if (content.users.some(({ fields }) => getEmail(fields ?? {}) === email)) return undefined
  const hidden = { id: 'usr_hidden', createdAt: new Date(0).toISOString(), email: call.sent.email }
  return { ...situation, content: putRecord(content, 'users', hidden) }
}
