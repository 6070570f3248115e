// A program as a participant: a child process, and the service that it drives, if any.
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
  /** How the program ended. Undefined while the program or its service runs. */
  end: ProgramEnd | undefined
  /** The real time of its last activity. */
  active = performance.now()
  /** How long the program has been busy since `active`, in milliseconds. Measured only while it is silent. */
  busyTime = 0
  /** The real time at which the process exited. Undefined while it runs. The service may still have work to do. */
  exited: number | undefined
  readonly arrivals: number[] = []
  readonly openCalls = new Set<SentRequest>()
  /** How many steps the run had when the others stopped waiting for this program. Undefined while they wait. */
  skippedAtStep: number | undefined
  /** The life for the program's own calls if it drives a service. A crash kills only the service, so this life continues. */
  readonly ownLife: Life = { participant: this, isKilled: false }
  readonly #process: RestartableProcess
  readonly #onEnd: (end: ProgramEnd) => void
  readonly #onFailure: (error: unknown) => void
  readonly #occurrences = new Map<string, number>()
  /** The index of the program's last step that has ended. -1 before the first step. */
  #last = -1

  /**
   * @param onEnd called when the program ends, and when a crash ends the program or its service
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
      if (this.#process.running === undefined) this.#startProcess(this.ownLife)
    }
    const onDown = () => {
      if (this.#process.running === undefined) void this.#noteEnd()
    }
    this.service.start(life, onReady, onDown)
  }

  #startProcess(life: Life): void {
    const noteEnd = async ({ exitCode }: ProgramEnd) => {
      // Ignore the end of a killed process: the program restarts.
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
    this.#process.running?.kill()
    this.#onEnd(await this.#process.endStart('killed, and started again'))
  }

  killNow(): void {
    this.#process.running?.kill()
    this.service?.killNow()
  }

  /** Waits until the program and its service have ended. Rejects if the program could not be started. */
  async waitForEnd(): Promise<ProgramExit> {
    const { name, service } = this
    const end = this.#process.running !== undefined ? await this.#process.waitForEnd() : undefined
    const serviceEnd = await service?.process.waitForEnd()
    // If the service was never ready, the program never started.
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
    return [this.#process.running, this.service?.process.running].some((running) => running?.isBusy())
  }

  isListening(): boolean | undefined {
    return this.#process.running?.isListening()
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
    this.noteActivity()
    this.#last = Math.max(this.#last, step)
  }
}
