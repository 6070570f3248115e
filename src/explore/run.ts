// The state of one run: its steps so far, and the calls and sleeps that wait for their turn.
import type { Access, Core } from '../core/mock/extension.ts'
import { createCustomers, type Customers } from './customers.ts'
import type { Effects } from './effects/effect.ts'
import type { ExploredEvent, RunError } from './result.ts'
import { encodeName } from './schedule-text.ts'
import { type ActorCall, type Choice, type Decide, type Decision, isCall, noteAccess, type Step } from './steps.ts'

/** An in-process function or a program under test. A crash kills and restarts it. */
export interface Participant {
  readonly name: string
  /** The noun for the killed code in events such as `the program is killed, and starts again`. */
  readonly killed: 'code' | 'program' | 'service'
  readonly start: (life: Life) => void
  /** Resolves when all code of the participant has stopped. */
  readonly kill: () => Promise<void>
  readonly hasEnded: () => boolean
  /** Returns an id for the next call or sleep, the same in every run, and the index of the step that led to it. */
  readonly identify: (call: ActorCall | undefined) => Pick<Choice, 'id' | 'created'>
  /** Called with the index of a step after its call or sleep has ended. */
  readonly onStepEnd?: (step: number) => void
}

/** One life of a participant, from a start to the next crash or restart. Calls and sleeps of a killed life never settle. */
export interface Life {
  readonly participant: Participant
  isKilled: boolean
}

interface PendingStepOptions {
  readonly call?: ActorCall | undefined
  /** The id of the choice. @default the next id of the participant */
  readonly id?: string
  /** The mock time at which a sleep ends, in milliseconds since 1970. */
  readonly until?: number
  readonly timeout?: Timeout | undefined
}

/** An `AbortSignal.timeout`: a sleep that aborts a signal when it ends. */
interface Timeout {
  /** Whether an abort could affect the code now. If not, the search cannot choose the timeout. */
  readonly isUseful: () => boolean
  /** Whether the timeout could end an open call. */
  readonly hasCall: () => boolean
  readonly abort: () => void
}

interface Waiting extends PendingStepOptions, Omit<Choice, 'text'> {
  readonly id: string
  readonly call: ActorCall | undefined
  readonly life: Life
  /** How many sleeps have ended since this call or sleep began to wait. */
  overtaken: number
  readonly begin: (step: Step) => Promise<void>
}

interface RunSettings {
  readonly createCore: (onAccess: ((access: Access) => void) | undefined) => Core
  readonly notesAccesses: boolean
  readonly effects: Effects
  readonly payAfterReads?: number | undefined
  readonly overtakes?: number
  /** Whether events name their participant. False in `explore`, which has only one. */
  readonly hasNames: boolean
  /** Whether programs that drive a service may also call the mock. Their calls get no faults. */
  readonly hasDrivers?: boolean
  /** Called if a participant that was not killed calls or sleeps after the end of the run. */
  readonly onLateCall?: (name: string) => void
}

/** How a run ended. `repeated` means that `decide` stopped it. */
export type RunEnd = 'ended' | 'repeated' | RunError

export const clockRead: Access = { project: '*', part: 'clock', isWrite: false }

// Captured at import, because tests may install fake timers later.
const { setTimeout, clearTimeout } = globalThis

export class Run {
  readonly core: Core
  readonly customers: Customers
  readonly effects: Effects
  readonly hasDrivers: boolean
  readonly steps: Step[] = []
  readonly events: ExploredEvent[] = []
  /** The current life of each participant, by name. */
  readonly lives = new Map<string, Life>()
  /** The effect names of faults that apply to several calls, by fault id. */
  readonly faultNames = new Map<string, string>()
  /** The ids of the faults that effects have added. */
  readonly addedFaults = new Set<string>()
  /** The participants that have subscribed to events. A subscription does not wait for a turn. */
  readonly subscribers = new Set<string>()
  /** The participants that have worked in real time, for example with a timer. */
  readonly workers = new Set<string>()
  /** The bodies that participants are still sending. A stream may work in real time or call the mock meanwhile. */
  readonly openBodies = new Set<{ readonly life: Life }>()
  /** The number of chosen calls and sleeps in progress. Excludes calls that never get a response. */
  inFlight = 0
  /** The number of calls in progress whose response does not depend on other steps. */
  immediate = 0
  /** Whether the run has ended. Later calls and sleeps get no turn. */
  isOver = false
  readonly #settings: RunSettings
  #waiting: Waiting[] = []
  #onChange = () => {}

