// The state of a run of programs: its programs, the calls that wait, and the steps so far.
import type { ExploredEvent } from '../result.ts'
import type { ActorCall, Choice, Step } from '../steps.ts'
import type { ProgramEnd, RunningProgram } from './program-parts.ts'

/** A program in a run. */
export interface Member {
  readonly name: string
  readonly start: () => RunningProgram
  running: RunningProgram | undefined
  end: ProgramEnd | undefined
  /** The output of the program before it was killed. */
  before: readonly string[]
  waiting: HeldCall[]
  /** When it last did something, by the clock of the machine. */
  active: number
  isPassedOver: boolean
  isCrashing: boolean
  /** The last step of it that has its response. */
  last: number
  readonly occurrences: Map<string, number>
}

/** A call that waits. */
interface HeldCall {
  readonly choice: Omit<Choice, 'text'> & { readonly call: ActorCall }
  /** Whether it could have been chosen before. */
  wasOffered: boolean
  readonly proceed: (step: Step) => void
}

export const createMember = (name: string, start: () => RunningProgram): Member => ({
  name,
  start,
  running: undefined,
  end: undefined,
  before: [],
  waiting: [],
  active: 0,
  isPassedOver: false,
  isCrashing: false,
  last: -1,
  occurrences: new Map(),
})

export class RunState {
  readonly steps: Step[] = []
  /** The events between the calls. */
  readonly events: ExploredEvent[] = []
  readonly members = new Map<string, Member>()
  /** Aborts to end the programs. */
  readonly ending = new AbortController()
  /** Whether calls wait until each program has one. Otherwise each call passes at once. */
  readonly isOrdered: boolean
  /** How many calls have passed and have no response. */
  inFlight = 0
  /** The first request of a program, for a message. */
  firstRequest: string | undefined
  hasTooManyCalls = false
  /** Whether a call came after the choice of another one that it should have waited beside. */
  hasLateCall = false
  /** Whether all programs have ended: further requests come from processes that they left behind. */
  isOver = false
  /** Why the run was not the one that was wanted. Undefined: it was. */
  notTried: string | undefined
  #onChange = () => {}
  readonly #getTime: () => string

  constructor(isOrdered: boolean, getTime: () => string) {
    this.isOrdered = isOrdered
    this.#getTime = getTime
  }

  /** The time of the mock clock. */
  getTime(): string {
    return this.#getTime()
  }

  giveUp(why: string): void {
    this.notTried ??= why
  }

  /** Notes what happened after a number of calls. */
  addEvent({ name }: Member, calls: number, text: string): void {
    this.events.push({ actor: toActor(name), calls, time: this.getTime(), text })
  }

  countWaiting(): number {
    return [...this.members.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)
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

/** The actor of a step or an event in a report. A single program has no name. */
export const toActor = (name: string): string | null => (name === '' ? null : name)
