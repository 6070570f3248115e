// One pass through all calls: the mock responds to each of them, with what the service has shown so far.
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
import { type PredictionInput, createKnowledge, prepareInput, rememberCall } from './service-knowledge.ts'
import type { Prediction } from './predictor.ts'
import type { ServiceCall } from './recorded-calls.ts'
import type { ServiceRun } from './service-run.ts'

/** The result of a pass for one call. */
type CallVerdict = ComparedCall | { readonly call: ServiceCall; readonly is: 'notCompared'; readonly why: string }

export interface ComparedCall extends Pick<Attempt, 'prediction' | 'differences'>, Candidates {
  readonly call: ServiceCall
  readonly is: 'same' | 'different'
  /** The behaviors that make the responses the same. */
  readonly decidedBy: readonly BehaviorKey[]
}

interface Candidates {
  /** Sets of changes that explain the difference. There are several, or other calls contradict them. */
  readonly candidates: readonly BehaviorChanges[]
  /** The calls that contradict the candidates. */
  readonly contradictedBy: readonly number[]
}

export interface PassOptions {
  readonly run: ServiceRun
  readonly tryCall: TryCall
  readonly behaviors: Behaviors
  /** The values to start with, which a final pass compares. */
  readonly initial: Behaviors
  /** The values that were learned already: they stay. */
  readonly fixedBehaviors: ReadonlySet<BehaviorKey>
  readonly isLearning: boolean
}

type PassState = ReturnType<typeof createPassState>
export type PassResult = Readonly<PassState>

const createPassState = (options: PassOptions) => ({
  ...options,
  knowledge: createKnowledge(),
  verdicts: [] as CallVerdict[],
  /** The behaviors that this pass has learned, with their calls. */
  learned: new Map<BehaviorKey, number>(),
  /** The call that ruled out each value, by the text of both. */
  ruledOut: new Map<string, number>(),
  unknownFields: new Set<string>(),
})

/** Formats a value of a behavior, as for a flag. */
export const formatChoice = ([key, value]: BehaviorChanges[number]): string => `${key}=${value}`

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
    ruleOutChoice(pass, ['listFreshness', 'delayed'], freshness.number)
    if (pass.behaviors.listFreshness === 'delayed')
      learnChanges(pass, [['listFreshness', 'immediate']], freshness.number)
  }
  return pass
}

const findReasonNotToCompare = ({ operation, status, failure }: ServiceCall): string | undefined => {
  if (operation === undefined) return 'the specification has no such operation'
  if (failure !== undefined) return failure
  const isOutage = status === 408 || status === 429 || status >= 500
  return isOutage || (status >= 300 && status < 400) ? `the service sent ${status}` : undefined
}

/**
 * Returns a reason not to compare a run with a wrong token or a wrong address, in which each call has the same error. A service
 * that does not know the project may also send 404 to each call, but then with our error code.
 */
const findRejection = (calls: readonly ServiceCall[]): string | undefined => {
  const comparedCalls = calls.filter((call) => findReasonNotToCompare(call) === undefined)
  const isWrongToken = ({ status, token }: ServiceCall) => status === 401 && token !== undefined
  const isWrongAddress = ({ status, json }: ServiceCall) =>
    status === 404 && (!isRecord(json) || json.code !== 'projectNotFound')
  const status = comparedCalls.every(isWrongToken)
    ? 401
    : comparedCalls.every(isWrongAddress) && comparedCalls.some(({ id }) => id === undefined)
      ? 404
      : undefined
  return status && `the service sent ${status} to each call`
}

const compareCall = async (pass: PassState, call: ServiceCall): Promise<CallVerdict> => {
  const project = pass.knowledge.getProject(call)
  const input = prepareInput(call, project, pass.run)
  let attempt = await pass.tryCall(input, pass.behaviors)
  // Another user may have the email.
  const hiddenUserInput = attempt.differences.length > 0 ? addHiddenUser(input) : undefined
  const doubt = await findDoubt(pass, input, attempt, hiddenUserInput)
  let otherCandidates: Candidates = { candidates: [], contradictedBy: [] }
  if (attempt.differences.length > 0 && doubt === undefined) {
    const explanation = await explainCall(pass, hiddenUserInput ?? input, attempt)
    if ('candidates' in explanation) otherCandidates = explanation
    else attempt = explanation
  }
  const { prediction, differences, isLate } = attempt
  for (const field of listUnknownFields(call, prediction)) pass.unknownFields.add(field)
  const isSame = differences.length === 0
  const decidedBy = isSame && doubt === undefined ? await ruleOutOthers(pass, hiddenUserInput ?? input, attempt) : []
  rememberCall({ ...input, content: doubt?.content ?? input.content }, project, isLate)
  if (!isSame && doubt !== undefined) return { call, is: 'notCompared', why: doubt.why }
  return { call, is: isSame ? 'same' : 'different', prediction, differences, decidedBy, ...otherCandidates }
}

