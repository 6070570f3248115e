// One run: the calls and sleeps of its participants, which wait for their turn, and the steps so far. A participant is a function
// in this process or a program: the run does not know which.
import type { Access, Core } from '../core/mock/extension.ts'
import { createCustomers, type Customers } from './customers.ts'
import type { Effects } from './effects/effect.ts'
import type { ExploredEvent, RunError } from './result.ts'
import { encodeName } from './schedule-text.ts'
import { type ActorCall, type Choice, type Decide, type Decision, isCall, noteAccess, type Step } from './steps.ts'

/** Code under test: a function in this process, or a program. A crash kills it, and starts it again. */
export interface Participant {
  readonly name: string
  /** The word for this participant in the event of a crash. */
  readonly killed: 'code' | 'program' | 'service'
  /** Starts its code. */
  readonly start: (life: Life) => void
  /** Kills its code. Resolves when nothing of it runs. */
  readonly kill: () => Promise<void>
  readonly hasEnded: () => boolean
  /** Returns what identifies its next call or sleep in every run, and the step that caused it. */
  readonly identify: (call: ActorCall | undefined) => Pick<Choice, 'id' | 'created'>
  /** Is called when its call or sleep has ended. */
  readonly onStepEnd?: (step: number) => void
}

/** One start of a participant. After it is killed, its calls and sleeps never end. */
export interface Life {
  readonly participant: Participant
  isKilled: boolean
}

interface WaitingFor {
  readonly call?: ActorCall | undefined
  /** When a sleep ends. */
  readonly until?: number
  /** Whether a sleep matters now. @default always */
  readonly isUseful?: (() => boolean) | undefined
}

interface Waiting extends WaitingFor, Omit<Choice, 'text'> {
  readonly call: ActorCall | undefined
  readonly life: Life
  /** How many sleeps have ended since it waits. */
  overtaken: number
  readonly begin: (step: Step) => Promise<void>
}

interface RunSettings {
  readonly createCore: (onAccess: ((access: Access) => void) | undefined) => Core
  /** Whether the search needs the reads and writes of each step. */
  readonly notesAccesses: boolean
  readonly effects: Effects
  readonly payAfterReads?: number | undefined
  /** How many sleeps may end while a call waits. */
  readonly overtakes?: number
  /** Whether events have the names of participants. */
  readonly hasNames: boolean
}

/** How a run ended. `repeated`: it would repeat another one. */
export type RunEnd = 'ended' | 'repeated' | RunError

/** The access of code that looks at the clock. */
export const clockRead: Access = { project: '*', part: 'clock', isWrite: false }

// Kept from the import on: clients may run under fake timers.
const { setTimeout, clearTimeout } = globalThis

export class Run {
  /** The mock of the run. */
  readonly core: Core
  readonly customers: Customers
  readonly effects: Effects
  readonly steps: Step[] = []
  readonly events: ExploredEvent[] = []
  /** The last start of each participant, by its name. */
  readonly lives = new Map<string, Life>()
  /** The effects whose faults apply to several calls, by the id of the fault. */
  readonly faultNames = new Map<string, string>()
  /** How many calls and sleeps have begun and not ended. */
  inFlight = 0
  /** How many of them are calls whose response needs no other choice. */
  immediate = 0
  /** Whether no participant gets further. */
  isOver = false
  readonly #settings: RunSettings
  #waiting: Waiting[] = []
  #onChange = () => {}

  constructor(settings: RunSettings) {
    this.#settings = settings
    this.effects = settings.effects
    this.core = settings.createCore(settings.notesAccesses ? this.note : undefined)
    this.customers = createCustomers(this.core, settings)
  }

  /** Notes what the last step reads or writes. What the invariant reads belongs to no step. */
  readonly note = (access: Access): void => {
    if (!this.isOver) noteAccess(this.steps.at(-1), access)
  }

  start(participant: Participant): void {
    const life = { participant, isKilled: false }
    this.lives.set(participant.name, life)
    participant.start(life)
  }

  /** Kills a participant at one of its steps, and starts it again. */
  async crash(life: Life, step: Step): Promise<void> {
    this.#forget(life)
    await life.participant.kill()
    this.addEvent(step, `the ${life.participant.killed} is killed, and starts again`)
    this.start(life.participant)
  }

  /** Restarts a participant whose code has exited. `text` describes the event. */
  restart(life: Life, text: string): void {
    this.#forget(life)
    const step = this.steps.at(-1)
    if (step !== undefined) this.addEvent(step, text)
    this.start(life.participant)
  }

