// Runs the programs once in a sandbox. When all of them wait or have ended, the search chooses a call and its fault.
import { removeUnappliedFaults } from '../fault-schedules.ts'
import { Run, takeTurns } from '../run.ts'
import { Ended } from '../search-clock.ts'
import { type Decide, describeSteps } from '../steps.ts'
import { Program } from './program.ts'
import { longQuietTime, Service } from './service.ts'
import { watchIdlePrograms } from './service-hints.ts'
import type { ProgramEnd } from '../../command-line/running-program.ts'
import {
  type ProgramExit,
  ProgramError,
  type ProgramRun,
  type RunNotes,
  type ServiceAddress,
  type StartOptions,
} from './program-types.ts'
import { raisePeaks } from './compare-records.ts'
import { describeFailedExit } from './describe-exit.ts'
import { checkSuffix, type RunInSandbox, type RunOptions } from './run-in-sandbox.ts'
import { getPause, measureBusyTimes, reportReturn } from './silent-programs.ts'

/** @throws Ended if the signal aborts the run */
export const runPrograms = async (options: RunOptions, decide: Decide): Promise<ProgramRun> => {
  const { check, reset, signal, timeout, run: number, isShown, isOrdered, running } = options
  const throwIfAborted = () => {
    if (signal.aborted) throw new Ended('signal')
  }
  throwIfAborted()
  const sandbox = `run-${number}`
  const run = new Run({
    ...options,
    createCore: (onAccess) => options.createCore({ sandbox, onAccess }),
    notesAccesses: isOrdered,
    hasNames: isOrdered,
    hasDrivers: options.services.size > 0 || options.hasFixedAddress,
  })
  const { core } = run
  const notes: RunNotes = { hasTooManyCalls: false, firstRequests: new Map() }
  const programs = new Map<string, Program>()
  const ending = new AbortController()
  const state = { run, options, programs, notes, ending }
  running.set(sandbox, state)
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const addresses = new Map<string, ServiceAddress>()
  const killPrograms = () => programs.forEach((program) => program.killNow())
  const endWatch = number === 1 ? watchIdlePrograms(programs, notes, options) : () => {}
  const endMeasurement = isOrdered ? measureBusyTimes(programs) : () => {}
  const start = { url: `${options.address}/@${sandbox}`, run: number, timeout, signal, isShown }
  try {
    const resetEnd = await reset?.(start).ended
    throwIfAborted()
    const resetProblem = resetEnd && describeFailedExit(resetEnd, options)
    if (resetProblem !== undefined) throw new ProgramError(`The program of --reset ${resetProblem}.`, resetEnd?.output)
    for (const [name, service] of options.services) addresses.set(name, await service.openAddress())
    const isComplete = (await takeTurns(run, decide, createNextTurn(state, start, addresses))) === 'ended'
    run.isOver = true
    if (!isComplete) killPrograms()
    const ends = await waitForEnds(programs)
    throwIfAborted()
    const projects = core.getRecords()
    notePeaks(state)
    // Remove the remaining faults so that they do not apply to the check.
    await core.client.call('removeFaults')
    const steps = removeUnappliedFaults(options.effects, run.steps)
    const finishedRun = {
      ...notes,
      steps,
      ends,
      projects,
      isComplete,
      requests: describeSteps(steps, isOrdered, '--behavior idempotencyKey=replay').requests,
      events: run.events,
      touched: run.customers.touched,
      arrivals: new Map([...programs].map(([name, { arrivals }]) => [name, arrivals])),
    }
    const hasEnded = isComplete && !notes.hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    const checkEnd = hasEnded ? await check?.({ ...start, url: `${start.url}.${checkSuffix}` }).ended : undefined
    throwIfAborted()
    return { ...finishedRun, check: checkEnd }
  } finally {
    run.isOver = true
    endWatch()
    endMeasurement()
    killPrograms()
    for (const address of addresses.values()) address.close()
    signal.removeEventListener('abort', end)
    running.delete(sandbox)
    core.stop()
  }
}

const waitForEnds = (programs: ReadonlyMap<string, Program>): Promise<ProgramExit[]> =>
  Promise.all([...programs.values()].map((program) => program.waitForEnd()))

const notePeaks = ({ run, options: { order, peaks } }: RunInSandbox): void => {
  if (order !== undefined) raisePeaks(peaks, run.core.getRecords())
}

/** The maximum time between checks for changes, in milliseconds. Needed because some changes do not wake the run. */
const maxWait = 10_000

/** Returns how much longer to wait for calls from a service that was already running, in milliseconds. */
const getIdleTimeLeft = (programs: ReadonlyMap<string, Program>, deadline: number): number => {
  const lastActive = Math.max(...[...programs.values()].map(({ active }) => active))
  return Math.min(lastActive + longQuietTime, deadline) - performance.now()
}

/** The maximum total time by which a probe extends its holds while a program is busy, in milliseconds. */
const maxBusyHold = 2000
/** How often a probe checks whether a program is still busy, in milliseconds. */
const busyInterval = 20