  constructor(settings: RunSettings) {
    this.#settings = settings
    this.effects = settings.effects
    this.hasDrivers = settings.hasDrivers ?? false
    this.core = settings.createCore(settings.notesAccesses ? this.note : undefined)
    this.customers = createCustomers(this.core, settings)
  }

  /** Records an access by the last step. Ignores accesses after the end of the run, because the invariant makes them. */
  readonly note = (access: Access): void => {
    if (!this.isOver) noteAccess(this.steps.at(-1), access)
  }

  start(participant: Participant): void {
    const life = { participant, isKilled: false }
    this.lives.set(participant.name, life)
    participant.start(life)
  }

  async crash(life: Life, step: Step): Promise<void> {
    this.#forget(life)
    await life.participant.kill()
    this.addEvent(step, `the ${life.participant.killed} is killed, and starts again`)
    this.start(life.participant)
  }

  /** Restarts a participant that exited by itself. `text` describes the event. */
  restart(life: Life, text: string): void {
    this.#forget(life)
    const step = this.steps.at(-1)
    if (step !== undefined) this.addEvent(step, text)
    this.start(life.participant)
  }

  #forget(life: Life): void {
    life.isKilled = true
    this.#waiting = this.#waiting.filter((waiting) => waiting.life !== life)
  }

  /** Waits until the search chooses this call or sleep, then calls `begin`. */
  wait<T>(life: Life, waitingFor: PendingStepOptions, begin: (step: Step) => Promise<T>): Promise<T> {
    const { participant } = life
    return new Promise<T>((resolve, reject) => {
      if (this.isOver && !life.isKilled) this.#settings.onLateCall?.(participant.name)
      if (this.isOver || life.isKilled) return
      this.#waiting.push({
        call: undefined,
        ...participant.identify(waitingFor.call),
        ...waitingFor,
        actor: participant.name,
        life,
        overtaken: 0,
        begin: (step) =>
          this.#runStep(step, participant, () =>
            begin(step)
              .finally(() => this.#abortOverdue(step))
              .then(
                (value) => life.isKilled || resolve(value),
                (error: unknown) => life.isKilled || reject(error),
              ),
          ),
      })
      this.wake()
    })
  }

  async #runStep(step: Step, participant: Participant, begin: () => Promise<unknown>): Promise<void> {
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

  /**
   * Aborts the timeouts that expired during a step. A timeout that the search could have chosen instead of this step still gets
   * a step later, unless a command moved the clock past it.
   */
  #abortOverdue(step: Step): void {
    const now = this.core.now()
    // A timeout that ends exactly now has expired only if it is older than the call or sleep of the step.
    const hasExpired = (waiting: Waiting) => waiting.until! < now || (waiting.until === now && isOlder(waiting, step))
    const wasChoice = ({ id, until = 0 }: Waiting) =>
      step.ready.some((choice) => choice.id === id) && (!step.call?.isImmediate() || until <= Date.parse(step.time))
    const overdue = this.#waiting.filter((item) => item.timeout !== undefined && hasExpired(item) && !wasChoice(item))
    this.#waiting = this.#waiting.filter((waiting) => !overdue.includes(waiting))
    for (const { timeout } of overdue.toSorted((a, b) => a.until! - b.until!)) timeout?.abort()
  }

  /** Removes the faults that effects have added, so that they do not apply to the invariant. */
  async removeAddedFaults(): Promise<void> {
    const added = this.core.listFaults().filter(({ id }) => this.addedFaults.has(id))
    for (const { id } of added) await this.core.client.call('removeFault', { params: { fault: id } })
  }

  sleep(life: Life, milliseconds: number, timeout?: Timeout): Promise<void> {
    const { core } = this
    this.note(clockRead)
    // Treat NaN as zero instead of throwing, because `setTimeout` does not throw either.
    const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
    return this.wait(life, { until, timeout }, async () => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
    })
  }

  /** Whether the named participant is sending a body. Without a name, whether any participant is. */
  readonly isSendingBody = (name?: string): boolean =>
    [...this.openBodies].some(({ life }) => !life.isKilled && (name === undefined || life.participant.name === name))

  readonly listWaiting = (name?: string): readonly Waiting[] =>
    this.#waiting.filter(({ actor }) => name === undefined || actor === name)

  /** Lists all waiting calls, and the sleeps that end first. Omits the sleeps if a waiting call was overtaken too often. */
  listChoices(): Choice[] {
    const { overtakes = Infinity } = this.#settings
    const calls = this.#waiting.filter(isCall)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= overtakes)
    const timers = this.#waiting.filter((waiting) => !isCall(waiting) && (waiting.timeout?.isUseful() ?? true))
    const first = Math.min(...timers.map(({ until = Infinity }) => until))
    const sleeps = timers.filter(({ until }) => !isOvertaken && until === first)
    return [
      ...this.#addTexts(calls, (position) => (position === 1 ? '' : `:${position}`)),
      ...this.#addTexts(sleeps, (position) => (position === 1 ? ':sleep' : `:sleep${position}`)),
    ]
  }

  #addTexts(list: readonly Waiting[], toSuffix: (position: number) => string): Choice[] {
    return [...this.lives.keys()].flatMap((name) =>
      list
        .filter(({ actor }) => actor === name)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .map((waiting, index) => ({ ...waiting, text: `${encodeName(name)}${toSuffix(index + 1)}` })),
    )
  }

  take({ choice, fault }: Decision, ready: readonly Choice[]): void {
    const chosen = this.#waiting.find(({ id }) => id === choice.id)
    this.#waiting = this.#waiting.filter((waiting) => waiting !== chosen)
    if (!isCall(choice)) for (const waiting of this.#waiting) waiting.overtaken++
    const time = new Date(Math.max(this.core.now(), chosen?.until ?? 0)).toISOString()
    const step: Step = { ...choice, fault, ready, prevented: new Set(), accesses: new Map(), time }
    this.steps.push(step)
    void chosen?.begin(step)
  }

  /** Records which choices the last step prevented. `ready` lists the choices after that step. */
  notePrevented(ready: readonly Choice[]): void {
    const last = this.steps.at(-1)
    if (last === undefined) return
    const left = new Set([last, ...ready].map(({ id }) => id))
    last.prevented = new Set(last.ready.flatMap(({ id }) => (left.has(id) ? [] : [id])))
  }

  /** Adds an event after the call of the step, or before the call if `time` is given. */
  addEvent(step: Step, text: string, time?: string): void {
    const calls = this.steps.slice(0, this.steps.indexOf(step) + (time === undefined ? 1 : 0)).filter(isCall).length
    const actor = this.#settings.hasNames ? step.actor : null
    this.events.push({ actor, calls, time: time ?? new Date(this.core.now()).toISOString(), text })
  }

  readonly wake = (): void => this.#onChange()

  /** Waits for a call to arrive or end, or for a participant to end, for at most this many milliseconds of real time. */
  waitForChange(milliseconds: number): Promise<void> {
    return waitForWake((wake) => (this.#onChange = wake), milliseconds)
  }
}

type CreationOrder = Pick<Choice, 'created' | 'id'>

const isOlder = (a: CreationOrder, b: CreationOrder): boolean =>
  a.created < b.created || (a.created === b.created && a.id < b.id)

/** Waits until `wake` is called, for at most this many milliseconds of real time. */
export const waitForWake = async (onWait: (wake: () => void) => void, milliseconds: number): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  await new Promise<void>((resolve) => {
    onWait(resolve)
    timer = setTimeout(resolve, milliseconds)
  })
  clearTimeout(timer)
}

/** Makes choices until the run ends. `waitForTurn` waits until no participant can continue without a choice. */
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
