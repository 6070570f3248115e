import {
  type BehaviorChoices,
  type BehaviorKey,
  behaviorKeys,
  behaviorRegistry,
  type Behaviors,
  defaultBehaviors,
  pickBehaviors,
} from '../core/schema/behavior.ts'
import { omitUndefined } from '../core/schema/json-value.ts'
import type { Seed } from '../core/schema/seed.ts'
import {
  applyChanges,
  type BehaviorChanges,
  createTryCall,
  type ExplainedValue,
  type TryCall,
} from './explain-difference.ts'
import { formatChoice, type PassResult, runPass } from './comparison-pass.ts'
import { findUnsupportedErrorFormat } from './compare-responses.ts'
import { createPredictor } from './predictor.ts'
import type { Exchange, ServiceCall } from './recorded-calls.ts'
import { readRun, type ServiceRun } from './service-run.ts'
import { createSecretFilter, type SecretFilter } from './secrets.ts'

/** The output of `compare --json`, except for the exit code. */
export type CompareReport = ReturnType<typeof summarizeComparison>
export type Comparison = Awaited<ReturnType<typeof compare>>

const maxPasses = 6
const maxTrials = 12

/** Compares the service's responses with the mock's, and learns the behaviors that explain the differences. */
export const compare = async (
  exchanges: readonly Exchange[],
  options: {
    readonly provider: string
    readonly expected: BehaviorChoices
    /** Whether to compare an error by its status alone if the mock cannot send its format. */
    readonly allowOtherErrors?: boolean
  },
) => {
  const { provider, expected, allowOtherErrors = false } = options
  const run = readRun(exchanges, provider)
  const initial: Behaviors = { ...defaultBehaviors, ...omitUndefined(expected) }
  const result = await learnBehaviors(run, initial, createTryCall(createPredictor(provider)))
  const report = summarizeComparison(result, expected, allowOtherErrors)
  const { knowledge, behaviors } = result
  return {
    report,
    seed: buildSeed(expected, report.observed, result),
    choices: pickBehaviors(behaviors, (key) => behaviors[key] !== defaultBehaviors[key]),
    changedIds: knowledge.changedIds,
  }
}

/** Repeats passes until one learns nothing and no candidate explains more calls, or until `maxPasses` is reached. */
const learnBehaviors = async (run: ServiceRun, initial: Behaviors, predictAndCompare: TryCall): Promise<PassResult> => {
  const fixedBehaviors = new Set<BehaviorKey>()
  const runPassWith = (behaviors: Behaviors, isLearning: boolean) =>
    runPass({ run, predictAndCompare, initial, fixedBehaviors, behaviors, isLearning })
  let behaviors = initial
  let result = await runPassWith(behaviors, true)
  for (let passes = 1; passes < maxPasses; passes++) {
    const nextBehaviors =
      result.learned.size > 0 ? result.behaviors : await tryCandidates(result, behaviors, runPassWith)
    if (nextBehaviors === undefined) break
    for (const key of behaviorKeys) if (nextBehaviors[key] !== behaviors[key]) fixedBehaviors.add(key)
    behaviors = nextBehaviors
    result = await runPassWith(behaviors, true)
  }
  // Undo a learned value unless more calls would differ without it.
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

/** Returns the behaviors that explain the most calls, or undefined if none is clearly best or there are too many candidates. */
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
    const count = countDifferent(await runPassWith(candidateBehaviors, false))
    trials.push({ candidateBehaviors, isContradicted, count })
  }
  const [bestTrial, secondTrial] = trials.toSorted((a, b) => a.count - b.count)
  if (bestTrial === undefined || bestTrial.count >= countDifferent(result) || bestTrial.count === secondTrial?.count)
    return undefined
  // The evidence against a candidate may itself be wrong, so accept a contradicted candidate if it explains every call.
  return bestTrial.isContradicted && bestTrial.count > 0 ? undefined : bestTrial.candidateBehaviors
}

