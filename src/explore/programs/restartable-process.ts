// A process that can be killed and restarted. Keeps its output across restarts.
import { getMessage } from '../result.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import { ProgramError } from './program-types.ts'

export class RestartableProcess {
  /** The most recently started process, which may have ended. Undefined before the first start. */
  current: RunningProgram | undefined
  readonly #startProcess: () => RunningProgram
  readonly #noun: 'program' | 'service'
  #output: readonly string[] = []

  constructor(noun: 'program' | 'service', startProcess: () => RunningProgram) {
    this.#noun = noun
    this.#startProcess = startProcess
  }

  /** Starts the process, and waits until it ends. Rejects if it cannot be started. */
  async start(): Promise<ProgramEnd> {
    const isRestart = this.current !== undefined
    this.current = this.#startProcess()
    try {
      return await this.waitForEnd()
    } catch (error) {
      if (!isRestart) throw error
      throw new ProgramError(`The ${this.#noun} could not be started again after a crash. ${getMessage(error)}`)
    }
  }

  async waitForEnd(): Promise<ProgramEnd> {
    const end = await this.current!.ended
    return { ...end, output: [...this.#output, ...end.output] }
  }

  /** Waits until the current process has ended, and appends the event to its output. */
  async finish(event: string): Promise<ProgramEnd> {
    const end = await this.waitForEnd()
    // If no output was kept, for example because it went to the terminal, omit the event, too.
    this.#output = end.output.length === 0 ? [] : [...end.output, `(${event})`]
    return end
  }
}
