// The outcome of a run: its steps, and its end in readable form.
import type { Access } from './dependence.ts'
import type { ActorCall, ExploredRequest } from './explored-request.ts'
import { getMessage } from './format.ts'
import type { ParsedSearch } from './options.ts'
import { type CallFault, formatStep } from './schedule.ts'

/** A sleep, or the delay of a call, that ended in a run. */
export interface ExploredSleep {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The number of calls before it ended. */
  readonly calls: number
  /** When it ended, by the mock clock. */
  readonly time: string
}

/** The end of one run. */
export interface Outcome {
  /** The error of the invariant, or a `RunError`. Null if the invariant holds. */
  readonly error: unknown
  /** The calls in their order. */
  readonly requests: readonly ExploredRequest[]
  readonly sleeps: readonly ExploredSleep[]
}

/** The error of a run that did not end, or whose client code must succeed but threw. */
export class RunError extends Error {
  override readonly name = 'RunError'
  readonly code: 'deadlock' | 'maxCalls' | 'timeout' | 'flowFailed'

  constructor(code: RunError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A call or a sleep that waits for its turn. */
export interface Choice {
  /** The actor and the number of the call or sleep in it. Other orders do not change it. */
  readonly id: string
  /** The choice in the text of a schedule. */
  readonly text: string
  readonly isSleep: boolean
}

/** A choice that was made: a call went to the mock, or a sleep ended. */
export interface Step extends Choice {
  readonly actor: string
  readonly fault: CallFault | undefined
  /** The step that created the call or sleep. -1: the start of the run. */
  readonly created: number
  /** The calls and sleeps that waited. */
  readonly ready: readonly Choice[]
  /** The reads and writes of the step, if the search needs them. */
  readonly accesses: Map<string, Access>
  readonly time: string
  /** Undefined for a sleep. */
  readonly call: ActorCall | undefined
}

/** The end of one run, with its steps. `isComplete` is false if `decide` gave up. */
export interface ExploredRun extends Outcome {
  readonly steps: readonly Step[]
  readonly thrown: ReadonlyMap<string, unknown>
  readonly isComplete: boolean
}

/** Returns the next choice and the fault of its call. Undefined ends the run, because it would repeat another one. */
export type Decide = (
  ready: readonly Choice[],
  steps: readonly Step[],
) => { readonly choice: Choice; readonly fault?: CallFault | undefined } | undefined

export const listRequests = ({ orders }: ParsedSearch, steps: readonly Step[]): ExploredRequest[] =>
  steps.flatMap(({ call, actor, fault, time }) => {
    if (call === undefined) return []
    const given = fault && `${fault.effect} ${fault.phase} the operation`
    const { fault: found, ...request } = call.read()
    return [{ actor: orders === 'first' ? null : actor, ...request, time, fault: given ?? found }]
  })

export const listSleeps = ({ orders }: ParsedSearch, steps: readonly Step[]): ExploredSleep[] => {
  let calls = 0
  return steps.flatMap(({ isSleep, actor, time }) => {
    if (!isSleep) calls++
    return isSleep ? [{ actor: orders === 'first' ? null : actor, calls, time }] : []
  })
}

export const findUnexpectedError = (
  { mustSucceed, orders }: ParsedSearch,
  steps: readonly Step[],
  thrown: ReadonlyMap<string, unknown>,
): RunError | null => {
  const faults = steps.flatMap(({ fault }) => fault ?? [])
  const [[name, cause] = []] = thrown
  if (name === undefined || faults.length === 0 || !faults.every(({ effect }) => mustSucceed.includes(effect)))
    return null
  const who = orders === 'first' ? 'The flow' : `The actor '${name}'`
  return new RunError('flowFailed', `${who} must succeed, but threw: ${getMessage(cause)}`, { cause })
}

export const createDeadlockError = (running: readonly string[]): RunError =>
  new RunError(
    'deadlock',
    `deadlock: no actor can continue, and these have not ended: ${running.join(', ')}. An actor may wait for the mock, for ` +
      '`sleep` and for other actors, but not for timers, files, WebCrypto or `setImmediate`: do that work before the search, ' +
      'or synchronously.',
  )

export const createTimeoutError = (running: readonly string[], timeout: number): RunError =>
  new RunError('timeout', `No call was made for ${timeout} ms, and these have not ended: ${running.join(', ')}.`)

export const createMaxCallsError = (steps: readonly Step[], maxCalls: number): RunError => {
  const last = steps.slice(-100)
  const spins = last.every(({ actor, isSleep }) => !isSleep && actor === last[0]!.actor)
  const hint = spins ? ` '${last[0]!.actor}' does not sleep between them: a loop that polls must call \`sleep\`.` : ''
  return new RunError('maxCalls', `The run has more than ${maxCalls} calls.${hint}`)
}

/** The text of a step in a schedule. */
export const formatTaken = ({ text, fault }: Step): string => formatStep({ choice: text, fault })
