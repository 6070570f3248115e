// A program under test: a child process, and the service that it drives, if any.
import type { ActorCall, SentRequest } from '../steps.ts'
import type { Life, Participant } from '../run.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import type { ProgramExit } from './program-types.ts'
import { RestartableProcess } from './restartable-process.ts'
import type { Service } from './service.ts'

export class Program implements Participant {
  readonly name: string
  readonly killed: 'program' | 'service'
  /** The service that the program drives. A crash kills the service instead of the program. */
  readonly service: Service | undefined
  /** How the program ended. Undefined while the program or its service is running. */
  end: ProgramEnd | undefined
  /** The time of the last activity, such as a call or a response, from `performance.now()`. */
  active = performance.now()
  /** How long the program has been busy since its last activity, in milliseconds. Measured only during long silences. */
  busyTime = 0
  /** When the program itself exited, from `performance.now()`. Its service may still be running. */
  exited: number | undefined
  readonly arrivals: number[] = []
  readonly openCalls = new Set<SentRequest>()
  /** The number of steps when the other programs stopped waiting for this program. Undefined while they still wait. */
  skippedAtStep: number | undefined
  /** The life of a program that drives a service. Never killed, because a crash kills only the service. */
  readonly driverLife: Life = { participant: this, isKilled: false }
  readonly #process: RestartableProcess
  readonly #onEnd: (end: ProgramEnd) => void
  readonly #onFailure: (error: unknown) => void
  readonly #occurrences = new Map<string, number>()
  /** The highest index among the steps of this program that have ended, or -1 if none has. */
  #lastStep = -1

  /**
   * @param onEnd called when the program ends, and when a crash has killed the program or its service
   * @param onFailure called if the program cannot be started
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
    this.#process = new RestartableProcess('program', startProcess)
    this.#onEnd = onEnd
    this.#onFailure = onFailure
  }

  start(life: Life): void {
    this.openCalls.clear()
    this.noteActivity()
    this.exited = undefined
    if (this.service === undefined) return this.#startProcess(life)
    const onReady = () => {
      this.noteActivity()
      if (this.#process.current === undefined) this.#startProcess(this.driverLife)
    }
    const onDown = () => {
      if (this.#process.current === undefined) void this.#noteEnd()
    }
    this.service.start(life, onReady, onDown)
  }

  #startProcess(life: Life): void {
    const noteEnd = async ({ exitCode }: ProgramEnd) => {
      // Ignore the exit of a killed process, because the program restarts.
      if (life.isKilled) return
      this.exited = performance.now()
      await this.service?.stop(exitCode, () => this.active)
      await this.#noteEnd()
    }
    this.#process.start().then(noteEnd, this.#onFailure)
  }

  async #noteEnd(): Promise<void> {
    this.end = await this.waitForEnd()
    this.#onEnd(this.end)
    this.noteActivity()
  }

  async kill(): Promise<void> {
    const { service } = this
    if (service !== undefined) return this.#onEnd(await service.kill())
    this.#process.current?.kill()
    this.#onEnd(await this.#process.finish('killed, and started again'))
  }

  killNow(): void {
    this.#process.current?.kill()
    this.service?.killNow()
  }

  /** Waits until the program and its service have ended. Rejects if either could not be started. */
  async waitForEnd(): Promise<ProgramExit> {
    const { name, service } = this
    const end = this.#process.current !== undefined ? await this.#process.waitForEnd() : undefined
    const serviceEnd = await service?.process.waitForEnd()
    // The program has not started if its service was never ready.
    if (end === undefined || serviceEnd === undefined) return { ...(end ?? serviceEnd!), name }
    const { output, escaped } = serviceEnd
    const serviceLines = output.length === 0 ? [] : ['(its service)', ...output]
    return { ...end, name, output: [...end.output, ...serviceLines], escaped: [...end.escaped, ...escaped] }
  }

  noteActivity(): void {
    this.active = performance.now()
    this.busyTime = 0
  }

  isBusy(): boolean {
    return [this.#process.current, this.service?.process.current].some((running) => running?.isBusy())
  }

  isListening(): boolean | undefined {
    return this.#process.current?.isListening()
  }

  hasEnded(): boolean {
    return this.end !== undefined
  }

  identify(call: ActorCall | undefined) {
    const description = call?.describe() ?? ''
    const occurrence = (this.#occurrences.get(description) ?? 0) + 1
    this.#occurrences.set(description, occurrence)
    return { id: JSON.stringify([this.name, description, occurrence]), created: this.#lastStep }
  }

  onStepEnd(step: number): void {
    this.noteActivity()
    this.#lastStep = Math.max(this.#lastStep, step)
  }
}
