import { isRecord } from '../core/schema/json-value.ts'
import { type BehaviorKey, behaviorRegistry, type Behaviors } from '../core/schema/behavior.ts'
import { listUnknownFields } from './compare-responses.ts'
import {
  addHiddenUser,
  applyChanges,
  assumePayments,
  type Attempt,
  type BehaviorChanges,
  type ExplainedValue,
  explain,
  selectBest,
  type TryCall,
} from './explain-difference.ts'
import { type PredictionInput, createKnowledge, createPredictionInput, rememberCall } from './service-knowledge.ts'
import type { Prediction } from './predictor.ts'
import type { ServiceCall } from './recorded-calls.ts'
import type { ServiceRun } from './service-run.ts'

type CallVerdict = ComparedCall | { readonly call: ServiceCall; readonly is: 'notCompared'; readonly why: string }

interface ComparedCall extends Pick<Attempt, 'prediction' | 'differences'>, Candidates {
  readonly call: ServiceCall
  readonly is: 'same' | 'different'
  /** The behaviors that, as this response proves, do not have their initial values. */
  readonly decidedBy: readonly BehaviorKey[]
}

interface Candidates {
  /** The explanations that were not learned, for example because there are several or because calls contradict them. */
  readonly candidates: readonly BehaviorChanges[]
  /** The calls that contradict the candidates, by number. 0 means that an earlier pass learned another value. */
  readonly contradictedBy: readonly number[]
}

export interface PassOptions {
  readonly run: ServiceRun
  readonly predictAndCompare: TryCall
  readonly behaviors: Behaviors
  readonly initial: Behaviors
  /** The behaviors that earlier passes learned, which this pass does not change. */
  readonly fixedBehaviors: ReadonlySet<BehaviorKey>
  readonly isLearning: boolean
}

type PassState = ReturnType<typeof createPassState>
export type PassResult = Readonly<PassState>

const createPassState = (options: PassOptions) => ({
  ...options,
  knowledge: createKnowledge(),
  verdicts: [] as CallVerdict[],
  /** For each behavior that this pass learned, the number of the call that showed it. */
  learned: new Map<BehaviorKey, number>(),
  /** The number of the first call that ruled out a behavior value, by `key=value`. */
  ruledOut: new Map<string, number>(),
  unknownFields: new Set<string>(),
})

export const formatChoice = ([key, value]: BehaviorChanges[number]): string => `${key}=${value}`

/** Predicts the response to each call from what the service has shown so far, and compares it with the real response. */
export const runPass = async (options: PassOptions): Promise<PassResult> => {
  const pass = createPassState(options)
  const rejection = findRejection(pass.run.calls)
  for (const call of pass.run.calls) {
    const why = findReasonNotToCompare(call) ?? rejection
    if (why !== undefined && call.isWrite && call.id !== undefined && call.status !== 429)
      pass.knowledge.getProject(call).uncertainIds.add(call.id)
    pass.verdicts.push(why === undefined ? await compareCall(pass, call) : { call, is: 'notCompared', why })
  }
  const { ruledOut } = pass
  const { freshness } = pass.run
  if (freshness !== undefined && !ruledOut.has('listFreshness=immediate')) {
    ruleOutChoice(pass, ['listFreshness', 'delayed'], freshness.callNumber)
    if (pass.behaviors.listFreshness === 'delayed')
      learnChanges(pass, [['listFreshness', 'immediate']], freshness.callNumber)
  }
  return pass
}

const findReasonNotToCompare = ({ operation, status, failure }: ServiceCall): string | undefined => {
  if (operation === undefined) return 'the specification has no such operation'
  if (failure !== undefined) return failure
  const isOutage = status === 408 || status === 429 || status >= 500
  return isOutage || (status >= 300 && status < 400) ? `the service sent ${status}` : undefined
}

/** Returns a reason to compare no call at all if every response suggests a wrong token (401) or a wrong address (404). */
const findRejection = (calls: readonly ServiceCall[]): string | undefined => {
  const comparedCalls = calls.filter((call) => findReasonNotToCompare(call) === undefined)
  const isWrongToken = ({ status, token }: ServiceCall) => status === 401 && token !== undefined
  // A 404 with the code `projectNotFound` proves that the address is right.
  const isWrongAddress = ({ status, json }: ServiceCall) =>
    status === 404 && (!isRecord(json) || json.code !== 'projectNotFound')
  // If every call names a record, the address may be right and the records may be missing.
  const status = comparedCalls.every(isWrongToken)
    ? 401
    : comparedCalls.every(isWrongAddress) && comparedCalls.some(({ id }) => id === undefined)
      ? 404
      : undefined
  return status && `the service sent ${status} to each call`
}

const compareCall = async (pass: PassState, call: ServiceCall): Promise<CallVerdict> => {
  const project = pass.knowledge.getProject(call)
  const input = createPredictionInput(call, project, pass.run)
  let attempt = await pass.predictAndCompare(input, pass.behaviors)
  const hiddenUserInput = attempt.differences.length > 0 ? addHiddenUser(input) : undefined
  const doubt = await findDoubt(pass, input, attempt, hiddenUserInput)
  let otherCandidates: Candidates = { candidates: [], contradictedBy: [] }
  if (attempt.differences.length > 0 && doubt === undefined) {
    const explanation = await explainCall(pass, hiddenUserInput ?? input, attempt)
    if ('candidates' in explanation) otherCandidates = explanation
    else attempt = explanation
  }
  const { prediction, differences, isStale } = attempt
  for (const field of listUnknownFields(call, prediction)) pass.unknownFields.add(field)
  const isSame = differences.length === 0
  const decidedBy = isSame && doubt === undefined ? await ruleOutOthers(pass, hiddenUserInput ?? input, attempt) : []
  rememberCall({ ...input, content: doubt?.content ?? input.content }, project, isStale)
  if (!isSame && doubt !== undefined) return { call, is: 'notCompared', why: doubt.why }
  return { call, is: isSame ? 'same' : 'different', prediction, differences, decidedBy, ...otherCandidates }
}

