// Compares the calls of a program with what the mock does, and learns the behaviors that explain the differences.
import {
  type BehaviorChoices,
  type BehaviorKey,
  behaviorKeys,
  behaviorRegistry,
  type Behaviors,
  defaultBehaviors,
} from '../../schema/behavior.ts'
import { omitUndefined } from '../../schema/json-value.ts'
import type { Seed } from '../../schema/seed.ts'
import {
  applyChanges,
  type BehaviorChanges,
  createTryCall,
  type ExplainedValue,
  type TryCall,
} from './explain-difference.ts'
import { formatChoice, type PassResult, runPass } from './comparison-pass.ts'
import { createPredictor } from './predictor.ts'
import { type Exchange, readRun, type ServiceRun, type ServiceCall } from './recorded-calls.ts'

/** A comparison, as the command prints it with `--json`. */
export type CompareReport = ReturnType<typeof summarizeComparison>
export type Comparison = Awaited<ReturnType<typeof compare>>

const maxPasses = 6
const maxTrials = 12

/**
 * Compares the calls of a program.
 *
 * @param options the provider, and the behaviors that the service is expected to have
 * @returns the report, a seed with the expected and observed behaviors, and the ids of the records that the program created
 * or changed
 */
export const compare = async (
  exchanges: readonly Exchange[],
  options: { readonly provider: string; readonly expected: BehaviorChoices },
) => {
  const { provider, expected } = options
  const run = readRun(exchanges, provider)
  const initial: Behaviors = { ...defaultBehaviors, ...omitUndefined(expected) }
  const result = await learnBehaviors(run, initial, createTryCall(createPredictor(provider)))
  const report = summarizeComparison(result, expected)
  return { report, seed: buildSeed(expected, report.observed, result), own: result.knowledge.own }
}

/** Passes through the calls until no other value explains more of them. */
const learnBehaviors = async (run: ServiceRun, initial: Behaviors, tryCall: TryCall): Promise<PassResult> => {
  const fixedBehaviors = new Set<BehaviorKey>()
  let result: PassResult | undefined
  const runPassWith = (behaviors: Behaviors, isLearning: boolean) =>
    runPass({ run, tryCall, initial, fixedBehaviors, behaviors, isLearning, freshness: result?.freshness })
  let behaviors = initial
  result = await runPassWith(behaviors, true)
  // A list has shown that lists do not lag behind. This may leave a single explanation for an earlier call.
  if (result.freshness !== undefined && countDifferent(result) > 0) result = await runPassWith(behaviors, true)
  for (let passes = 1; passes < maxPasses; passes++) {
    const nextBehaviors =
      result.learned.size > 0 ? result.behaviors : await tryCandidates(result, behaviors, runPassWith)
    if (nextBehaviors === undefined) break
    for (const key of behaviorKeys) if (nextBehaviors[key] !== behaviors[key]) fixedBehaviors.add(key)
    behaviors = nextBehaviors
    result = await runPassWith(behaviors, true)
  }
  // A value that no call needs any more is not learned.
  for (const key of fixedBehaviors) {
    const initialChoice = [key, initial[key]] as const
    if (behaviors[key] === initial[key] || result.ruledOut.has(formatChoice(initialChoice))) continue
    const resetBehaviors = applyChanges(behaviors, [initialChoice])
    const resetResult = await runPassWith(resetBehaviors, false)
    if (countDifferent(resetResult) > countDifferent(result)) continue
    behaviors = resetBehaviors
    result = resetResult
  }
  return result
}

/** Tries the candidates of the different calls. Returns the behaviors of the best candidate, unless two are equally good. */
const tryCandidates = async (
  result: PassResult,
  behaviors: Behaviors,
  runPassWith: (behaviors: Behaviors, isLearning: boolean) => Promise<PassResult>,
): Promise<Behaviors | undefined> => {
  const uniqueCandidates = new Map<string, { readonly changes: BehaviorChanges; readonly isContradicted: boolean }>()
  for (const verdict of result.verdicts)
    if (verdict.is === 'different')
      for (const changes of verdict.candidates)
        uniqueCandidates.set(String(changes), { changes, isContradicted: verdict.contradictedBy.length > 0 })
  if (uniqueCandidates.size === 0 || uniqueCandidates.size > maxTrials) return undefined
  const trials = []
  for (const { changes, isContradicted } of uniqueCandidates.values()) {
    const candidateBehaviors = applyChanges(behaviors, changes)
    trials.push({
      candidateBehaviors,
      isContradicted,
      count: countDifferent(await runPassWith(candidateBehaviors, false)),
    })
  }
  const [bestTrial, secondTrial] = trials.toSorted((a, b) => a.count - b.count)
  if (bestTrial === undefined || bestTrial.count >= countDifferent(result) || bestTrial.count === secondTrial?.count)
    return undefined
  // A contradicted candidate is still accepted if no call remains different.
  return bestTrial.isContradicted && bestTrial.count > 0 ? undefined : bestTrial.candidateBehaviors
}

