// The calls and sleeps of the actors in a run, which wait for their turn, and the steps of those that had it.
import type { Access, OnAccess } from '../../domain/projects.ts'
import type { OperationId } from '../../schema/operation-routes.ts'
import type { ParsedSearch } from './options.ts'
import type { ExploredRequest } from './result.ts'
import { type CallFault, encodeName } from './schedule-text.ts'

/** A call of an actor. It is read at the end of the run, when its response is known. */
export interface ActorCall {
  readonly read: () => Omit<ExploredRequest, 'actor' | 'time'>
  /** The operation of the mocked API, which a fault can match. Undefined for other calls. */
  readonly getOperation: () => OperationId | undefined
}

/** A call or a sleep that waits for its turn. */
export interface Choice {
  /** The actor and the number of the call or sleep in it. Other orders do not change it. */
  readonly id: string
  readonly actor: string
  /** The choice in the text of a schedule. */
  readonly text: string
  /** The step that created the call or sleep. -1: the start of the run. */
  readonly created: number
  readonly isSleep: boolean
  /** Undefined for a sleep. */
  readonly call: ActorCall | undefined
}

/** A choice that was made: a call went to the mock, or a sleep ended. */
export interface Step extends Choice {
  readonly fault: CallFault | undefined
  /** The choices there were. */
  readonly ready: readonly Choice[]
  /** The reads and writes of the step, if the search needs them. */
  readonly accesses: Map<string, Access>
  /** When it was, by the mock clock. */
  readonly time: string
}

interface Waiting extends Omit<Choice, 'text'> {
  /** When a sleep ends. Undefined for a call. */
  readonly until: number | undefined
  /** The signal that a timeout aborts, which matters only to calls. Undefined for a call and a sleep. */
  readonly timeout: AbortSignal | undefined
  /** How many sleeps have ended since the call waits. */
  overtaken: number
  readonly start: (fault: CallFault | undefined, isAwaited: boolean) => void
}

export class Turns {
  readonly steps: Step[] = []
  /** How many calls and sleeps have started and not ended. */
  inFlight = 0
  /** After the end of its run, client code gets no further. */
  hasEnded = false
  #waiting: Waiting[] = []
  /** The calls without a response: the actor of each, and the signal that it was given. */
  readonly #open = new Set<{ readonly actor: string; readonly signal: AbortSignal | undefined }>()
  readonly #givenSignals = new WeakSet<AbortSignal>()
  readonly #ended = new Set<string>()
  readonly #issued = new Map<string, number>()
  readonly #given: ParsedSearch
  readonly #wake: () => void

  constructor(given: ParsedSearch, wake: () => void) {
    this.#given = given
    this.#wake = wake
  }

  /** Notes what the last step reads or writes. */
  readonly note: OnAccess = (access) =>
    void this.steps.at(-1)?.accesses.set(`${access.project} ${access.part} ${access.isWrite}`, access)

