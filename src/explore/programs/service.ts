// The service that a program drives. It starts before the program, ends after it, and restarts if it exits or is killed.
import { parseJsonIfValid } from '../../core/schema/json-value.ts'
import type { Life, Run } from '../run.ts'
import type { ActorCall } from '../steps.ts'
import { describeExit } from './describe-exit.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import { ProgramError, type RunNotes, type ServiceAddress } from './program-types.ts'
import { RestartableProcess } from './restartable-process.ts'

/** After its program has ended, a service is stopped when it has been idle for this long, in milliseconds. */
const quietTime = 50
/** A longer `quietTime` for undisturbed runs, and for services that may retry a call or were already running. */
export const longQuietTime = 500
/** How often a run restarts a service that exits on its own. A run without faults never restarts it. */
const maxRestarts = 3

interface ServiceSettings {
  readonly name: string
  readonly run: Run
  readonly notes: RunNotes
  readonly address: ServiceAddress
  readonly startProcess: () => RunningProgram
  /** The time by which the run must end, as a `performance.now()` value. */
  readonly deadline: number
  readonly isUndisturbed: boolean
  readonly onFailure: (error: unknown) => void
}

export class Service {
  state: 'starting' | 'ready' | 'down' = 'starting'
  /** Whether the program has ended with exit code 0 and the service is still running. */
  isAlone = false
  /** Whether the program has ended. The service then stops once it is idle. */
  isEnding = false
  readonly #settings: ServiceSettings
  readonly process: RestartableProcess
  #restarts = 0

  constructor(settings: ServiceSettings) {
    this.#settings = settings
    this.process = new RestartableProcess('service', settings.startProcess)
  }

  /** Starts the service. Calls `onReady` when the service accepts requests, and `onDown` if it fails for good. */
  start(life: Life, onReady: () => void, onDown: () => void): void {
    // `killNow` was called while the service was restarting.
    if (this.state === 'down') return
    const { address, isUndisturbed, onFailure } = this.#settings
    // Do not use `AbortSignal.any`: Node 20 may garbage-collect the combined signal if it includes a timeout.
    const ended = new AbortController()
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      this.process.current?.kill()
    }, this.#getTimeLeft())
    const noteEnd = async (end: ProgramEnd): Promise<void> => {
      if (life.isKilled || this.state === 'down') return
      const problem = isTimedOut
        ? this.describeUnready('ready within --timeout')
        : `${describeExit(end)} before its program has ended.`
      if (isTimedOut || this.#restarts === (isUndisturbed ? 0 : maxRestarts)) {
        this.#giveUp(problem, end)
        onDown()
      } else await this.#restart(life, end)
    }
    this.state = 'starting'
    this.process
      .start()
      .finally(() => {
        clearTimeout(timer)
        ended.abort()
      })
      .then(noteEnd)
      .catch(onFailure)
    const noteReady = (isReady: boolean): void => {
      clearTimeout(timer)
      if (!isReady || ended.signal.aborted) return
      this.state = 'ready'
      onReady()
    }
    void address.waitUntilReady(ended.signal).then(noteReady)
  }

  #getTimeLeft(): number {
    return Math.max(0, this.#settings.deadline - performance.now())
  }

  describeUnready(state: 'ready yet' | 'ready within --timeout'): string {
    return `is not ${state}: ${this.#settings.address.describeUnready()}`
  }

  async #restart(life: Life, end: ProgramEnd): Promise<void> {
    this.#restarts++
    this.state = 'starting'
    const event = `${describeExit(end)}, and starts again`
    await this.#finish(event)
    this.#settings.notes.serviceRestart ??= `the service ${event}`
    this.#settings.run.restart(life, `the service ${event}`)
  }

  async #finish(event: string): Promise<ProgramEnd> {
    const end = await this.process.finish(event)
    await this.#settings.address.renew()
    return end
  }

  #giveUp(problem: string, { output }: ProgramEnd): void {
    const { address, isUndisturbed, notes, onFailure } = this.#settings
    this.state = 'down'
    address.close()
    if (isUndisturbed) onFailure(new ProgramError(`The service ${problem}`, output))
    else notes.notTried ??= [`the service ${problem}`, ...output.slice(-3)].join('\n  ')
  }

  kill(): Promise<ProgramEnd> {
    this.state = 'starting'
    this.process.current?.kill()
    return this.#finish('killed, and started again')
  }

  killNow(): void {
    this.state = 'down'
    this.process.current?.kill()
  }

  /** Stops the service once it is idle. `getActive` returns the time of the last activity. */
  async stop(exitCode: number | null, getActive: () => number): Promise<void> {
    const { name, run, isUndisturbed } = this.#settings
    const programEnd = performance.now()
    this.isEnding = true
    this.isAlone = exitCode === 0
    for (;;) {
      // A service that is restarting may still have work to do.
      const isAtWork = this.state === 'starting' || run.inFlight > 0 || run.listWaiting(name).length > 0
      const quiet = isUndisturbed || mayTryAgain(run, name) ? longQuietTime : quietTime
      const quietTimeLeft = Math.max(programEnd, getActive()) + quiet - performance.now()
      const isOver = this.state === 'down' || this.#getTimeLeft() === 0
      if (isOver || (quietTimeLeft <= 0 && !isAtWork)) break
      await new Promise((resolve) => setTimeout(resolve, Math.max(quietTimeLeft, isAtWork ? idleCheckInterval : 1)))
    }
    this.isAlone = false
    const isUnready = this.state === 'starting'
    this.state = 'down'
    this.process.current?.stop()
    const end = await this.process.waitForEnd()
    if (isUnready) this.#giveUp(this.describeUnready('ready within --timeout'), end)
  }
}

/** Whether a fault made a call of the service fail, and the service has not repeated the call successfully since. */
const mayTryAgain = ({ steps }: Run, name: string): boolean => {
  const calls = steps.flatMap(({ actor, call, fault }) => {
    if (actor !== name || call?.getOperation() === undefined) return []
    const hasFault = (fault ?? call.outcome?.fault) !== undefined
    return { text: call.describe(), hasFault, hasSucceeded: hasReadableResult(call) }
  })
  return calls.some(
    ({ text, hasFault, hasSucceeded }, index) =>
      hasFault && !hasSucceeded && !calls.slice(index).some((later) => later.text === text && later.hasSucceeded),
  )
}

/** Whether the sender received a successful response with no body or a valid JSON body. */
const hasReadableResult = (call: ActorCall): boolean => {
  const { status, response } = call.read()
  return status !== null && status < 400 && (response === null || parseJsonIfValid(response) !== undefined)
}

/** How often to check whether a busy service has become idle, in milliseconds. */
const idleCheckInterval = 10