/** Returns the reason why a difference would prove nothing, and the content with which the call has no difference. */
const findDoubt = async (
  { tryCall, behaviors, run, knowledge }: PassState,
  input: PredictionInput,
  { differences }: Attempt,
  hiddenUserInput: PredictionInput | undefined,
): Promise<{ readonly why: string; readonly content?: PredictionInput['content'] } | undefined> => {
  const { call, overlapping } = input
  if (overlapping.length > 0) return { why: `it overlaps call ${overlapping.map(({ number }) => number).join(', ')}` }
  if (differences.length === 0) return undefined
  const payments = await assumePayments(tryCall, input, behaviors, run)
  if (payments !== undefined) {
    for (const id of payments.paid) knowledge.getProject(call).uncertainIds.add(id)
    return { why: 'a payment link may have been paid meanwhile', content: payments.content }
  }
  const isTaken = hiddenUserInput !== undefined && (await tryCall(hiddenUserInput, behaviors)).differences.length === 0
  return isTaken ? { why: 'a user that the run has not seen may have the email' } : undefined
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

/** Finds out which behaviors explain a difference, and learns them if they are the only ones. */
const explainCall = async (
  pass: PassState,
  input: PredictionInput,
  attempt: Attempt,
): Promise<Attempt | Candidates> => {
  const { call } = input
  const explanations = await explain(pass.tryCall, input, pass.behaviors, attempt)
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

/** Returns the numbers of the calls that rule out a value, or that taught another value. A call of an earlier pass has the number 0. */
const findContradictions = ({ ruledOut, learned, fixedBehaviors }: PassState, changes: BehaviorChanges): number[] =>
  changes.flatMap((change) => {
    const number = ruledOut.get(formatChoice(change)) ?? learned.get(change[0])
    return number ?? (fixedBehaviors.has(change[0]) ? 0 : [])
  })

/** Rules out the values that would have led to another response. Returns the behaviors that decided it. */
const ruleOutOthers = async (
  pass: PassState,
  input: PredictionInput,
  { prediction, isLate }: Attempt,
): Promise<BehaviorKey[]> => {
  const { run, tryCall, behaviors, initial, ruledOut } = pass
  const { call } = input
  const decidedBy: BehaviorKey[] = []
  for (const key of listDecisiveBehaviors(call, prediction))
    for (const value of behaviorRegistry[key].values as readonly ExplainedValue[]) {
      const isInitial = value === initial[key]
      if (value === behaviors[key] || (!isInitial && ruledOut.has(formatChoice([key, value])))) continue
      const otherBehaviors = applyChanges(behaviors, [[key, value]])
      const otherAttempt = await tryCall(input, otherBehaviors)
      if (otherAttempt.differences.length === 0) continue
      // Together with this value, a value of another behavior may explain the response.
      const isPossible = (change: BehaviorChanges[number]) =>
        change[0] !== key &&
        (change[0] !== 'listFreshness' || run.freshness === undefined) &&
        findContradictions(pass, [change]).length === 0
      if ((await explain(tryCall, input, otherBehaviors, otherAttempt, 1, isPossible)).length > 0) continue
      ruleOutChoice(pass, [key, value], call.number)
      if (isInitial) decidedBy.push(key)
    }
  if (isLate) ruleOutChoice(pass, ['listFreshness', 'immediate'], call.number)
  if (initial.listFreshness === 'immediate' ? isLate : run.freshness?.number === call.number)
    decidedBy.push('listFreshness')
  return decidedBy
}

/** Lists the behaviors that may decide the response to a call. */
const listDecisiveBehaviors = ({ status, shownRecords }: ServiceCall, { assumed }: Prediction): BehaviorKey[] => {
  // Records of the same creation time may be in any order.
  const hasOrder = new Set(shownRecords.map(({ createdAt }) => createdAt)).size > 1
  const keys = assumed.filter((key) => key !== 'paymentLinkOrder' || hasOrder)
  if (status >= 400) keys.push('errorFormat')
  else if (shownRecords.length > 0) keys.push('timestampPrecision')
  return keys
}