/** Effectively no timeout: the longest delay that `setTimeout` supports, in milliseconds. */
const noTimeout = 2 ** 31 - 1

/** Returns the `waitForTurn` function for `takeTurns`. The function also starts the programs. */
const createNextTurn = (state: RunInSandbox, start: StartOptions, addresses: ReadonlyMap<string, ServiceAddress>) => {
  const { run, options, programs, notes, ending } = state
  const { isOrdered } = options
  const deadline = performance.now() + options.timeout
  const isUndisturbed = options.order !== undefined || options.holds !== undefined
  const groups = options.order?.map((name) => [name]) ?? [[...options.programs.keys()]]
  let failure: unknown
  const noteEnd = (name: string, { escaped }: ProgramEnd): void => {
    const program = programs.get(name)
    if (program !== undefined) reportReturn(state, program)
    const isKilled = run.lives.get(name)?.isKilled
    if (isOrdered && !isKilled && run.listWaiting(name).length > 0)
      notes.notTried ??= 'a program ended while one of its calls waited'
    const processes = escaped.join(', ')
    if (escaped.length > 0)
      notes.notTried ??= isKilled
        ? `a process left the group of the program, and outlived the crash: ${processes}`
        : `a process outlived its program, and was ended with it: ${processes}. Start a web service with --service. In a shell ` +
          "script, trap 'kill $!' EXIT ends what it has started."
    run.wake()
  }
  const createProgram = (name: string): Program => {
    const url = isOrdered ? `${start.url}.${name}` : start.url
    const address = addresses.get(name)
    const processStart = { ...start, url, signal: ending.signal, serviceUrl: address?.url }
    const startProgram = () => {
      const timeout = Math.max(1, deadline - performance.now())
      return options.programs.get(name)!({ ...processStart, port: address?.getPort(), timeout })
    }
    const startService = () => {
      const serviceStart = { url: `${url}.service`, port: address?.getPort(), timeout: noTimeout }
      return options.services.get(name)!.start({ ...processStart, ...serviceStart })
    }
    const onFailure = (error: unknown) => {
      failure ??= error
      run.wake()
    }
    const settings = { name, run, notes, deadline, isUndisturbed, onFailure, startProcess: startService }
    const service = address && new Service({ ...settings, address })
    ending.signal.addEventListener('abort', () => service?.killNow())
    return new Program(name, startProgram, service, (end) => noteEnd(name, end), onFailure)
  }
  /** Starts the next group of programs. Returns false if no group is left or the time is up. */
  const startNext = (): boolean => {
    const names = performance.now() < deadline ? groups.shift() : undefined
    for (const name of names ?? []) {
      const program = createProgram(name)
      programs.set(name, program)
      run.start(program)
    }
    return names !== undefined
  }
  /** Returns how long to hold the program's latest call, in milliseconds. A program known to be concurrent needs no probe. */
  const getHold = (name: string): number =>
    (!options.concurrent.has(name) && options.holds?.get(name)?.[programs.get(name)!.arrivals.length - 1]) || 0
  let busyHold = maxBusyHold
  return async () => {
    let heldUntil: number | undefined
    for (;;) {
      if (failure !== undefined) throw failure
      if (ending.signal.aborted) {
        await waitForEnds(programs)
        return { end: 'ended' } as const
      }
      const ready = run.listChoices()
      if (ready.length === 0 && run.inFlight === 0) {
        const running = [...programs.values()].filter((program) => !program.hasEnded())
        if (running.every(({ skippedAtStep }) => skippedAtStep !== undefined) && startNext()) continue
        if (running.length === 0) {
          // In an undisturbed run, a call after the program has ended is an error, so do not wait for further calls.
          const hasLateCall = isUndisturbed && notes.unawaitedCall !== undefined
          const idleTimeLeft = options.hasFixedAddress && !hasLateCall ? getIdleTimeLeft(programs, deadline) : 0
          if (idleTimeLeft <= 0) return { end: 'ended' } as const
          await run.waitForChange(idleTimeLeft)
          continue
        }
      }
      const pause = getPause(state)
      if (ready.length === 0 || pause > 0) {
        await run.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
        continue
      }
      // Start the hold only now: on a busy machine, an earlier hold could end before other threads had time to run.
      const { actor } = ready[0]!
      const hold = getHold(actor)
      heldUntil ??= performance.now() + hold
      if (hold > 0 && performance.now() >= heldUntil && busyHold > 0 && programs.get(actor)!.isBusy()) {
        heldUntil = performance.now() + busyInterval
        busyHold -= busyInterval
      }
      const left = heldUntil - performance.now()
      if (left > 0) {
        await run.waitForChange(left)
        continue
      }
      notePeaks(state)
      // `explore` does not vary the order, so offer only the first waiting call.
      return { ready: isOrdered ? ready : ready.slice(0, 1) }
    }
  }
}
