// A process that can be killed and restarted. Keeps the output of all its starts.
import { getMessage } from '../result.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import { ProgramError } from './program-types.ts'

export class RestartableProcess {
  readonly #startProcess: () => RunningProgram
  readonly #what: string
  #running: RunningProgram | undefined
  #output: readonly string[] = []

  /** @param what `program` or `service`, for messages */
  constructor(what: string, startProcess: () => RunningProgram) {
    this.#what = what
    this.#startProcess = startProcess
  }

  isStarted(): boolean {
    return this.#running !== undefined
  }

  /** Starts a process. Resolves when it ends. Rejects if it cannot be started. */
  async start(): Promise<ProgramEnd> {
    const isRestart = this.isStarted()
    const running = this.#startProcess()
    this.#running = running
    try {
      return this.#addOutput(await running.ended)
    } catch (error) {
      if (!isRestart) throw error
      throw new ProgramError(`The ${this.#what} could not be started again after a crash. ${getMessage(error)}`)
    }
  }

  async waitForEnd(): Promise<ProgramEnd> {
    return this.#addOutput(await this.#running!.ended)
  }

  /** Waits until the current process ends. Keeps its output, and a line for `event`. */
  async endStart(event: string): Promise<ProgramEnd> {
    const end = await this.waitForEnd()
    // Output that goes to the terminal is not kept.
    this.#output = end.output.length === 0 ? [] : [...end.output, `(${event})`]
    return end
  }

  isListening(): boolean | undefined {
    return this.#running?.isListening()
  }

  kill(): void {
    this.#running?.kill()
  }

  stop(): void {
    this.#running?.stop()
  }

  #addOutput(end: ProgramEnd): ProgramEnd {
    return { ...end, output: [...this.#output, ...end.output] }
  }
}
