// The calls and sleeps of the actors in a run, which wait for their turn, and the steps of those that had it.
import type { OnAccess } from '../../domain/transaction.ts'
import type { Access, ActorCall } from './explored-request.ts'
import type { ParsedSearch } from './options.ts'
import { type CallFault, encodeName } from './schedule-text.ts'
import type { SearchClock } from './search-clock.ts'

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

/** Starts a call, or ends a sleep. */
type Start<T> = (fault: CallFault | undefined) => T | Promise<T>

interface Waiting extends Omit<Choice, 'text'> {
  /** When a sleep ends. Undefined for a call. */
  readonly until: number | undefined
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
  readonly #issued = new Map<string, number>()
  readonly #given: ParsedSearch
  readonly #wake: () => void

  constructor(given: ParsedSearch, { wake }: Pick<SearchClock, 'wake'>) {
    this.#given = given
    this.#wake = wake
  }

  /** Notes what the last step reads or writes. */
  readonly note: OnAccess = (access) =>
    void this.steps.at(-1)?.accesses.set(`${access.project} ${access.part} ${access.isWrite}`, access)

  /** Waits for the turn of a call, or of a sleep until a time, and then starts the call or what ends the sleep. */
  wait<T>(actor: string, waitingFor: { call: ActorCall } | { until: number }, start: Start<T>): Promise<T> {
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

  /** Lists the choices: each call that waits, and the sleeps that end first. */
  listChoices(): Choice[] {
    const calls = this.#waiting.filter(({ isSleep }) => !isSleep)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= this.#given.overtakes)
    const first = Math.min(...this.#waiting.map(({ until = Infinity }) => until))
    const sleeps = this.#waiting.filter(({ until }) => !isOvertaken && until === first)
    return [
      ...this.#name(calls, (position) => (position === 1 ? '' : `:${position}`)),
      ...this.#name(sleeps, (position) => (position === 1 ? ':sleep' : `:sleep${position}`)),
    ]
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