  /** Waits for the turn of a call, or of a sleep until a time, and then starts the call or what ends the sleep. */
  wait<T>(
    actor: string,
    waitingFor: { call: ActorCall } | { until: number; timeout?: AbortSignal | undefined },
    start: (fault: CallFault | undefined) => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.hasEnded) return
      const number = (this.#issued.get(actor) ?? 0) + 1
      this.#issued.set(actor, number)
      const startNow = async (fault: CallFault | undefined, isAwaited: boolean) => {
        if (isAwaited) this.inFlight++
        await Promise.resolve(fault).then(start).then(resolve, reject)
        if (isAwaited) this.inFlight--
        this.#wake()
      }
      this.#waiting.push({
        call: undefined,
        until: undefined,
        timeout: undefined,
        ...waitingFor,
        id: `${encodeName(actor)}#${number}`,
        actor,
        created: this.steps.length - 1,
        isSleep: 'until' in waitingFor,
        overtaken: 0,
        start: (fault, isAwaited) => void startNow(fault, isAwaited),
      })
      this.#wake()
    })
  }

  /** Notes that a call has no response until the promise settles. `signal` is undefined if it is part of a `Request`. */
  holdOpen<T>(actor: string, signal: AbortSignal | undefined, response: Promise<T>): Promise<T> {
    const call = { actor, signal }
    this.#open.add(call)
    if (signal !== undefined) this.#givenSignals.add(signal)
    return response.finally(() => this.#open.delete(call))
  }

  /** Notes that an actor has ended: nobody waits for its timeouts any more. */
  end(actor: string): void {
    this.#ended.add(actor)
  }

  /** Lists the choices: each call that waits, and the sleeps that end first. */
  listChoices(): Choice[] {
    const calls = this.#waiting.filter(({ isSleep }) => !isSleep)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= this.#given.overtakes)
    const timers = this.#waiting.filter(
      ({ isSleep, timeout, actor }) => isSleep && (timeout === undefined || this.#mayTimeOut(actor, timeout)),
    )
    const first = Math.min(...timers.map(({ until = Infinity }) => until))
    const sleeps = timers.filter(({ until }) => !isOvertaken && until === first)
    return [
      ...this.#name(calls, (position) => (position === 1 ? '' : `:${position}`)),
      ...this.#name(sleeps, (position) => (position === 1 ? ':sleep' : `:sleep${position}`)),
    ]
  }

  /** A timeout matters while a call with its signal has no response, or to an actor that waits for nothing else. */
  #mayTimeOut(actor: string, timeout: AbortSignal): boolean {
    if (this.#ended.has(actor)) return false
    // Unless it was given to a call, it may be part of the signal of any call.
    const isPart = !this.#givenSignals.has(timeout)
    for (const call of this.#open) if (call.signal === timeout || (isPart && call.actor === actor)) return true
    return this.#waiting.every((one) => one.timeout !== undefined || one.actor !== actor)
  }

  /** Adds the texts to choices: the name of the actor, and the position among its choices. */
  #name(list: readonly Waiting[], toSuffix: (position: number) => string): Choice[] {
    return Object.keys(this.#given.actors).flatMap((actor) =>
      list
        .filter((one) => one.actor === actor)
        .map((one, index) => ({ ...one, text: `${encodeName(actor)}${toSuffix(index + 1)}` })),
    )
  }

  /** Makes a choice. `now` is the time of the mock clock. */
  take(choice: Choice, fault: CallFault | undefined, ready: readonly Choice[], now: number): void {
    const { start, until = 0 } = this.#waiting.find(({ id }) => id === choice.id)!
    this.#waiting = this.#waiting.filter(({ id }) => id !== choice.id)
    if (choice.isSleep) for (const one of this.#waiting) one.overtaken++
    this.steps.push({
      ...choice,
      fault,
      ready,
      accesses: new Map(),
      time: new Date(Math.max(now, until)).toISOString(),
    })
    // A connection that hangs never ends its call.
    start(fault, fault === undefined || this.#given.effects[fault.effect]?.connection !== 'hang')
  }
}

/** Returns true if the order of two steps may matter. */
export const isDependent = (a: Step, b: Step): boolean => {
  // A sleep changes the time of everything, and whether other sleeps can end.
  if (a.actor === b.actor || a.isSleep || b.isSleep) return true
  for (const one of a.accesses.values()) for (const other of b.accesses.values()) if (conflict(one, other)) return true
  return false
}

const conflict = (a: Access, b: Access): boolean =>
  (a.isWrite || b.isWrite) &&
  isCommon(a.project, b.project) &&
  (isCommon(a.part, b.part) || changesTime(a) || changesTime(b))

const isCommon = (a: string, b: string): boolean => a === b || a === '*' || b === '*'

/** Every call reads the clock. */
const changesTime = ({ part, isWrite }: Access): boolean => isWrite && part === 'clock'
