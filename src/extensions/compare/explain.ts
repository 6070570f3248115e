// Why a response may be different: other behaviors, a payment meanwhile, a user that the run has not seen.
import { type BehaviorKey, behaviorKeys, behaviorRegistry, type Behaviors } from '../../schema/behavior.ts'
import { isRecord } from '../../schema/json-value.ts'
import type { ServiceCall, ShownRecord } from './service-call.ts'
import type { ResponseDifference } from './differences.ts'
import type { CallSituation } from './knowledge.ts'
import type { RunOverview } from './overview.ts'
import type { Prediction } from './predictor.ts'
import { findRecord, putRecord, type Content } from './project-content.ts'

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
  /** How old the oldest change is that a list does not show yet, in milliseconds. Undefined: it shows all. */
  readonly lag: number | undefined
}
export type TryCall = (call: ServiceCall, situation: CallSituation, behaviors: Behaviors) => Promise<Attempt>

/** How many changes may be needed together, and how many sets of them are continued. */
const maxDepth = 4
const maxBreadth = 24

/** Changes that explain differences, and what the mock does with them. */
export interface Explanation extends Attempt {
  readonly changes: Changes
}

/** Finds the smallest sets of changes of behaviors that explain differences. */
export const explain = async (
  tryCall: TryCall,
  call: ServiceCall,
  situation: CallSituation,
  behaviors: Behaviors,
  from: readonly ResponseDifference[],
): Promise<Explanation[]> => {
  let frontier: { changes: Changes; weight: number }[] = [{ changes: [], weight: weigh(from) }]
  const tried = new Set<string>()
  for (let depth = 1; depth <= maxDepth && frontier.length > 0; depth++) {
    const solutions: Explanation[] = []
    const next: typeof frontier = []
    for (const { changes, weight } of frontier)
      for (const change of listChanges(behaviors)) {
        if (changes.some(([key]) => key === change[0])) continue
        const more: Changes = [...changes, change]
        const name = more.map(String).toSorted().join(' ')
        if (tried.has(name)) continue
        tried.add(name)
        const attempt = await tryCall(call, situation, applyChanges(behaviors, more))
        const left = weigh(attempt.differences)
        if (left === 0) solutions.push({ ...attempt, changes: more })
        else if (left < weight) next.push({ changes: more, weight: left })
      }
    if (solutions.length > 0) return solutions
    frontier = next.toSorted((a, b) => a.weight - b.weight).slice(0, maxBreadth)
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
const weigh = (differences: readonly ResponseDifference[]): number =>
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
  { prediction }: Attempt,
  { statuses }: RunOverview,
  provider: string,
): Promise<{ readonly content: Content; readonly paid: readonly string[] } | undefined> => {
  let { content } = situation
  let known = prediction.json as { readonly items?: readonly ShownRecord[] } | null
  const shown = new Set(call.shown.map(({ id }) => id))
  const paid: string[] = []
  while (content !== undefined && call.kind === 'paymentLinks' && paid.length < maxPayments) {
    const missing = call.isList
      ? (known?.items ?? []).map(({ id }) => id).filter((id) => !shown.has(id))
      : [call.id ?? '']
    const active = missing.filter((id) => findRecord(content, 'paymentLinks', id)?.status === 'active')
    const isPossible = active.every((id) => {
      const later = statuses.get(id)?.find(({ number }) => number > call.number)
      return later === undefined || later.status === 'completed'
    })
    if (active.length === 0 || !isPossible) return undefined
    const completedAt = new Date(call.end).toISOString()
    for (const id of active) {
      const link = findRecord(content, 'paymentLinks', id) as ShownRecord
      content = putRecord(content, 'paymentLinks', { ...link, status: 'completed', completedAt }, provider)
    }
    paid.push(...active)
    const next = await tryCall(call, { ...situation, content }, behaviors)
    if (next.differences.length === 0) return { content, paid }
    known = next.prediction.json as typeof known
  }
  return undefined
}

/** Adds a user with the email of a call that the service has rejected as taken. Undefined for other calls. */
export const addHiddenUser = (
  call: ServiceCall,
  situation: CallSituation,
  provider: string,
): CallSituation | undefined => {
  const { email } = call.sent
  const { content } = situation
  if (
    call.status !== 409 ||
    !call.isWrite ||
    call.kind !== 'users' ||
    typeof email !== 'string' ||
    content === undefined
  )
    return undefined
  const isKnown = content.users.some(({ fields }) => String(fields?.email).toLowerCase() === email.toLowerCase())
  if (isKnown) return undefined
  const hidden = { id: 'usr_hidden', createdAt: new Date(0).toISOString(), email }
  return { ...situation, content: putRecord(content, 'users', hidden, provider) }
}
