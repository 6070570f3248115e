// One run of programs in a sandbox. Whenever every program has ended or has a waiting call, the search chooses a call and its
// fault.
import { removeUnappliedFaults } from '../fault-schedules.ts'
import { Run, takeTurns } from '../run.ts'
import { Ended } from '../search-clock.ts'
import type { Omissions } from '../omissions.ts'
import { type Decide, describeSteps, type GetExpected } from '../steps.ts'
import { Program } from './program.ts'
import { Service } from './service.ts'
import { watchIdlePrograms } from './service-hints.ts'
import type { ProgramEnd } from '../../command-line/running-program.ts'
import {
  type ProgramExit,
  ProgramError,
  type ProgramParts,
  type ProgramRun,
  type RunNotes,
  type ServiceAddress,
  type ServiceOptions,
  type StartOptions,
} from './program-types.ts'
import { raisePeaks } from './compare-records.ts'
import { describeFailedExit, nameProgram } from './describe-exit.ts'

export interface RunOptions extends ProgramParts {
  readonly run: number
  readonly address: string
  /** The runs in progress, by sandbox name. */
  readonly runs: Map<string, RunInSandbox>
  /** Whether the output of the programs goes to the terminal. */
  readonly isShown: boolean
  /** Whether each call waits until every program has one (`interleave`), or passes at once (`explore`). */
  readonly isOrdered: boolean
  /** The longest silence of each program in the serial runs, in milliseconds. */
  readonly silences: Map<string, number>
  /** The concurrent programs: in some run, they sent a call before the response to another. */
  readonly concurrent: Set<string>
  readonly omissions: Omissions
  /** How long to hold the calls of each program, in milliseconds. Undefined if the run is not a probe. */
  readonly holds?: ReadonlyMap<string, readonly number[]> | undefined
  /** The order of a serial run without a fault. Undefined if the programs start together. */
  readonly order?: readonly string[] | undefined
  /** The peak number of records in each group, over the runs without a fault. */
  readonly peaks: Map<string, number>
  readonly getExpected: GetExpected
}

/** How long to wait for another call of a concurrent program, in milliseconds. */
const grace = 100

/** Follows the sandbox in the address of the check, so that its calls are not those of a program: `run-1.check`. */
export const checkSuffix = 'check'

/** A run in progress, for the server that receives its calls. */
export interface RunInSandbox {
  readonly run: Run
  readonly options: RunOptions
  readonly programs: ReadonlyMap<string, Program>
  readonly notes: RunNotes
  /** Aborts to end the programs. */
  readonly ending: AbortController
  readonly markNotTried: (why: string) => void
}

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
      // In `explore`, calls pass on arrival.
      return { ready: isOrdered ? ready : ready.slice(0, 1) }
    }
  }
}

/** Returns how long to wait before the next choice, in milliseconds. Infinity means until a response arrives. */
const getPause = ({ run, options, programs }: RunInSandbox): number => {
  const { isOrdered, settle, concurrent, holds, getExpected } = options
  if (isOrdered && run.inFlight > 0) return Infinity
  const expected = getExpected(run.steps.length)
  /** Returns how long to wait for another call of a program that already has waiting calls. */
  const getLimit = ({ name, arrivals }: Program, ids: readonly string[]) => {
    if (!concurrent.has(name)) return holds?.get(name)?.[arrivals.length - 1] ?? 0
    if (!isOrdered) return 0
    if (expected === undefined) return grace
    return expected.some(({ actor, id }) => actor === name && !ids.includes(id)) ? settle : 0
  }
  const now = performance.now()
  let pause = 0
  for (const program of programs.values()) {
    if (program.hasEnded()) continue
    const { name, active, skippedAtStep } = program
    if (skippedAtStep !== undefined) {
      if (run.steps.length > skippedAtStep) pause = Math.max(pause, getReturnDeadline(program, programs, settle) - now)
      continue
    }
    const ids = run.listWaiting(name).map(({ id }) => id)
    // In `explore`, never wait for a program without a call.
    if (ids.length === 0 && !isOrdered) continue
    if (ids.length === 0 && (program.service?.state === 'starting' || program.service?.isEnding)) {
      pause = Infinity
      continue
    }
    const left = active + (ids.length > 0 ? getLimit(program, ids) : settle) - now
    if (left > 0) pause = Math.max(pause, left)
    else if (ids.length === 0) program.skippedAtStep = run.steps.length
  }
  return pause
}

/** How long a program may take to continue after the program that it waited for, in milliseconds. */
const maxReturn = 1000

/** Returns the time by which a skipped program sends its next call if it was waiting for another program's last step. */
const getReturnDeadline = (program: Program, programs: ReadonlyMap<string, Program>, settle: number): number =>
  Math.max(...[...programs.values()].map((other) => (other === program ? 0 : other.active))) +
  Math.min(settle, maxReturn)

/** Reports why a program was silent for long, or was skipped. Called when it sends a call or ends. */
export const reportReturn = (state: RunInSandbox, program: Program): void => {
  const { run, options, programs, markNotTried } = state
  const { name, skippedAtStep } = program
  if (skippedAtStep === undefined) return reportSilence(state, program)
  program.skippedAtStep = undefined
  const { settle, omissions } = options
  const silence = `sent no call for ${settle / 1000} s`
  if (run.steps.length > skippedAtStep && performance.now() < getReturnDeadline(program, programs, settle))
    omissions.addCaveat(
      `${nameProgram(name)} waited for another program, as for a lock in a shared database: it ${silence}, until the other one ` +
        'went on. Other orders are not possible there. If it is slow instead, raise --settle.',
      `the waiting of ${name}`,
    )
  else markNotTried(`${name} ${silence}, so the others went on without it`)
}

/** A shorter silence is not suspicious, in milliseconds. */
const minSilence = 1000
/** How many times longer than in the serial runs a silence must be, because a busy machine is slower. */
const silenceFactor = 4

/** Adds a caveat if a program was silent for long while others waited: it may have waited for a lock, and given up. */
const reportSilence = ({ run, options, programs }: RunInSandbox, { name, active }: Program): void => {
  const { silences, order, omissions } = options
  const now = performance.now()
  const usual = silences.get(name) ?? 0
  if (run.lives.get(name)?.isKilled || run.listWaiting(name).length > 0) return
  if (order !== undefined) {
    silences.set(name, Math.max(usual, now - active))
    return
  }
  const waiting = [...programs.values()].filter(
    (other) => other.name !== name && run.listWaiting(other.name).length > 0,
  )
  const silence = now - Math.max(active, Math.min(...waiting.map((other) => other.active)))
  if (silence < Math.max(minSilence, silenceFactor * usual)) return
  omissions.addCaveat(
    `${nameProgram(name)} sent no call for a long time while a call of another program waited for its turn. It may have waited ` +
      `for a lock in a shared database or file, and given up: --settle ${minSilence} tries the orders in which it gets the lock.`,
    `the silence of ${name}`,
  )
}