  #forget(life: Life): void {
    life.isKilled = true
    this.#waiting = this.#waiting.filter((one) => one.life !== life)
  }

  /** Waits for the turn of a call, or of a sleep until a time, and then begins it. */
  wait<T>(life: Life, waitingFor: WaitingFor, begin: (step: Step) => Promise<T>): Promise<T> {
    const { participant } = life
    return new Promise<T>((resolve, reject) => {
      if (this.isOver || life.isKilled) return
      this.#waiting.push({
        call: undefined,
        ...waitingFor,
        ...participant.identify(waitingFor.call),
        actor: participant.name,
        life,
        overtaken: 0,
        begin: (step) =>
          this.#countInFlight(step, participant, () =>
            begin(step).then(
              (value) => life.isKilled || resolve(value),
              (error: unknown) => life.isKilled || reject(error),
            ),
          ),
      })
      this.wake()
    })
  }

  async #countInFlight(step: Step, participant: Participant, begin: () => Promise<unknown>): Promise<void> {
    const index = this.steps.length - 1
    const count = this.effects[step.fault?.effect ?? '']?.isEndless ? 0 : 1
    const immediate = step.call?.isImmediate() ? 1 : 0
    this.inFlight += count
    this.immediate += immediate
    await begin()
    participant.onStepEnd?.(index)
    this.inFlight -= count
    this.immediate -= immediate
    this.wake()
  }

  /** Sleeps by the clock of the mock. `isUseful` returns whether the end of the sleep matters now. */
  sleep(life: Life, milliseconds: number, isUseful?: () => boolean): Promise<void> {
    const { core } = this
    this.note(clockRead)
    // As for a timer, an invalid number means zero.
    const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
    return this.wait(life, { until, isUseful }, async () => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
    })
  }

  /** Lists the calls and sleeps that wait: those of one participant, or all. */
  listWaiting(name?: string): readonly Waiting[] {
    return this.#waiting.filter(({ actor }) => name === undefined || actor === name)
  }

  /** Lists the choices: each call that waits, and the sleeps that end first. */
  listChoices(): Choice[] {
    const { overtakes = Infinity } = this.#settings
    const calls = this.#waiting.filter(isCall)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= overtakes)
    const timers = this.#waiting.filter((one) => !isCall(one) && (one.isUseful?.() ?? true))
    const first = Math.min(...timers.map(({ until = Infinity }) => until))
    const sleeps = timers.filter(({ until }) => !isOvertaken && until === first)
    return [
      ...this.#name(calls, (position) => (position === 1 ? '' : `:${position}`)),
      ...this.#name(sleeps, (position) => (position === 1 ? ':sleep' : `:sleep${position}`)),
    ]
  }

  /** Adds the texts to choices: the name of the participant, and the position among its choices. */
  #name(list: readonly Waiting[], toSuffix: (position: number) => string): Choice[] {
    return [...this.lives.keys()].flatMap((name) =>
      list
        .filter(({ actor }) => actor === name)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((one, index) => ({ ...one, text: `${encodeName(name)}${toSuffix(index + 1)}` })),
    )
  }

  /** Makes a choice. */
  take({ choice, fault }: Decision, ready: readonly Choice[]): void {
    const chosen = this.#waiting.find(({ id }) => id === choice.id)
    this.#waiting = this.#waiting.filter((one) => one !== chosen)
    if (!isCall(choice)) for (const one of this.#waiting) one.overtaken++
    const time = new Date(Math.max(this.core.now(), chosen?.until ?? 0)).toISOString()
    const step: Step = { ...choice, fault, ready, prevented: new Set(), accesses: new Map(), time }
    this.steps.push(step)
    void chosen?.begin(step)
  }

  /** Notes which choices the last step has prevented. `ready` are those that there are now. */
  notePrevented(ready: readonly Choice[]): void {
    const last = this.steps.at(-1)
    if (last === undefined) return
    const left = new Set([last, ...ready].map(({ id }) => id))
    last.prevented = new Set(last.ready.flatMap(({ id }) => (left.has(id) ? [] : [id])))
  }

  /** Notes an event: before the call of a step if `time` is that of the step, otherwise after it. */
  addEvent(step: Step, text: string, time?: string): void {
    const calls = this.steps.slice(0, this.steps.indexOf(step) + (time === undefined ? 1 : 0)).filter(isCall).length
    const actor = this.#settings.hasNames ? step.actor : null
    this.events.push({ actor, calls, time: time ?? new Date(this.core.now()).toISOString(), text })
  }

  /** Ends `waitForChange`. */
  readonly wake = (): void => this.#onChange()

  /** Waits until a call comes or ends or a participant ends, at most for some milliseconds of real time. */
  waitForChange(milliseconds: number): Promise<void> {
    return waitForWake((wake) => (this.#onChange = wake), milliseconds)
  }
}

/** Waits until `wake` is called, at most for some milliseconds of real time. */
export const waitForWake = async (onWait: (wake: () => void) => void, milliseconds: number): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  await new Promise<void>((resolve) => {
    onWait(resolve)
    timer = setTimeout(resolve, milliseconds)
  })
  clearTimeout(timer)
}

/**
 * Makes choices until the run has ended.
 *
 * @param waitForTurn waits until no participant gets further without a choice; returns the choices, or how the run ended
 */
export const takeTurns = async (
  run: Run,
  decide: Decide,
  waitForTurn: () => Promise<{ readonly ready: readonly Choice[] } | { readonly end: RunEnd }>,
): Promise<RunEnd> => {
  for (;;) {
    const turn = await waitForTurn()
    run.notePrevented('end' in turn ? [] : turn.ready)
    if ('end' in turn) return turn.end
    const decision = decide(turn.ready, run.steps)
    if (decision === undefined) return 'repeated'
    run.take(decision, turn.ready)
  }
}
