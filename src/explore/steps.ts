import {
  type Access,
  type CommandId,
  type Core,
  getId,
  type ObservedOutcome,
  type ObservedRequest,
} from '../core/mock/extension.ts'
import type { OperationId } from '../core/schema/operation-routes.ts'
import { decodePart, splitPrefix } from '../core/schema/url.ts'
import { type ExploredRequest, type ExploredSleep, readError } from './result.ts'
import type { CallFault } from './schedule-text.ts'

/** A request or a command that the code under test sends. */
export interface SentRequest {
  readonly method: string
  /** The path and query. */
  readonly path: string
  /** Null if there is no body. */
  readonly body: string | null
}

interface CallOptions {
  /** A description of the call that is the same in every run. @default the method, path and body */
  readonly description?: string
  /** The control API command that the call runs. Undefined for a request. */
  readonly command?: CommandId
  /** Finds the operation of a request that has not reached the mock yet. */
  readonly findOperation?: Core['findOperation']
  /** Whether the sender is a program that drives a service. Its calls get no faults. */
  readonly isFromDriver?: boolean
}

/** A call by the code under test. Most fields are set only after the search has chosen the call. */
export class ActorCall {
  /** The request as the mock saw it. Undefined until it arrives, and always for requests outside the API, such as pages. */
  observed: ObservedRequest | undefined
  outcome: ObservedOutcome | undefined
  /** How many active payment links the actor knew when the call was chosen. */
  links = 0
  /** Whether the sender was killed, so that nobody receives the response. */
  isDead = false
  /** Whether a fault that the code under test added delayed the call in real time. */
  isDelayed = false
  response: { readonly status: number; readonly text: string | null } | undefined
  /** The text to show for the fault that applied. If undefined, its id is shown. If null, nothing is shown. */
  fault: string | null | undefined
  readonly request: SentRequest
  readonly #options: CallOptions

  constructor(request: SentRequest, options: CallOptions = {}) {
    this.request = request
    this.#options = options
  }

  describe(): string {
    const { method, path, body } = this.request
    return this.#options.description ?? `${method} ${path} ${body ?? ''}`.trim()
  }

