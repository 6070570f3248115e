// A program of a run: a participant whose code is a child process.
import type { ActorCall } from '../steps.ts'
import { getMessage } from '../result.ts'
import type { Life, Participant } from '../run.ts'
import { type EndedProgram, type ProgramEnd, ProgramError, type RunningProgram } from './program-types.ts'

export class Program implements Participant {
  readonly name: string
  /** How it ended. Undefined while it runs. */
  end: ProgramEnd | undefined
  /** When it last did something, by the clock of the machine. */
  active = performance.now()
  /** When its calls came. */
  readonly arrivals: number[] = []
  /** Its calls that have no response. */
  readonly openCalls = new Set<ActorCall>()
  /** Whether the others continue without it. */
  isPassedOver = false
  readonly #startProcess: () => RunningProgram
  readonly #onEnd: (end: ProgramEnd) => void
  readonly #onFailure: (error: unknown) => void
  readonly #occurrences = new Map<string, number>()
  /** The last step of it that has its response. */
  #last = -1
  /** Its last start. */
  #running: RunningProgram | undefined
  /** The output of the starts before. */
  #output: readonly string[] = []

  /**
   * @param onEnd is called when it ends, and when a crash has ended it
   * @param onFailure is called if it cannot be started
   */
  constructor(
    name: string,
    startProcess: () => RunningProgram,
    onEnd: (end: ProgramEnd) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.name = name
    this.#startProcess = startProcess
    this.#onEnd = onEnd
    this.#onFailure = onFailure
  }

  start(life: Life): void {
    const isRestart = this.#running !== undefined
    this.#running = this.#startProcess()
    this.openCalls.clear()
    this.active = performance.now()
    const noteEnd = (end: ProgramEnd) => {
      // The end of a killed program is not that of the restarted one.
      if (life.isKilled) return
      this.end = this.#addOutput(end)
      this.#onEnd(end)
    }
    const why = 'The program could not be started again after a crash.'
    this.#running.ended.then(noteEnd, (error: unknown) =>
      this.#onFailure(isRestart ? new ProgramError(`${why} ${getMessage(error)}`) : error),
    )
  }

  async kill(): Promise<void> {
    this.killNow()
    const end = await this.waitForEnd()
    // Output that goes to the terminal is not kept.
    this.#output = end.output.length === 0 ? [] : [...end.output, '(killed, and started again)']
    this.#onEnd(end)
  }

  killNow(): void {
    this.#running?.kill()
  }

  /** Waits until it has ended. Rejects if it could not be started. */
  async waitForEnd(): Promise<EndedProgram> {
    const end = await this.#running!.ended
    return { ...(this.end ?? this.#addOutput(end)), name: this.name }
  }

  #addOutput(end: ProgramEnd): ProgramEnd {
    return { ...end, output: [...this.#output, ...end.output] }
  }

  hasEnded(): boolean {
    return this.end !== undefined
  }

  identify(call: ActorCall | undefined) {
    const description = call?.describe() ?? ''
    const occurrence = (this.#occurrences.get(description) ?? 0) + 1
    this.#occurrences.set(description, occurrence)
    return { id: JSON.stringify([this.name, description, occurrence]), created: this.#last }
  }

  onStepEnd(step: number): void {
    this.active = performance.now()
    this.#last = Math.max(this.#last, step)
  }
}
