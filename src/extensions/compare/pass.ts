// One pass through all calls: each is given to the mock, which knows what the service has shown so far.
import { type BehaviorKey, behaviorRegistry, type Behaviors } from '../../schema/behavior.ts'
import { createTryCall, findYoungestShown, type Freshness } from './attempt.ts'
import { listUnknownFields, type ResponseDifference } from './differences.ts'
import {
  addHiddenUser,
  applyChanges,
  assumePayments,
  type Attempt,
  type ExplainedValue,
  type Changes,
  explain,
  preferErrorCode,
  preferFreshLists,
} from './explain.ts'
import {
  type CallSituation,
  createKnowledge,
  getKnowledgeOf,
  prepare,
  remember,
  type RunKnowledge,
} from './knowledge.ts'
import type { RunOverview } from './overview.ts'
import type { Predict, Prediction } from './predictor.ts'
import type { ServiceCall } from './service-call.ts'

/** The result of a pass for one call. */
type Verdict =
  | { readonly is: 'same'; readonly decidedBy: readonly BehaviorKey[] }
  | { readonly is: 'notCompared'; readonly why: string }
  | {
      readonly is: 'different'
      readonly prediction: Prediction
      readonly differences: readonly ResponseDifference[]
      /** Each set of changes explains the difference, but it is not the only one, or other calls contradict it. */
      readonly candidates: readonly Changes[]
      /** The calls that contradict the candidates. */
      readonly contradictedBy: readonly number[]
    }

export interface PassResult {
  readonly behaviors: Behaviors
  readonly verdicts: readonly Verdict[]
  /** The behaviors that this pass has learned. */
  readonly learned: ReadonlyMap<BehaviorKey, number>
  /** The call that ruled out each value. */
  readonly ruledOut: ReadonlyMap<BehaviorKey, ReadonlyMap<ExplainedValue, number>>
  readonly freshness: Freshness | undefined
  readonly unknownFields: readonly string[]
  readonly knowledge: RunKnowledge
}

export interface PassOptions {
  readonly predict: Predict
  readonly calls: readonly ServiceCall[]
  readonly overview: RunOverview
  readonly provider: string
  readonly behaviors: Behaviors
  /** The values to start with, which a final pass compares. */
  readonly initial: Behaviors
  /** The values that were learned already: they stay. */
  readonly fixed: ReadonlySet<BehaviorKey>
  /** The result of the last pass. */
  readonly freshness: Freshness | undefined
  readonly isLearning: boolean
}

/** The lag of `listFreshness=delayed`, in milliseconds. */
const delay = 2000

