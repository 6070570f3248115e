// The calls and sleeps of the actors in a run, which wait for their turn, and the steps of those that had it.
import type { Access } from '../../mock/extension.ts'
import type { ParsedSearch } from './options.ts'
import { type CallFault, encodeName } from './schedule-text.ts'
import { type ActorCall, type Choice, noteAccess, type Step } from './steps.ts'

/** One start of the code of an actor. A crash ends it: nothing of it continues, and the actor starts again. */
export interface Life {
  readonly actor: string
  hasCrashed: boolean
}

interface Waiting extends Omit<Choice, 'text'> {
  readonly life: Life
  /** When a sleep ends. Undefined for a call. */
  readonly until: number | undefined
  /** The signal that a timeout aborts, which matters only to calls. Undefined for a call and a sleep. */
  readonly timeout: AbortSignal | undefined
  /** How many sleeps have ended since the call waits. */
  overtaken: number
  readonly start: (fault: CallFault | undefined) => void
}

export class Turns {
  readonly steps: Step[] = []
  /** The actors that have not ended. */
  readonly running: Set<string>
  /** How many calls and sleeps have started and not ended. */
  inFlight = 0
  /** After the end of its run, client code gets no further. */
  hasEnded = false
  #waiting: Waiting[] = []
  /** The calls without a response: the actor of each, and the signal that it was given. */
  readonly #open = new Set<{ readonly life: Life; readonly signal: AbortSignal | undefined }>()
  readonly #givenSignals = new WeakSet<AbortSignal>()
  readonly #issued = new Map<string, number>()
  readonly #given: ParsedSearch
  readonly #wake: () => void

  constructor(given: ParsedSearch, wake: () => void) {
    this.#given = given
    this.running = new Set(Object.keys(given.actors))
    this.#wake = wake
  }

  /** Notes what the last step reads or writes. */
  readonly note = (access: Access): void => noteAccess(this.steps.at(-1), access)

  /** How many calls have had their turn. */
  countCalls(): number {
    return this.steps.filter(({ call }) => call !== undefined).length
  }

  /** Waits for the turn of a call, or of a sleep until a time, and then starts the call or what ends the sleep. */
  wait<T>(
    life: Life,
    waitingFor: { call: ActorCall } | { until: number; timeout?: AbortSignal | undefined },
    start: (fault: CallFault | undefined) => Promise<T>,
  ): Promise<T> {
    const { actor } = life
    return new Promise<T>((resolve, reject) => {
      if (this.hasEnded || life.hasCrashed) return
      const number = (this.#issued.get(actor) ?? 0) + 1
      this.#issued.set(actor, number)
      const startNow = async (fault: CallFault | undefined) => {
        const effect = this.#given.effects[fault?.effect ?? '']
        // A connection that hangs never ends its call.
        const count = typeof effect === 'object' && effect.connection === 'hang' ? 0 : 1
        this.inFlight += count
        await Promise.resolve(fault)
          .then(start)
          .then(
            (value) => life.hasCrashed || resolve(value),
            (error: unknown) => life.hasCrashed || reject(error),
          )
        this.inFlight -= count
        this.#wake()
      }
      this.#waiting.push({
        call: undefined,
        until: undefined,
        timeout: undefined,
        ...waitingFor,
        id: `${encodeName(actor)}#${number}`,
        actor,
        life,
        created: this.steps.length - 1,
        overtaken: 0,
        start: (fault) => void startNow(fault),
      })
      this.#wake()
    })
  }

  /** Ends a life: its calls and sleeps never have their turn. */
  crash(life: Life): void {
    life.hasCrashed = true
    this.#waiting = this.#waiting.filter((one) => one.life !== life)
    for (const call of this.#open) if (call.life === life) this.#open.delete(call)
  }

  /** Notes that a call has no response until the promise settles. `signal` is undefined if it is part of a `Request`. */
  holdOpen<T>(life: Life, signal: AbortSignal | undefined, response: Promise<T>): Promise<T> {
    const call = { life, signal }
    this.#open.add(call)
    if (signal !== undefined) this.#givenSignals.add(signal)
    return response.finally(() => this.#open.delete(call))
  }

  /** Lists the choices: each call that waits, and the sleeps that end first. */
  listChoices(): Choice[] {
    const calls = this.#waiting.filter(({ call }) => call !== undefined)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= this.#given.overtakes)
    const timers = this.#waiting.filter(
      ({ call, timeout, actor }) => call === undefined && (timeout === undefined || this.#mayTimeOut(actor, timeout)),
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
    // Nobody waits for the timeouts of an actor that has ended.
    if (!this.running.has(actor)) return false
    // Unless it was given to a call, it may be part of the signal of any call.
    const isPart = !this.#givenSignals.has(timeout)
    for (const call of this.#open) if (call.signal === timeout || (isPart && call.life.actor === actor)) return true
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
    const chosen = this.#waiting.find(({ id }) => id === choice.id)
    this.#waiting = this.#waiting.filter((one) => one !== chosen)
    if (choice.call === undefined) for (const one of this.#waiting) one.overtaken++
    this.steps.push({
      ...choice,
      fault,
      ready,
      accesses: new Map(),
      time: new Date(Math.max(now, chosen?.until ?? 0)).toISOString(),
    })
    chosen?.start(fault)
  }
}