const countDifferent = ({ verdicts }: PassResult): number => verdicts.filter(({ is }) => is === 'different').length

const summarizeComparison = (result: PassResult, expected: BehaviorChoices, allowOtherErrors: boolean) => {
  const { run, behaviors, initial, ruledOut } = result
  const unknownFields = new Set(result.unknownFields)
  const verdicts = result.verdicts.map((verdict) => {
    const formatDifference =
      verdict.is === 'notCompared' ? undefined : findUnsupportedErrorFormat(verdict.call, verdict.prediction)
    if (verdict.is === 'notCompared' || formatDifference === undefined) return verdict
    if (allowOtherErrors) unknownFields.add('errors (in another format: compared by their status alone)')
    if (allowOtherErrors) return verdict
    return { ...verdict, is: 'different' as const, differences: [...verdict.differences, formatDifference] }
  })
  const comparedCalls = verdicts.filter((verdict) => verdict.is !== 'notCompared')
  const differentCalls = comparedCalls.filter((verdict) => verdict.is === 'different')
  const notComparedCalls = verdicts.filter((verdict) => verdict.is === 'notCompared')
  const isObserved = (key: BehaviorKey) =>
    behaviorRegistry[key].values.every(
      (value: ExplainedValue) => value === behaviors[key] || ruledOut.has(formatChoice([key, value])),
    )
  const observed = pickBehaviors(behaviors, isObserved)
  const secretFilter = createSecretFilter(run.calls)
  const { hideInJson } = secretFilter
  return {
    calls: run.calls.length,
    same: comparedCalls.length - differentCalls.length,
    learned: behaviorKeys
      .filter((key) => behaviors[key] !== initial[key])
      .map((key) => ({
        behavior: key,
        value: behaviors[key],
        was: initial[key],
        isExpected: expected[key] !== undefined,
        /** True if any call still differs, because the learned value may then be wrong. */
        isProvisional: differentCalls.length > 0,
        calls: comparedCalls
          .filter(({ decidedBy }) => decidedBy.includes(key))
          .map(({ call }) => describeCall(call, secretFilter)),
      })),
    different: differentCalls.map(({ call, prediction, differences, candidates, contradictedBy }) => ({
      ...describeCall(call, secretFilter),
      service: { status: call.status, body: hideInJson(call.json ?? call.response?.text ?? null) },
      mock: { status: prediction.status, body: hideInJson(prediction.json ?? null) },
      differences: differences.map((one) => ({ ...one, service: hideInJson(one.service), mock: hideInJson(one.mock) })),
      candidates: candidates
        .filter((changes) => !changes.some(([key]) => isObserved(key)))
        .map((changes) => changes.map(formatChoice).join(', ')),
      contradictedBy: [...new Set(contradictedBy)].filter((number) => number > 0),
    })),
    notCompared: notComparedCalls.map(({ call, why }) => ({ ...describeCall(call, secretFilter), why })),
    observed,
    /** Also includes time and error formats that the mock cannot send. */
    unknownFields: [...unknownFields],
  }
}

const describeCall = ({ number, method, target }: ServiceCall, { hideInTarget }: SecretFilter) => ({
  number,
  method,
  path: hideInTarget(target),
})

/** Adds projects only if a behavior needs them: `invoiceIds=seeded` needs their invoices, `unknownProject=notFound` their ids. */
const buildSeed = (expected: BehaviorChoices, observed: BehaviorChoices, { knowledge }: PassResult): Seed => {
  const behaviors = { ...expected, ...observed }
  const needsInvoices = behaviors.invoiceIds === 'seeded'
  if (!needsInvoices && behaviors.unknownProject !== 'notFound') return { behaviors }
  const projects = [...knowledge.projects].flatMap(([id, { content }]) =>
    content === undefined ? [] : [[id, needsInvoices ? { invoices: [...content.invoices] } : {}] as const],
  )
  return { behaviors, projects: Object.fromEntries(projects) }
}