export const runPass = async (options: PassOptions): Promise<PassResult> => {
  const { predict, calls, overview, provider, initial, fixed, isLearning } = options
  let { behaviors, freshness } = options
  const knowledge = createKnowledge()
  const verdicts: Verdict[] = []
  const learned = new Map<BehaviorKey, number>()
  const ruledOut = new Map<BehaviorKey, Map<ExplainedValue, number>>()
  const unknownFields = new Set<string>()
  const tryCall = createTryCall(predict, () => freshness)

  const ruleOut = (key: BehaviorKey, value: ExplainedValue, number: number) => {
    const values = ruledOut.get(key) ?? new Map<ExplainedValue, number>()
    if (!values.has(value)) values.set(value, number)
    ruledOut.set(key, values)
  }

  /** Returns the calls that rule out a value, or decided for another one. */
  const findContradictions = (changes: Changes): number[] =>
    changes.flatMap(([key, value]) => {
      const number = ruledOut.get(key)?.get(value)
      if (number !== undefined) return [number]
      return fixed.has(key) || learned.has(key) ? [learned.get(key) ?? 0] : []
    })

  /** Rules out the values that would have led to another response. Returns the behaviors that decided it. */
  const confirm = async (
    call: ServiceCall,
    situation: CallSituation,
    { prediction, lag }: Attempt,
  ): Promise<BehaviorKey[]> => {
    const keys: BehaviorKey[] = [...prediction.assumed]
    if (call.status >= 400) keys.push('errorFormat')
    else if (call.shown.length > 0) keys.push('timestampPrecision')
    const decidedBy: BehaviorKey[] = []
    for (const key of keys) {
      // Records of the same creation time may be in any order.
      if (key === 'paymentLinkOrder' && new Set(call.shown.map(({ createdAt }) => createdAt)).size < 2) continue
      for (const value of behaviorRegistry[key].values as readonly ExplainedValue[]) {
        const isInitial = value === initial[key]
        if (value === behaviors[key] || (!isInitial && ruledOut.get(key)?.has(value))) continue
        const { differences } = await tryCall(call, situation, applyChanges(behaviors, [[key, value]]))
        if (differences.length === 0) continue
        ruleOut(key, value, call.number)
        if (isInitial) decidedBy.push(key)
      }
    }
    if (lag !== undefined) {
      ruleOut('listFreshness', 'immediate', call.number)
      if (initial.listFreshness === 'immediate') decidedBy.push('listFreshness')
      return decidedBy
    }
    const age = await findYoungestShown(predict, call, situation, behaviors, freshness?.age ?? Infinity)
    if (age === undefined || age >= delay) return decidedBy
    freshness = { age, number: call.number }
    return initial.listFreshness === 'delayed' ? [...decidedBy, 'listFreshness'] : decidedBy
  }

  /** Finds out which behaviors explain a difference, and learns them if they are the only ones. */
  const learn = async (call: ServiceCall, situation: CallSituation, { differences }: Attempt) => {
    const all = await explain(tryCall, call, situation, behaviors, differences)
    const possible = all.filter(({ changes }) => findContradictions(changes).length === 0)
    const preferred = preferErrorCode(call, freshness === undefined ? possible : preferFreshLists(possible))
    const [only, ...others] = preferred
    if (only !== undefined && others.length === 0 && isLearning) {
      for (const [key] of only.changes) learned.set(key, call.number)
      behaviors = applyChanges(behaviors, only.changes)
      return { result: only }
    }
    const candidates = (possible.length > 0 ? preferred : all).map(({ changes }) => changes)
    return { candidates, contradictedBy: possible.length > 0 ? [] : candidates.flatMap(findContradictions) }
  }

  const compareCall = async (call: ServiceCall): Promise<Verdict> => {
    let prepared = prepare(call, knowledge, overview, behaviors, provider)
    const { raced } = prepared
    let { situation } = prepared
    let result = await tryHidden(await tryCall(call, situation, behaviors), call, situation)
    let uncertainty = raced.length > 0 ? `it overlaps call ${raced.map(({ number }) => number).join(', ')}` : undefined
    if (result.differences.length > 0 && uncertainty === undefined) {
      const assumed = await assumePayments(tryCall, call, situation, behaviors, result, overview, provider)
      if (assumed !== undefined) {
        assumed.paid.forEach((id) => getKnowledgeOf(knowledge, call.project).uncertain.add(id))
        prepared = { ...prepared, content: assumed.content }
        uncertainty = 'a payment link may have been paid meanwhile'
      }
    }
    // Another user may have the email.
    const hidden = result.differences.length > 0 ? addHiddenUser(call, situation, provider) : undefined
    if (hidden !== undefined) {
      situation = hidden
      if ((await tryCall(call, hidden, behaviors)).differences.length === 0)
        uncertainty ??= 'a user that the run has not seen may have the email'
    }
    let reasons: { readonly candidates?: Changes[]; readonly contradictedBy?: number[] } = {}
    if (result.differences.length > 0 && uncertainty === undefined) {
      const found = await learn(call, situation, result)
      if (found.result === undefined) reasons = found
      else result = found.result
    }
    for (const field of listUnknownFields(call, result.prediction)) unknownFields.add(field)
    const isSame = result.differences.length === 0
    const decidedBy = isSame && uncertainty === undefined ? await confirm(call, situation, result) : []
    remember(call, knowledge, prepared, result.lag !== undefined, provider)
    if (isSame) return { is: 'same', decidedBy }
    if (uncertainty !== undefined) return { is: 'notCompared', why: uncertainty }
    const { prediction, differences } = result
    return { is: 'different', prediction, differences, candidates: [], contradictedBy: [], ...reasons }
  }

  /** Perhaps the service hides the projects of others. */
  const tryHidden = async (result: Attempt, call: ServiceCall, situation: CallSituation): Promise<Attempt> => {
    const { status, token, project } = call
    const projects = overview.accepted.get(token ?? '') ?? new Set()
    if (result.differences.length === 0 || status !== 404 || token === undefined || projects.has(project)) return result
    const given = { ...situation.given, projects: [...projects] }
    const hidden = await tryCall(call, { ...situation, given }, behaviors)
    return hidden.differences.length === 0 ? hidden : result
  }

  for (const call of calls) {
    const why = findReasonNotToCompare(call)
    if (why !== undefined && call.isWrite && call.id !== undefined && call.status !== 429)
      getKnowledgeOf(knowledge, call.project).uncertain.add(call.id)
    verdicts.push(why === undefined ? await compareCall(call) : { is: 'notCompared', why })
  }
  if (freshness !== undefined && !ruledOut.get('listFreshness')?.has('immediate')) {
    ruleOut('listFreshness', 'delayed', freshness.number)
    if (behaviors.listFreshness === 'delayed' && isLearning) {
      learned.set('listFreshness', freshness.number)
      behaviors = { ...behaviors, listFreshness: 'immediate' }
    }
  }
  return { behaviors, verdicts, learned, ruledOut, freshness, unknownFields: [...unknownFields], knowledge }
}

const findReasonNotToCompare = ({ operation, status, failure }: ServiceCall): string | undefined => {
  if (operation === undefined) return 'the specification has no such operation'
  if (failure !== undefined) return failure
  return status === 429 || status >= 500 || (status >= 300 && status < 400) ? `the service sent ${status}` : undefined
}
