// A process that can be killed and restarted. Keeps its output across restarts.
import { getMessage } from '../result.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import { ProgramError } from './program-types.ts'

export class RestartableProcess {
  /** Undefined before the first start. */
  running: RunningProgram | undefined
  readonly #startProcess: () => RunningProgram
  readonly #what: 'program' | 'service'
  #output: readonly string[] = []

  constructor(what: 'program' | 'service', startProcess: () => RunningProgram) {
    this.#what = what
    this.#startProcess = startProcess
  }

  /** Resolves when the process ends. Rejects if it cannot be started. */
  async start(): Promise<ProgramEnd> {
    const isRestart = this.running !== undefined
    this.running = this.#startProcess()
    try {
      return await this.waitForEnd()
    } catch (error) {
      if (!isRestart) throw error
      throw new ProgramError(`The ${this.#what} could not be started again after a crash. ${getMessage(error)}`)
    }
  }

  async waitForEnd(): Promise<ProgramEnd> {
    const end = await this.running!.ended
    return { ...end, output: [...this.#output, ...end.output] }
  }

  /** Waits until the current process ends. Keeps its output, and adds a line with the event. */
  async endStart(event: string): Promise<ProgramEnd> {
    const end = await this.waitForEnd()
    // Output that goes to the terminal is not kept.
    this.#output = end.output.length === 0 ? [] : [...end.output, `(${event})`]
    return end
  }
}
