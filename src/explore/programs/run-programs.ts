// One run of programs in a sandbox. When every program has ended or waits, the search chooses a call and its fault.
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

/** Throws `Ended` if the signal aborts the run. */
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
    const isComplete = (await takeTurns(run, decide, createTurns(state, start, addresses))) === 'ended'
    run.isOver = true
    if (!isComplete) killPrograms()
    const ends = await waitForEnds(programs)
    throwIfAborted()
    const projects = core.getRecords()
    notePeaks(state)
    // Remove leftover faults, so that they do not apply to the check.
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

/** In milliseconds. Some changes have no event, so the run looks for changes at least this often. */
const maxWait = 10_000

/** Returns how long a service that runs already must stay idle before the run ends, in milliseconds. */
const getRest = (programs: ReadonlyMap<string, Program>, deadline: number): number => {
  const lastActive = Math.max(...[...programs.values()].map(({ active }) => active))
  return Math.min(lastActive + longQuietTime, deadline) - performance.now()
}

/** The maximum extra time, in milliseconds, for which a probe holds calls while a program has a busy thread. */
const maxBusyHold = 2000
/** The interval between checks for a busy thread, in milliseconds. */
const busyInterval = 20

/** The longest delay that `setTimeout` supports, in milliseconds. */
const noTimeout = 2 ** 31 - 1

/** Returns a function that starts the programs, and resolves when each program has ended or has a waiting call. */
const createTurns = (state: RunInSandbox, start: StartOptions, addresses: ReadonlyMap<string, ServiceAddress>) => {
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
      const ownStart = { url: `${url}.service`, port: address?.getPort(), timeout: noTimeout }
      return options.services.get(name)!.start({ ...processStart, ...ownStart })
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
  /** Returns false if no group is left. */
  const startNext = (): boolean => {
    const names = performance.now() < deadline ? groups.shift() : undefined
    for (const name of names ?? []) {
      const program = createProgram(name)
      programs.set(name, program)
      run.start(program)
    }
    return names !== undefined
  }
  /** Returns how long a probe holds the waiting call. A program that is known to be concurrent needs no probe. */
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
          // In an undisturbed run, work after the end of the program is an error, so do not wait for the rest of it.
          const isRefused = isUndisturbed && notes.unawaitedCall !== undefined
          const rest = options.hasFixedAddress && !isRefused ? getRest(programs, deadline) : 0
          if (rest <= 0) return { end: 'ended' } as const
          await run.waitForChange(rest)
          continue
        }
      }
      const pause = getPause(state)
      if (ready.length === 0 || pause > 0) {
        await run.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
        continue
      }
      // Start the hold only now. On a busy machine, an earlier hold could end before other threads had time to run.
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
      // `explore` does not vary the order: the first waiting call passes.
      return { ready: isOrdered ? ready : ready.slice(0, 1) }
    }
  }
}