  /** Returns undefined for calls that faults never apply to, such as calls by a driver, or to pages or the control API. */
  getOperation(): OperationId | undefined {
    if (this.#options.isFromDriver) return undefined
    const { method, path } = this.request
    if (this.observed !== undefined) return this.observed.operation?.id
    return this.#options.findOperation?.(method, decodePart(path) ?? path)
  }

  /** Whether the call requests a page or is a command that does not wait, so its response does not depend on other steps. */
  isImmediate(): boolean {
    return this.getOperation() === undefined && !isApiCall(this.request) && !waitsForOthers(this.request)
  }

  /** Returns the key with the method and path, because the same text at another path is a different key. */
  getIdempotencyKey(): string | undefined {
    const key = this.observed?.idempotencyKey
    return key === undefined ? undefined : `${this.request.method} ${this.request.path} ${key}`
  }

  read(): Omit<ExploredRequest, 'actor' | 'time' | 'note'> {
    const { method, path, body } = this.request
    const response = this.isDead ? undefined : this.response
    return {
      operation: this.#options.command ?? this.getOperation() ?? null,
      method,
      path,
      body,
      status: response?.status ?? null,
      response: response?.text ?? null,
      fault: this.fault === undefined ? (this.outcome?.fault?.id ?? null) : this.fault,
    }
  }
}

/** Whether the request is to the mocked API. Its path may be percent-encoded. */
export const isApiCall = ({ path }: SentRequest): boolean => {
  const decodedPath = decodePart(path) ?? path
  return /^(?:\/[^/?]+)*?\/projects\//.test(decodedPath) && !splitPrefix(decodedPath)[1].startsWith('/__admin/')
}

/** Whether the request opens a stream of events, or is a command that may wait for other calls. */
export const waitsForOthers = ({ path, body }: SentRequest): boolean => {
  const [, command] = /^\/__admin\/(?:.*\/)?(events|wait|verify)(?:\?|$)/.exec(splitPrefix(path)[1]) ?? []
  return command === 'verify' ? body?.includes('"within"') === true : command !== undefined
}

/** A call or a sleep that waits for its turn. */
export interface Choice {
  /** Identifies the call or sleep across runs, regardless of the order. */
  readonly id: string
  readonly actor: string
  /** The text of the choice in a schedule, such as `a:2`. */
  readonly text: string
  /** The index of the step that led to the call or sleep. -1 for the start of the run. */
  readonly created: number
  /** Undefined for a sleep. */
  readonly call: ActorCall | undefined
}

export const isCall = ({ call }: Pick<Choice, 'call'>): boolean => call !== undefined

/** A choice that the search made: a call to the mock, or the end of a sleep. */
export interface Step extends Choice {
  readonly fault: CallFault | undefined
  /** All choices at this point in the run, including the chosen one. */
  readonly ready: readonly Choice[]
  /** The ids of other choices that were ready before the step but not after it, for any reason. */
  prevented: ReadonlySet<string>
  /** The reads and writes by the step. Empty if the search does not record them. */
  readonly accesses: Map<string, Access>
  readonly time: string
}

export const anyAccess: Access = { project: '*', part: '*', isWrite: true }

export const noteAccess = (step: Step | undefined, access: Access): void =>
  void step?.accesses.set(`${access.project} ${access.part} ${access.isWrite}`, access)

/** Whether reordering two steps may change the outcome. */
export const isDependent = (a: Step, b: Step): boolean => {
  if (a.prevented.has(b.id) || b.prevented.has(a.id)) return true
  // Steps of one actor share its variables. A sleep changes the time, which every step reads.
  if (a.actor === b.actor || a.call === undefined || b.call === undefined) return true
  for (const one of a.accesses.values()) for (const other of b.accesses.values()) if (conflict(one, other)) return true
  return false
}

const conflict = (a: Access, b: Access): boolean =>
  (a.isWrite || b.isWrite) &&
  !(isCreation(a) && isCreation(b)) &&
  isCommon(a.project, b.project) &&
  isCommon(a.part, b.part)

/** Two creations of the same project do not conflict, because the result is the same in either order. */
const isCreation = ({ part, isWrite }: Access): boolean => part === 'existence' && isWrite

const isCommon = (a: string, b: string): boolean => a === b || a === '*' || b === '*'

/** @param replayKeys the option or flag that makes the mock honor idempotency keys */
export const describeSteps = (steps: readonly Step[], hasNames: boolean, replayKeys: string) => {
  const requests: ExploredRequest[] = []
  const sleeps: ExploredSleep[] = []
  const keyedCalls = new Map<string, number>()
  for (const { call, fault, time, ...step } of steps) {
    const actor = hasNames ? step.actor : null
    if (call === undefined) sleeps.push({ actor, calls: requests.length, time })
    else {
      const request = call.read()
      const what = fault === undefined ? request.fault : `${fault.effect} ${fault.phase} the operation`
      const key = call.getIdempotencyKey()
      const keyedCall = keyedCalls.get(key ?? '') ?? requests.length + 1
      if (key !== undefined) keyedCalls.set(key, keyedCall)
      const notes = [describeLostChanges(call), describeRepeatedKey(call, keyedCall, replayKeys)]
      const note = notes.filter((one) => one !== undefined).join('; ') || null
      requests.push({ actor, ...request, time, fault: what, note })
    }
  }
  return { requests, sleeps }
}

/** Describes what a call changed although its client received no successful response. */
const describeLostChanges = (call: ActorCall): string | undefined => {
  const { status } = call.read()
  if (status !== null && status < 300) return undefined
  const changes = call.outcome?.changes ?? []
  const texts = changes.map(({ from, to }) => `${from === undefined ? 'created' : 'changed'} ${getId(to)}`)
  return changes.length === 0 ? undefined : [...new Set(texts)].join(', ')
}

const describeRepeatedKey = (
  { outcome, response }: ActorCall,
  keyedCall: number,
  replayKeys: string,
): string | undefined => {
  const key = `the Idempotency-Key of call ${keyedCall}`
  if (readError(response?.text)?.code === 'idempotencyKeyReused') return `${key}, with another body`
  const isIgnored = outcome?.violations.some(({ path }) => path === 'headers.idempotency-key')
  return isIgnored ? `${key}, which the mock ignores: use ${replayKeys} if the service honors it` : undefined
}

export interface Decision {
  readonly choice: Choice
  readonly fault?: CallFault | undefined
}

/** Chooses the next step. Returns undefined to stop a run that would repeat an earlier run or has left its planned path. */
export type Decide = (ready: readonly Choice[], steps: readonly Step[]) => Decision | undefined

export const takeFirst: Decide = ([choice]) => choice && { choice }

/** Returns the choices at this step in an earlier run with the same previous steps. Undefined if there is no such run. */
export type GetExpected = (step: number) => readonly Choice[] | undefined

type StepOfActor = Pick<Step, 'actor' | 'ready'>

const isChange = ({ actor }: StepOfActor, index: number, steps: readonly StepOfActor[]): boolean =>
  index > 0 && steps[index - 1]?.actor !== actor

export const countChanges = (steps: readonly StepOfActor[]): number => steps.filter(isChange).length

/** Counts the switches: changes to another actor although the previous actor could have continued. */
export const countSwitches = (steps: readonly StepOfActor[]): number =>
  steps.filter(
    (step, index) => isChange(step, index, steps) && step.ready.some(({ actor }) => actor === steps[index - 1]?.actor),
  ).length
