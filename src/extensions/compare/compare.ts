// Compares the calls of a program with what the mock does, and learns the behaviors that explain the differences.
import {
  type BehaviorChoices,
  type BehaviorKey,
  behaviorKeys,
  behaviorRegistry,
  type Behaviors,
  defaultBehaviors,
} from '../../schema/behavior.ts'
import type { Seed } from '../../schema/seed.ts'
import type { ResponseDifference } from './differences.ts'
import { applyChanges, type ExplainedValue, type Changes } from './explain.ts'
import { createOverview } from './overview.ts'
import { type PassResult, runPass } from './pass.ts'
import { createPredictor } from './predictor.ts'
import { type Exchange, readServiceCall, type ServiceCall } from './service-call.ts'

export interface CompareOptions {
  readonly provider: string
  /** The values that the service is expected to have. */
  readonly expected: BehaviorChoices
}

interface CallSummary {
  /** From 1, in the order of the responses. */
  readonly number: number
  readonly method: string
  readonly path: string
}

interface ResponseSummary {
  readonly status: number
  /** The JSON of the body, else its text. */
  readonly body: unknown
}

export interface CompareReport {
  readonly calls: number
  readonly same: number
  /** The behaviors whose value is not the expected one, or the default, with the calls that show it. */
  readonly learned: readonly {
    readonly behavior: BehaviorKey
    readonly value: ExplainedValue
    readonly was: ExplainedValue
    readonly isExpected: boolean
    /** Whether a call is different: then the value may be wrong. */
    readonly isProvisional: boolean
    readonly calls: readonly CallSummary[]
  }[]
  readonly different: readonly (CallSummary & {
    readonly service: ResponseSummary
    readonly mock: ResponseSummary
    readonly differences: readonly ResponseDifference[]
    /** Each of these would explain it, but not only one does, or other calls contradict it. */
    readonly candidates: readonly string[]
    readonly contradictedBy: readonly number[]
  })[]
  readonly notCompared: readonly (CallSummary & { readonly why: string })[]
  /** The behaviors of which the run rules out all other values. */
  readonly observed: BehaviorChoices
  /** Fields of the service beyond the specification. */
  readonly unknownFields: readonly string[]
}

export interface Comparison {
  readonly report: CompareReport
  /** A seed with the expected and the observed behaviors, and with what they need. */
  readonly seed: Seed
  /** The records that the program has created or changed. */
  readonly own: ReadonlySet<string>
}

const maxPasses = 6
const maxTrials = 12

export const compare = async (exchanges: readonly Exchange[], options: CompareOptions): Promise<Comparison> => {
  const { provider, expected } = options
  const calls = exchanges
    .toSorted((a, b) => a.end - b.end)
    .map((exchange, index) => readServiceCall(exchange, index + 1))
  const predictor = createPredictor(provider)
  try {
    const initial = applyChanges(defaultBehaviors, Object.entries(expected) as unknown as Changes)
    const result = await learnBehaviors(calls, initial, { predict: predictor.predict, provider })
    const report = summarize(calls, result, initial, expected)
    return { report, seed: buildSeed(expected, report.observed, result), own: result.knowledge.own }
  } finally {
    await predictor.close()
  }
}

/** Passes through the calls until no other value explains more of them. */
const learnBehaviors = async (
  calls: readonly ServiceCall[],
  initial: Behaviors,
  { predict, provider }: Pick<Parameters<typeof runPass>[0], 'predict' | 'provider'>,
): Promise<PassResult> => {
  const overview = createOverview(calls)
  const fixed = new Set<BehaviorKey>()
  let result: PassResult | undefined
  const pass = (behaviors: Behaviors, isLearning: boolean) =>
    runPass({
      predict,
      calls,
      overview,
      provider,
      behaviors,
      initial,
      fixed,
      isLearning,
      freshness: result?.freshness,
    })
  let behaviors = initial
  result = await pass(behaviors, true)
  for (let passes = 1; passes < maxPasses; passes++) {
    const next = result.learned.size > 0 ? result.behaviors : await tryCandidates(result, behaviors, pass)
    if (next === undefined) break
    for (const key of behaviorKeys) if (next[key] !== behaviors[key]) fixed.add(key)
    behaviors = next
    result = await pass(behaviors, true)
  }
  // A value that no call needs any more is not learned.
  for (const key of fixed) {
    if (behaviors[key] === initial[key] || result.ruledOut.get(key)?.has(initial[key])) continue
    const without = applyChanges(behaviors, [[key, initial[key]]])
    const other = await pass(without, false)
    if (countDifferent(other) > countDifferent(result)) continue
    behaviors = without
    result = other
  }
  return result
}

