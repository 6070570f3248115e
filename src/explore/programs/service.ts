// The service of a program. It starts before the program, ends after it, and restarts if it exits or is killed.
import { parseJsonIfValid } from '../../core/schema/json-value.ts'
import type { Life, Run } from '../run.ts'
import type { ActorCall } from '../steps.ts'
import { describeExit } from './describe-exit.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import { ProgramError, type RunNotes, type ServiceAddress } from './program-types.ts'
import { RestartableProcess } from './restartable-process.ts'

/** How long a service must be idle before it is stopped, after its program has ended. In milliseconds. */
const quietTime = 50
/** Used in undisturbed runs, for a service that may repeat a failed call, and for one that keeps running. In milliseconds. */
export const longQuietTime = 500
/** The maximum number of restarts of a service that exits without a crash. An undisturbed run allows none. */
const maxRestarts = 3

interface ServiceSettings {
  readonly name: string
  readonly run: Run
  readonly notes: RunNotes
  readonly address: ServiceAddress
  readonly startProcess: () => RunningProgram
  /** The real time at which the run must end. */
  readonly deadline: number
  readonly isUndisturbed: boolean
  readonly onFailure: (error: unknown) => void
}

export class Service {
  state: 'starting' | 'ready' | 'down' = 'starting'
  /** Whether the program has ended with exit code 0, and the service still runs. */
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

  /** Starts the service. Calls `onReady` once the service accepts requests, and `onDown` once it has failed for good. */
  start(life: Life, onReady: () => void, onDown: () => void): void {
    // The run killed the service while it restarted.
    if (this.state === 'down') return
    const { address, isUndisturbed, onFailure } = this.#settings
    // Not `AbortSignal.any`: Node 20 garbage-collects such a signal if it includes a timeout.
    const ended = new AbortController()
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      this.process.running?.kill()
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
    await this.#endStart(event)
    this.#settings.notes.serviceRestart ??= `the service ${event}`
    this.#settings.run.restart(life, `the service ${event}`)
  }

  async #endStart(event: string): Promise<ProgramEnd> {
    const end = await this.process.endStart(event)
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
    this.process.running?.kill()
    return this.#endStart('killed, and started again')
  }

  killNow(): void {
    this.state = 'down'
    this.process.running?.kill()
  }

  /** Stops the service once it is idle. `getActive` returns the time of the last call or response. */
  async stop(exitCode: number | null, getActive: () => number): Promise<void> {
    const { name, run, isUndisturbed } = this.#settings
    const programEnd = performance.now()
    this.isEnding = true
    this.isAlone = exitCode === 0
    for (;;) {
      // A restarting service may still have work to do.
      const isAtWork = this.state === 'starting' || run.inFlight > 0 || run.listWaiting(name).length > 0
      const quiet = isUndisturbed || mayTryAgain(run, name) ? longQuietTime : quietTime
      const quietTimeLeft = Math.max(programEnd, getActive()) + quiet - performance.now()
      const isOver = this.state === 'down' || this.#getTimeLeft() === 0
      if (isOver || (quietTimeLeft <= 0 && !isAtWork)) break
      await new Promise((resolve) => setTimeout(resolve, Math.max(quietTimeLeft, isAtWork ? pause : 1)))
    }
    this.isAlone = false
    const isUnready = this.state === 'starting'
    this.state = 'down'
    this.process.running?.stop()
    const end = await this.process.waitForEnd()
    if (isUnready) this.#giveUp(this.describeUnready('ready within --timeout'), end)
  }
}

/** Whether a call of the service failed because of a fault, and the same call has not succeeded since. */
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

/** Whether the sender received a success whose body is not broken. */
const hasReadableResult = (call: ActorCall): boolean => {
  const { status, response } = call.read()
  return status !== null && status < 400 && (response === null || parseJsonIfValid(response) !== undefined)
}

/** The interval between checks whether a service is idle, in milliseconds. */
const pause = 10