/** Returns why nothing can be learned from this call, or undefined. `content` is set if the reason is an assumed payment. */
const findDoubt = async (
  { predictAndCompare, behaviors, run, knowledge }: PassState,
  input: PredictionInput,
  { differences }: Attempt,
  hiddenUserInput: PredictionInput | undefined,
): Promise<{ readonly why: string; readonly content?: PredictionInput['content'] } | undefined> => {
  const { call, overlapping } = input
  if (overlapping.length > 0) return { why: `it overlaps call ${overlapping.map(({ number }) => number).join(', ')}` }
  if (differences.length === 0) return undefined
  const payments = await assumePayments(predictAndCompare, input, behaviors, run)
  if (payments !== undefined) {
    for (const id of payments.paid) knowledge.getProject(call).uncertainIds.add(id)
    return { why: 'a payment link may have been paid meanwhile', content: payments.content }
  }
  const isExplained =
    hiddenUserInput !== undefined && (await predictAndCompare(hiddenUserInput, behaviors)).differences.length === 0
  return isExplained ? { why: 'a user that the run has not seen may have the email' } : undefined
}

const ruleOutChoice = ({ ruledOut }: PassState, choice: BehaviorChanges[number], number: number): void => {
  const choiceText = formatChoice(choice)
  if (!ruledOut.has(choiceText)) ruledOut.set(choiceText, number)
}

const learnChanges = (pass: PassState, changes: BehaviorChanges, number: number): void => {
  if (!pass.isLearning) return
  for (const [key] of changes) pass.learned.set(key, number)
  pass.behaviors = applyChanges(pass.behaviors, changes)
}

/** Learns and returns the best explanation. Returns candidates instead if none is clearly best, or if the pass cannot learn. */
const explainCall = async (
  pass: PassState,
  input: PredictionInput,
  attempt: Attempt,
): Promise<Attempt | Candidates> => {
  const { call } = input
  const explanations = await explain(pass.predictAndCompare, input, pass.behaviors, attempt)
  const possibleExplanations = explanations.filter(({ changes }) => findContradictions(pass, changes).length === 0)
  const [only, ...others] = selectBest(possibleExplanations, call, pass.run.freshness !== undefined)
  if (only === undefined) {
    const candidates = explanations.map(({ changes }) => changes)
    return { candidates, contradictedBy: candidates.flatMap((changes) => findContradictions(pass, changes)) }
  }
  if (others.length > 0 || !pass.isLearning)
    return { candidates: [only, ...others].map(({ changes }) => changes), contradictedBy: [] }
  learnChanges(pass, only.changes, call.number)
  return only
}

/** Lists the calls that ruled out a new value or showed another one, by number. 0 means that an earlier pass learned another. */
const findContradictions = ({ ruledOut, learned, fixedBehaviors }: PassState, changes: BehaviorChanges): number[] =>
  changes.flatMap((change) => {
    const number = ruledOut.get(formatChoice(change)) ?? learned.get(change[0])
    return number ?? (fixedBehaviors.has(change[0]) ? 0 : [])
  })

/** Rules out behavior values that would predict another response. Returns the behaviors whose initial value is ruled out. */
const ruleOutOthers = async (
  pass: PassState,
  input: PredictionInput,
  { prediction, isStale }: Attempt,
): Promise<BehaviorKey[]> => {
  const { run, predictAndCompare, behaviors, initial, ruledOut } = pass
  const { call } = input
  const decidedBy: BehaviorKey[] = []
  for (const key of listDecisiveBehaviors(call, prediction))
    for (const value of behaviorRegistry[key].values as readonly ExplainedValue[]) {
      const isInitial = value === initial[key]
      if (value === behaviors[key] || (!isInitial && ruledOut.has(formatChoice([key, value])))) continue
      const otherBehaviors = applyChanges(behaviors, [[key, value]])
      const otherAttempt = await predictAndCompare(input, otherBehaviors)
      if (otherAttempt.differences.length === 0) continue
      // Do not rule out a value that explains the response together with one other change.
      const isPossible = (change: BehaviorChanges[number]) =>
        change[0] !== key &&
        (change[0] !== 'listFreshness' || run.freshness === undefined) &&
        findContradictions(pass, [change]).length === 0
      if ((await explain(predictAndCompare, input, otherBehaviors, otherAttempt, 1, isPossible)).length > 0) continue
      ruleOutChoice(pass, [key, value], call.number)
      if (isInitial) decidedBy.push(key)
    }
  if (isStale) ruleOutChoice(pass, ['listFreshness', 'immediate'], call.number)
  if (initial.listFreshness === 'immediate' ? isStale : run.freshness?.callNumber === call.number)
    decidedBy.push('listFreshness')
  return decidedBy
}

const listDecisiveBehaviors = ({ status, shownRecords }: ServiceCall, { assumed }: Prediction): BehaviorKey[] => {
  // If all records were created at the same time, their order reveals nothing.
  const hasOrder = new Set(shownRecords.map(({ createdAt }) => createdAt)).size > 1
  const keys = assumed.filter((key) => key !== 'paymentLinkOrder' || hasOrder)
  if (status >= 400) keys.push('errorFormat')
  else if (shownRecords.length > 0) keys.push('timestampPrecision')
  return keys
}
