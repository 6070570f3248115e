// One run of programs in a sandbox. Whenever every program has ended or has a waiting call, the search chooses a call and its
// fault.
import { removeUnappliedFaults } from '../fault-schedules.ts'
import { Run, takeTurns } from '../run.ts'
import { Ended } from '../search-clock.ts'
import { type Decide, describeSteps } from '../steps.ts'
import { Program } from './program.ts'
import { Service } from './service.ts'
import { watchIdlePrograms } from './service-hints.ts'
import type { ProgramEnd } from '../../command-line/running-program.ts'
import {
  type ProgramExit,
  ProgramError,
  type ProgramRun,
  type RunNotes,
  type ServiceAddress,
  type ServiceOptions,
  type StartOptions,
} from './program-types.ts'
import { raisePeaks } from './compare-records.ts'
import { describeFailedExit } from './describe-exit.ts'
import { checkSuffix, type RunInSandbox, type RunOptions } from './run-in-sandbox.ts'
import { getPause, reportReturn } from './silent-programs.ts'

/** Runs the programs until they end. Throws `Ended` if the signal aborts the run. */
export const runPrograms = async (options: RunOptions, decide: Decide): Promise<ProgramRun> => {
  const { check, reset, signal, timeout, run: number, isShown, isOrdered, runs } = options
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
  })
  const { core } = run
  const notes: RunNotes = { hasTooManyCalls: false }
  const programs = new Map<string, Program>()
  const ending = new AbortController()
  const markNotTried = (why: string) => void (notes.notTried ??= why)
  const state = { run, options, programs, notes, ending, markNotTried }
  runs.set(sandbox, state)
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const addresses = new Map<string, ServiceAddress>()
  const killPrograms = () => programs.forEach((program) => program.killNow())
  const endWatch = number === 1 ? watchIdlePrograms(programs, notes, options) : () => {}
  const start = { url: `${options.address}/@${sandbox}`, run: number, timeout, signal, isShown }
  try {
    const resetEnd = await reset?.(start).ended
    throwIfAborted()
    const resetProblem = resetEnd && describeFailedExit(resetEnd, options)
    if (resetProblem !== undefined) throw new ProgramError(`The program of --reset ${resetProblem}.`, resetEnd?.output)
    for (const [name, service] of options.services) addresses.set(name, await service.openAddress())
    const isComplete = (await takeTurns(run, decide, createTurns(state, programs, start, addresses))) === 'ended'
    run.isOver = true
    if (!isComplete) killPrograms()
    const ends = await waitForEnds(programs)
    throwIfAborted()
    const projects = core.getRecords()
    notePeaks(state)
    // Remove faults that did not apply, so that they do not apply to the check.
    await core.client.call('removeFaults')
    const steps = removeUnappliedFaults(options.effects, run.steps)
    const { requests } = describeSteps(steps, isOrdered, '--behavior idempotencyKey=replay')
    const arrivals = new Map([...programs].map(([name, program]) => [name, program.arrivals]))
    const runResult = {
      ...notes,
      steps,
      requests,
      events: run.events,
      touched: run.customers.touched,
      arrivals,
      ends,
      projects,
      isComplete,
    }
    const hasEnded = isComplete && !notes.hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    const checkEnd = hasEnded ? await check?.({ ...start, url: `${start.url}.${checkSuffix}` }).ended : undefined
    throwIfAborted()
    return { ...runResult, check: checkEnd }
  } finally {
    run.isOver = true
    endWatch()
    killPrograms()
    for (const address of addresses.values()) address.close()
    signal.removeEventListener('abort', end)
    runs.delete(sandbox)
    core.stop()
  }
}

const waitForEnds = (programs: ReadonlyMap<string, Program>): Promise<ProgramExit[]> =>
  Promise.all([...programs.values()].map((program) => program.waitForEnd()))

const notePeaks = ({ run, options: { order, peaks } }: RunInSandbox): void => {
  if (order !== undefined) raisePeaks(peaks, run.core.getRecords())
}

/** The maximum interval between checks for a change, in milliseconds. Some changes have no event. */
const maxWait = 10_000

