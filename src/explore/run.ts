// One run: its steps so far, and the calls and sleeps that wait for their turn. Used for in-process code and for programs.
import type { Access, Core } from '../core/mock/extension.ts'
import { createCustomers, type Customers } from './customers.ts'
import type { Effects } from './effects/effect.ts'
import type { ExploredEvent, RunError } from './result.ts'
import { encodeName } from './schedule-text.ts'
import { type ActorCall, type Choice, type Decide, type Decision, isCall, noteAccess, type Step } from './steps.ts'

/** Code under test: an in-process function or a program. A crash kills and restarts it. */
export interface Participant {
  readonly name: string
  /** The noun for the killed code in events, such as `the program is killed, and starts again`. */
  readonly killed: 'code' | 'program' | 'service'
  readonly start: (life: Life) => void
  /** Resolves when all code of the participant has stopped. */
  readonly kill: () => Promise<void>
  readonly hasEnded: () => boolean
  /** Identifies the next call or sleep. The id is the same in every run, and `created` is the step that led to the call. */
  readonly identify: (call: ActorCall | undefined) => Pick<Choice, 'id' | 'created'>
  /** Called with the index of a step when its call or sleep has ended. */
  readonly onStepEnd?: (step: number) => void
}

/** A participant from one start to the next. Calls and sleeps of a killed life never settle. */
export interface Life {
  readonly participant: Participant
  isKilled: boolean
}

interface PendingStepOptions {
  readonly call?: ActorCall | undefined
  /** @default the next id of the participant */
  readonly id?: string
  /** The mock time at which a sleep ends. */
  readonly until?: number
  readonly timeout?: Timeout | undefined
}

/** An `AbortSignal.timeout`: a sleep that aborts a signal when it ends. */
interface Timeout {
  /** Whether an abort could affect the code now. If not, the end of the sleep is not a choice. */
  readonly isUseful: () => boolean
  /** Whether a call that the timeout can end is open. */
  readonly hasCall: () => boolean
  readonly abort: () => void
}

interface Waiting extends PendingStepOptions, Omit<Choice, 'text'> {
  readonly id: string
  readonly call: ActorCall | undefined
  readonly life: Life
  /** How many sleeps have ended since it began to wait. */
  overtaken: number
  readonly begin: (step: Step) => Promise<void>
}

interface RunSettings {
  readonly createCore: (onAccess: ((access: Access) => void) | undefined) => Core
  /** Whether to record the reads and writes of each step. */
  readonly notesAccesses: boolean
  readonly effects: Effects
  readonly payAfterReads?: number | undefined
  readonly overtakes?: number
  /** Whether events name their participant, as they do if a run has several. */
  readonly hasNames: boolean
  /** Whether programs that drive a service may call the mock, too. Their calls get no fault. */
  readonly hasDrivers?: boolean
  /** Called if a participant that was not killed calls or sleeps after the end of the run. */
  readonly onLateCall?: (name: string) => void
}

/** `repeated` means that `decide` stopped the run. */
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
  /** By participant name. */
  readonly lives = new Map<string, Life>()
  /** The name of the effect that added each fault for several calls, by fault id. */
  readonly faultNames = new Map<string, string>()
  /** The ids of the faults that effects have added. */
  readonly addedFaults = new Set<string>()
  /** The participants that have subscribed to events. A subscription takes no turn. */
  readonly subscribers = new Set<string>()
  /** The participants that have worked in real time, as with a timer. */
  readonly workers = new Set<string>()
  /** The bodies that participants are still sending. A stream may work in real time, or call the mock meanwhile. */
  readonly openBodies = new Set<{ readonly life: Life }>()
  /** The number of calls and sleeps in progress. Excludes calls that never get a response. */
  inFlight = 0
  /** The number of calls in progress whose response depends on no other step. */
  immediate = 0
  /** Whether the run has ended. Calls and sleeps no longer get a turn then. */
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

  /** Records an access of the last step. Ignores accesses after the end of the run, which the invariant makes. */
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

  /** Restarts a participant that exited without a crash. `text` is the event. */
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
          this.#countInFlight(step, participant, () =>
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

  /**
   * Aborts the timeouts that expired during a step. If a timeout was a choice when the step began, it still gets its own step,
   * unless a command moved the clock past it.
   */
  #abortOverdue(step: Step): void {
    const now = this.core.now()
    // A timeout that ends exactly now is over only if it is older than the call or sleep of the step.
    const isOver = ({ until = 0, created, id }: Waiting) =>
      until < now || (until === now && (created - step.created || (id < step.id ? -1 : 1)) < 0)
    const wasChoice = ({ id, until = 0 }: Waiting) =>
      step.ready.some((one) => one.id === id) && (!step.call?.isImmediate() || until <= Date.parse(step.time))
    const overdue = this.#waiting.filter((one) => one.timeout !== undefined && isOver(one) && !wasChoice(one))
    this.#waiting = this.#waiting.filter((one) => !overdue.includes(one))
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
    // Treat an invalid number as zero, as `setTimeout` does.
    const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
    return this.wait(life, { until, timeout }, async () => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
    })
  }

  /** Whether the participant, or any if omitted, is sending a body. */
  readonly isSendingBody = (name?: string): boolean =>
    [...this.openBodies].some(({ life }) => !life.isKilled && (name === undefined || life.participant.name === name))

  readonly listWaiting = (name?: string): readonly Waiting[] =>
    this.#waiting.filter(({ actor }) => name === undefined || actor === name)

  /** Lists every waiting call, and the sleeps that end first, unless too many sleeps have overtaken a call. */
  listChoices(): Choice[] {
    const { overtakes = Infinity } = this.#settings
    const calls = this.#waiting.filter(isCall)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= overtakes)
    const timers = this.#waiting.filter((one) => !isCall(one) && (one.timeout?.isUseful() ?? true))
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
        .map((one, index) => ({ ...one, text: `${encodeName(name)}${toSuffix(index + 1)}` })),
    )
  }

  take({ choice, fault }: Decision, ready: readonly Choice[]): void {
    const chosen = this.#waiting.find(({ id }) => id === choice.id)
    this.#waiting = this.#waiting.filter((one) => one !== chosen)
    if (!isCall(choice)) for (const one of this.#waiting) one.overtaken++
    const time = new Date(Math.max(this.core.now(), chosen?.until ?? 0)).toISOString()
    const step: Step = { ...choice, fault, ready, prevented: new Set(), accesses: new Map(), time }
    this.steps.push(step)
    void chosen?.begin(step)
  }

  /** Notes which choices the last step prevented. `ready` lists the choices after the step. */
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

  /** Waits until a call arrives or ends, or a participant ends, for at most this many milliseconds of real time. */
  waitForChange(milliseconds: number): Promise<void> {
    return waitForWake((wake) => (this.#onChange = wake), milliseconds)
  }
}

/** Waits until `wake` is called, for at most this many milliseconds of real time. */
export const waitForWake = async (onWait: (wake: () => void) => void, milliseconds: number): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  await new Promise<void>((resolve) => {
    onWait(resolve)
    timer = setTimeout(resolve, milliseconds)
  })
  clearTimeout(timer)
}

/** Makes one choice after another until the run ends. `waitForTurn` waits until no participant can go on without a choice. */
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
