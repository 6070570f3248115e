// The state of a run of programs: its programs, the calls that wait, and the steps so far.
import type { Access, Core } from '../../../mock/extension.ts'
import { createCustomers, type Customers, type ProjectRecords } from '../customers.ts'
import { type ExploredEvent, type ExploredRequest, getMessage } from '../result.ts'
import { type ActorCall, type Choice, type GetExpected, noteAccess, type Step } from '../steps.ts'
import {
  type EndedProgram,
  type ProgramEnd,
  ProgramError,
  type ProgramParts,
  type RunningProgram,
} from './program-types.ts'

export interface RunOptions extends ProgramParts {
  readonly run: number
  readonly address: string
  /** The runs in progress, by the name of their sandbox. */
  readonly runs: Map<string, RunState>
  /** Whether the output of the programs goes to the terminal. */
  readonly isShown: boolean
  /** Whether calls wait until each program has one. Otherwise each call passes at once. */
  readonly isOrdered: boolean
  /** The programs that have sent several calls at the same time, and how long to wait for another one, in milliseconds. */
  readonly graces: Map<string, number>
  /** The order in which the programs of a run without a fault run one after the other. Undefined: they start together. */
  readonly order: readonly string[] | undefined
  /** The largest numbers of records that a run without a fault had at the same time, by what they are. */
  readonly peaks: Map<string, number>
  readonly getExpected: GetExpected
}

/** How long to wait at first for another call of a program that sends several at the same time, in milliseconds. */
export const minGrace = 50

interface HeldCall {
  readonly choice: Omit<Choice, 'text'> & { readonly call: ActorCall }
  /** Whether it could have been chosen before. */
  wasOffered: boolean
  readonly proceed: (step: Step) => void
}

/** A program in a run. It may be killed and started again. */
export class Member {
  readonly name: string
  /** How it ended. Undefined while it runs. */
  end: ProgramEnd | undefined
  waiting: HeldCall[] = []
  /** When it last did something, by the clock of the machine. */
  active = performance.now()
  isPassedOver = false
  isCrashing = false
  /** The last step of it that has its response. */
  last = -1
  readonly #occurrences = new Map<string, number>()
  readonly #state: RunState
  readonly #startProgram: () => RunningProgram
  /** Its last start. */
  #running: RunningProgram
  /** The output of the starts before. */
  #output: readonly string[] = []

  constructor(state: RunState, name: string, startProgram: () => RunningProgram) {
    this.name = name
    this.#state = state
    this.#startProgram = startProgram
    this.#running = this.#start((error) => (state.failure ??= error))
  }

  /** Starts it. `onFailure` is called if it cannot be started. */
  #start(onFailure: (error: unknown) => void): RunningProgram {
    const state = this.#state
    const running = this.#startProgram()
    this.active = performance.now()
    const noteEnd = (end: ProgramEnd) => {
      // The end of a killed program is not that of the restarted one.
      if (this.#running !== running || this.isCrashing) return
      this.end = this.#addOutput(end)
      if (!state.options.isOrdered) return
      if (this.waiting.length > 0) state.giveUp('a program ended while one of its calls waited')
      if (end.escaped.length > 0)
        state.giveUp(`a process outlived its program, and was ended with it: ${end.escaped.join(', ')}`)
    }
    void running.ended.then(noteEnd, onFailure).finally(state.wake)
    return running
  }

  #addOutput(end: ProgramEnd): ProgramEnd {
    return { ...end, output: [...this.#output, ...end.output] }
  }

  /** Kills it after a number of calls, and starts it again when all of its processes have ended. */
  async crash(calls: number): Promise<void> {
    const state = this.#state
    this.isCrashing = true
    this.waiting = []
    this.kill()
    const { output, escaped } = await this.waitForEnd()
    if (escaped.length > 0)
      state.giveUp(`a process left the group of the program, and outlived the crash: ${escaped.join(', ')}`)
    // Output that goes to the terminal is not kept.
    this.#output = output.length === 0 ? [] : [...output, '(killed, and started again)']
    state.addEvent(this.name, calls, 'the program is killed, and starts again')
    this.isCrashing = false
    const why = 'The program could not be started again after a crash.'
    this.#running = this.#start((error) => (state.failure ??= new ProgramError(`${why} ${getMessage(error)}`)))
  }

  kill(): void {
    this.#running.kill()
  }

  /** Waits until it has ended. Rejects if it could not be started. */
  async waitForEnd(): Promise<EndedProgram> {
    const end = await this.#running.ended
    return { ...(this.end ?? this.#addOutput(end)), name: this.name }
  }

  /** Counts the calls with a description. Returns which of them the next one is. */
  countOccurrence(description: string): number {
    const occurrence = (this.#occurrences.get(description) ?? 0) + 1
    this.#occurrences.set(description, occurrence)
    return occurrence
  }
}

export class RunState {
  readonly options: RunOptions
  /** The mock of the run, which is a sandbox to its programs. */
  readonly core: Core
  readonly customers: Customers
  readonly steps: Step[] = []
  readonly events: ExploredEvent[] = []
  readonly members = new Map<string, Member>()
  /** Aborts to end the programs. */
  readonly ending = new AbortController()
  /** How many calls have passed and have no response. */
  inFlight = 0
  /** Whether a call passed while another one had no response. */
  hasOverlaps = false
  /** The first request of a program, for a message. */
  firstRequest: string | undefined
  hasTooManyCalls = false
  /** Whether a call came late. It may be in time if the run waits longer. */
  isWorthRepeating = false
  /** Whether all programs have ended: further requests come from processes that they left behind. */
  isOver = false
  /** Why the run cannot go on: a program could not be started. */
  failure: unknown
  /** Why the run was not the one that was wanted. Undefined: it was. */
  notTried: string | undefined
  #onChange = () => {}

  constructor(options: RunOptions) {
    const onAccess = (access: Access) => noteAccess(this.steps.at(-1), access)
    this.options = options
    this.core = options.createCore({
      sandbox: `run-${options.run}`,
      onAccess: options.isOrdered ? onAccess : undefined,
    })
    this.customers = createCustomers(this.core, options)
  }

  /** Returns the time of the mock clock. */
  getTime(): string {
    return new Date(this.core.now()).toISOString()
  }

  giveUp(why: string): void {
    this.notTried ??= why
  }

  /** Notes what happened to a program after a number of calls. */
  addEvent(program: string, calls: number, text: string, time = this.getTime()): void {
    this.events.push({ actor: this.options.isOrdered ? program : null, calls, time, text })
  }

  countWaiting(): number {
    return [...this.members.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)
  }

  waitForEnds(): Promise<EndedProgram[]> {
    return Promise.all([...this.members.values()].map((member) => member.waitForEnd()))
  }

  killPrograms(): void {
    for (const member of this.members.values()) member.kill()
  }

  /** Ends `waitForChange`. */
  readonly wake = (): void => this.#onChange()

  /** Waits until a call comes or ends or a program ends, at most for some milliseconds. */
  waitForChange(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#onChange = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** A run that came to its end. */
export interface ProgramRun extends Readonly<
  Pick<
    RunState,
    'steps' | 'events' | 'firstRequest' | 'hasTooManyCalls' | 'hasOverlaps' | 'isWorthRepeating' | 'notTried'
  >
> {
  readonly ends: readonly EndedProgram[]
  /** Undefined without a check, and if a program had to be ended. */
  readonly check: ProgramEnd | undefined
  readonly requests: readonly ExploredRequest[]
  /** The records at the end. */
  readonly projects: ProjectRecords
  readonly isComplete: boolean
}