const countDifferent = ({ verdicts }: PassResult): number => verdicts.filter(({ is }) => is === 'different').length

const summarizeComparison = (result: PassResult, expected: BehaviorChoices) => {
  const { run, behaviors, initial, verdicts, ruledOut, unknownFields } = result
  const sameCalls = verdicts.filter((one) => one.is === 'same')
  const differentCalls = verdicts.filter((one) => one.is === 'different')
  const notComparedCalls = verdicts.filter((one) => one.is === 'notCompared')
  const isObserved = (key: BehaviorKey) =>
    behaviorRegistry[key].values.every(
      (value: ExplainedValue) => value === behaviors[key] || ruledOut.has(formatChoice([key, value])),
    )
  const observed: BehaviorChoices = Object.fromEntries(
    behaviorKeys.filter(isObserved).map((key) => [key, behaviors[key]]),
  )
  const hideTokens = createTokenFilter(run.calls)
  return {
    calls: run.calls.length,
    same: sameCalls.length,
    /** The behaviors whose value is not the expected one, or the default, with the calls that show it. */
    learned: behaviorKeys
      .filter((key) => behaviors[key] !== initial[key])
      .map((key) => ({
        behavior: key,
        value: behaviors[key],
        was: initial[key],
        isExpected: expected[key] !== undefined,
        /** Whether a call is different: then the value may be wrong. */
        isProvisional: differentCalls.length > 0,
        calls: sameCalls.filter(({ decidedBy }) => decidedBy.includes(key)).map(describeCall),
      })),
    different: differentCalls.map(({ call, prediction, differences, candidates, contradictedBy }) => ({
      ...describeCall({ call }),
      /** The body is JSON, else its text. */
      service: { status: call.status, body: hideTokens(call.json ?? call.response?.text ?? null) },
      mock: { status: prediction.status, body: hideTokens(prediction.json ?? null) },
      differences: differences.map(({ path, service, mock }) => ({
        path,
        service: hideTokens(service),
        mock: hideTokens(mock),
      })),
      /** Each of these would explain it, but not only one does, or other calls contradict it. */
      candidates: candidates
        .filter((changes) => !changes.some(([key]) => isObserved(key)))
        .map((changes) => changes.map(formatChoice).join(', ')),
      contradictedBy: [...new Set(contradictedBy)].filter((number) => number > 0),
    })),
    notCompared: notComparedCalls.map(({ call, why }) => ({ ...describeCall({ call }), why })),
    /** The behaviors of which the run rules out all other values. */
    observed,
    /** Fields of the service beyond the specification. */
    unknownFields: [...unknownFields],
  }
}

/** The calls are numbered from 1, in the order of the responses. */
const describeCall = ({ call: { number, method, target } }: { readonly call: ServiceCall }) => ({
  number,
  method,
  path: target,
})

/** A shorter token is also a part of other texts. */
const minSecretLength = 8

/** Returns a function that removes the tokens of the program from JSON: the service may send them back. */
const createTokenFilter = (calls: readonly ServiceCall[]) => {
  const tokens = [...new Set(calls.flatMap(({ token }) => token ?? []))]
  const hideToken = (text: string, token: string) =>
    text === token || token.length >= minSecretLength ? text.replaceAll(token, '***') : text
  const filterTokens = (_: string, value: unknown) =>
    typeof value === 'string' ? tokens.reduce(hideToken, value) : value
  return (value: unknown): unknown => value && JSON.parse(JSON.stringify(value, filterTokens))
}

/** `seeded` needs the invoices that the service has accepted, and `notFound` the projects that it has. */
const buildSeed = (expected: BehaviorChoices, observed: BehaviorChoices, { knowledge }: PassResult): Seed => {
  const behaviors = { ...expected, ...observed }
  const needsInvoices = behaviors.invoiceIds === 'seeded'
  if (!needsInvoices && behaviors.unknownProject !== 'notFound') return { behaviors }
  const projects = [...knowledge.projects].flatMap(([id, { content }]) =>
    content === undefined ? [] : [[id, needsInvoices ? { invoices: [...content.invoices] } : {}] as const],
  )
  return { behaviors, projects: Object.fromEntries(projects) }
}
