// A program in a run: a participant whose code runs in a child process, or in the service beside it.
import type { ActorCall, SentRequest } from '../steps.ts'
import type { Life, Participant } from '../run.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import type { EndedProgram } from './program-types.ts'
import { Restartable } from './restartable.ts'
import type { Service } from './service.ts'

export class Program implements Participant {
  readonly name: string
  readonly killed: 'program' | 'service'
  /** Undefined: a crash kills the program itself. */
  readonly service: Service | undefined
  /** How it ended. Undefined while it runs, or its service does. */
  end: ProgramEnd | undefined
  /** When it last did something, by the clock of the machine. */
  active = performance.now()
  /** When its calls came. */
  readonly arrivals: number[] = []
  /** Its calls that have no response. */
  readonly openCalls = new Set<SentRequest>()
  /** How many steps the run had when the others continued without it. Undefined: they wait for it. */
  passedOverAt: number | undefined
  /** The life of its own calls if it has a service. No crash ends it. */
  readonly ownLife: Life = { participant: this, isKilled: false }
  readonly #process: Restartable
  readonly #onEnd: (end: ProgramEnd) => void
  readonly #onFailure: (error: unknown) => void
  readonly #occurrences = new Map<string, number>()
  /** The last step of it that has its response. */
  #last = -1

  /**
   * @param onEnd is called when it ends, and when a crash has ended it or its service
   * @param onFailure is called if it cannot be started
   */
  constructor(
    name: string,
    startProcess: () => RunningProgram,
    service: Service | undefined,
    onEnd: (end: ProgramEnd) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.name = name
    this.service = service
    this.killed = service === undefined ? 'program' : 'service'
    this.#process = new Restartable('program', startProcess)
    this.#onEnd = onEnd
    this.#onFailure = onFailure
  }

  start(life: Life): void {
    this.openCalls.clear()
    this.active = performance.now()
    if (this.service === undefined) return this.#startProcess(life)
    const onReady = () => {
      this.active = performance.now()
      if (!this.#process.isStarted()) this.#startProcess(this.ownLife)
    }
    const onDown = () => {
      if (!this.#process.isStarted()) void this.#noteEnd()
    }
    this.service.start(life, onReady, onDown)
  }

  #startProcess(life: Life): void {
    const noteEnd = async ({ exitCode }: ProgramEnd) => {
      // The end of a killed program is not that of the restarted one.
      if (life.isKilled) return
      await this.service?.stop(exitCode, () => this.active)
      await this.#noteEnd()
    }
    this.#process.start().then(noteEnd, this.#onFailure)
  }

  async #noteEnd(): Promise<void> {
    this.end = await this.waitForEnd()
    this.#onEnd(this.end)
    this.active = performance.now()
  }

  async kill(): Promise<void> {
    const { service } = this
    if (service !== undefined) return this.#onEnd(await service.kill())
    this.#process.kill()
    this.#onEnd(await this.#process.endStart('killed, and started again'))
  }

  killNow(): void {
    this.#process.kill()
    this.service?.killNow()
  }

  /** Waits until it and its service have ended. Rejects if it could not be started. */
  async waitForEnd(): Promise<EndedProgram> {
    const { name, service } = this
    const end = this.#process.isStarted() ? await this.#process.waitForEnd() : undefined
    const serviceEnd = await service?.waitForEnd()
    // A program whose service never was ready ends with it.
    if (end === undefined || serviceEnd === undefined) return { ...(end ?? serviceEnd!), name }
    const { output, escaped } = serviceEnd
    const serviceLines = output.length === 0 ? [] : ['(its service)', ...output]
    return { ...end, name, output: [...end.output, ...serviceLines], escaped: [...end.escaped, ...escaped] }
  }

  isListening(): boolean | undefined {
    return this.#process.isListening()
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