/** How long a service must be idle after the end of its program before it is stopped, in milliseconds. */
const [quietTime, undisturbedQuietTime] = [100, 500]
/** The maximum number of restarts of a service after it exits by itself. */
const maxServiceRestarts = 3
/** The longest delay that `setTimeout` supports, in milliseconds. */
const noTimeout = 2 ** 31 - 1

const createService = (
  { run, options, notes, ending, markNotTried }: RunInSandbox,
  { start: startService }: ServiceOptions,
  address: ServiceAddress,
  {
    name,
    deadline,
    start,
    onFailure,
  }: {
    readonly name: string
    readonly deadline: number
    readonly start: StartOptions
    readonly onFailure: (error: unknown) => void
  },
): Service => {
  const isUndisturbed = options.order !== undefined || options.holds !== undefined
  const service = new Service({
    address,
    startProcess: () => startService({ ...start, port: address.getPort(), timeout: noTimeout }),
    deadline,
    quietTime: isUndisturbed ? undisturbedQuietTime : quietTime,
    maxRestarts: isUndisturbed ? 0 : maxServiceRestarts,
    hasCalls: () => run.inFlight > 0 || run.listWaiting(name).length > 0,
    restart: (life, event) => {
      notes.serviceRestart ??= event
      run.restart(life, event)
    },
    onDown: (problem, output) => {
      if (isUndisturbed) onFailure(new ProgramError(`The service ${problem}`, output))
      else markNotTried([`the service ${problem}`, ...output.slice(-3)].join('\n  '))
    },
    onFailure,
  })
  ending.signal.addEventListener('abort', () => service.killNow())
  return service
}

/** Returns a function that starts the programs, and resolves when each has ended or has a waiting call. */
const createTurns = (
  state: RunInSandbox,
  programs: Map<string, Program>,
  start: StartOptions,
  addresses: ReadonlyMap<string, ServiceAddress>,
) => {
  const { run, options, ending, markNotTried } = state
  const { isOrdered } = options
  const deadline = performance.now() + options.timeout
  const groups = options.order?.map((name) => [name]) ?? [[...options.programs.keys()]]
  /** The error of a program that could not be started. */
  let failure: unknown
  const noteEnd = (name: string, { escaped }: ProgramEnd): void => {
    const program = programs.get(name)
    if (program !== undefined) reportReturn(state, program)
    if (run.lives.get(name)?.isKilled) {
      if (escaped.length > 0)
        markNotTried(`a process left the group of the program, and outlived the crash: ${escaped.join(', ')}`)
    } else {
      if (isOrdered && run.listWaiting(name).length > 0) markNotTried('a program ended while one of its calls waited')
      if (escaped.length > 0)
        markNotTried(
          `a process outlived its program, and was ended with it: ${escaped.join(', ')}. Start a web service with --service. In a shell ` +
            "script, trap 'kill $!' EXIT ends what it has started.",
        )
    }
    run.wake()
  }
  const createProgram = (name: string): Program => {
    const url = isOrdered ? `${start.url}.${name}` : start.url
    const address = addresses.get(name)
    const programStart = { ...start, url, signal: ending.signal, serviceUrl: address?.url }
    const startProcess = () =>
      options.programs.get(name)!({
        ...programStart,
        port: address?.getPort(),
        timeout: Math.max(1, deadline - performance.now()),
      })
    const noteFailure = (error: unknown) => {
      failure ??= error
      run.wake()
    }
    const serviceStart = { name, deadline, start: { ...programStart, url: `${url}.service` }, onFailure: noteFailure }
    const service = address && createService(state, options.services.get(name)!, address, serviceStart)
    return new Program(name, startProcess, service, (end) => noteEnd(name, end), noteFailure)
  }
  /** Starts the next group of programs. Returns false if there is none. */
  const startNext = (): boolean => {
    const names = performance.now() < deadline ? groups.shift() : undefined
    for (const name of names ?? []) {
      const program = createProgram(name)
      programs.set(name, program)
      run.start(program)
    }
    return names !== undefined
  }
  return async () => {
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
        if (running.length === 0) return { end: 'ended' } as const
      }
      const pause = getPause(state)
      if (ready.length === 0 || pause > 0) {
        await run.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
        continue
      }
      notePeaks(state)
      // `explore` searches no orders: it lets the first waiting call pass.
      return { ready: isOrdered ? ready : ready.slice(0, 1) }
    }
  }
}