/** Tries the candidates of the different calls. Returns the behaviors of the best candidate, unless two are equally good. */
const tryCandidates = async (
  result: PassResult,
  behaviors: Behaviors,
  pass: (behaviors: Behaviors, isLearning: boolean) => Promise<PassResult>,
): Promise<Behaviors | undefined> => {
  const unique = new Map<string, { readonly changes: Changes; readonly isContradicted: boolean }>()
  for (const verdict of result.verdicts)
    if (verdict.is === 'different')
      for (const changes of verdict.candidates)
        unique.set(String(changes), { changes, isContradicted: verdict.contradictedBy.length > 0 })
  if (unique.size === 0 || unique.size > maxTrials) return undefined
  const trials = []
  for (const { changes, isContradicted } of unique.values()) {
    const changed = applyChanges(behaviors, changes)
    trials.push({ changed, isContradicted, count: countDifferent(await pass(changed, false)) })
  }
  const [best, second] = trials.toSorted((a, b) => a.count - b.count)
  if (best === undefined || best.count >= countDifferent(result) || best.count === second?.count) return undefined
  // A contradicted candidate is still accepted if no call remains different.
  return best.isContradicted && best.count > 0 ? undefined : best.changed
}

const countDifferent = ({ verdicts }: PassResult): number => verdicts.filter(({ is }) => is === 'different').length

const summarize = (
  calls: readonly ServiceCall[],
  { behaviors, verdicts, ruledOut, unknownFields }: PassResult,
  initial: Behaviors,
  expected: BehaviorChoices,
): CompareReport => {
  type Verdict = (typeof verdicts)[number]
  const describe = ({ number, method, target }: ServiceCall): CallSummary => ({ number, method, path: target })
  const select = <K extends Verdict['is']>(is: K) =>
    verdicts.flatMap((verdict, index) =>
      verdict.is === is ? [[calls[index]!, verdict as Extract<Verdict, { is: K }>] as const] : [],
    )
  const same = select('same')
  const different = select('different')
  const observed = behaviorKeys.filter((key) =>
    behaviorRegistry[key].values.every(
      (value: ExplainedValue) => value === behaviors[key] || ruledOut.get(key)?.has(value),
    ),
  )
  const isPossible = (changes: Changes) => changes.every(([key]) => !observed.includes(key))
  const hide = createTokenFilter(calls)
  return {
    calls: calls.length,
    same: same.length,
    learned: behaviorKeys
      .filter((key) => behaviors[key] !== initial[key])
      .map((key) => ({
        behavior: key,
        value: behaviors[key],
        was: initial[key],
        isExpected: expected[key] !== undefined,
        isProvisional: different.length > 0,
        calls: same.filter(([, { decidedBy }]) => decidedBy.includes(key)).map(([call]) => describe(call)),
      })),
    different: different.map(([call, { prediction, differences, candidates, contradictedBy }]) => ({
      ...describe(call),
      service: { status: call.status, body: hide(call.json ?? call.response?.text ?? null) },
      mock: { status: prediction.status, body: hide(prediction.json ?? null) },
      differences: differences.map(({ path, service, mock }) => ({ path, service: hide(service), mock: hide(mock) })),
      candidates: candidates
        .filter(isPossible)
        .map((changes) => changes.map(([key, value]) => `${key}=${value}`).join(', ')),
      contradictedBy: [...new Set(contradictedBy)].filter((number) => number > 0),
    })),
    notCompared: select('notCompared').map(([call, { why }]) => ({ ...describe(call), why })),
    observed: Object.fromEntries(observed.map((key) => [key, behaviors[key]])),
    unknownFields,
  }
}

/** Returns a function that removes the tokens of the program: the service may send them back. */
const createTokenFilter = (calls: readonly ServiceCall[]) => {
  const tokens = [...new Set(calls.flatMap(({ token }) => token ?? []))]
  const hide = (text: string) => tokens.reduce((rest, token) => rest.replaceAll(token, '***'), text)
  const filter = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value)
    if (Array.isArray(value)) return value.map(filter)
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, field]) => [hide(name), filter(field)]))
      : value
  }
  return filter
}

/** `seeded` needs the invoices that the service has accepted, and `notFound` the projects that it has. */
const buildSeed = (expected: BehaviorChoices, observed: BehaviorChoices, { knowledge }: PassResult): Seed => {
  const behaviors = { ...expected, ...observed }
  const known = [...knowledge.projects].flatMap(([id, { content }]) =>
    content === undefined ? [] : [[id, content] as const],
  )
  const needsInvoices = behaviors.invoiceIds === 'seeded'
  if (!needsInvoices && behaviors.unknownProject !== 'notFound') return { behaviors }
  const projects = known.map(([id, { invoices }]) => [id, needsInvoices ? { invoices: [...invoices] } : {}])
  return { behaviors, projects: Object.fromEntries(projects) }
}
