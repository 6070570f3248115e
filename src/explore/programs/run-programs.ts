// One run of programs in a sandbox. Once each program has a waiting call or has ended, one call is chosen, with or without a
// fault.
import { removeUntriedFaults } from '../fault-schedules.ts'
import { Run, takeTurns } from '../run.ts'
import { Ended } from '../search-clock.ts'
import type { Omissions } from '../omissions.ts'
import { type Decide, describeSteps, type GetExpected } from '../steps.ts'
import { Program } from './program.ts'
import { Service } from './service.ts'
import { watchIdlePrograms } from './service-hints.ts'
import type { ProgramEnd } from '../../command-line/running-program.ts'
import {
  type EndedProgram,
  ProgramError,
  type ProgramParts,
  type ProgramRun,
  type RunNotes,
  type ServiceAddress,
  type ServiceParts,
  type StartOptions,
} from './program-types.ts'
import { raisePeaks } from './compare-records.ts'
import { describeBadEnd, nameProgram } from './describe-end.ts'

export interface RunOptions extends ProgramParts {
  readonly run: number
  readonly address: string
  /** The runs in progress, by the name of their sandbox. */
  readonly runs: Map<string, RunInSandbox>
  /** Whether the output of the programs goes to the terminal. */
  readonly isShown: boolean
  /** Whether calls wait until each program has one. Otherwise each call passes at once. */
  readonly isOrdered: boolean
  /** The programs that sent a call in any run before they had the response to another. */
  readonly concurrent: Set<string>
  readonly omissions: Omissions
  /** How long the calls of each program wait in a probe, in milliseconds. Undefined: the run is no probe. */
  readonly holds?: ReadonlyMap<string, readonly number[]> | undefined
  /** The order in which the programs of a run without a fault run one after the other. Undefined: they start together. */
  readonly order?: readonly string[] | undefined
  /** The largest numbers of records that a run without a fault had at the same time, by what they are. */
  readonly peaks: Map<string, number>
  readonly getExpected: GetExpected
}

/** How long to wait for another call of a program that sends several at the same time, in milliseconds. */
const grace = 100

/** A run in progress, for the server that receives its calls. */
export interface RunInSandbox {
  readonly run: Run
  readonly options: RunOptions
  readonly programs: ReadonlyMap<string, Program>
  readonly notes: RunNotes
  /** Aborts to end the programs. */
  readonly ending: AbortController
  readonly giveUp: (why: string) => void
}

/** Runs the programs to their end. Throws `Ended` if the signal ended them. */
export const runPrograms = async (options: RunOptions, decide: Decide): Promise<ProgramRun> => {
  const { check, reset, signal, timeout, run: number, isShown, isOrdered, runs } = options
  const requireSignal = () => {
    if (signal.aborted) throw new Ended('signal')
  }
  requireSignal()
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
  const giveUp = (why: string) => void (notes.notTried ??= why)
  const state = { run, options, programs, notes, ending, giveUp }
  runs.set(sandbox, state)
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const addresses = new Map<string, ServiceAddress>()
  const killPrograms = () => programs.forEach((program) => program.killNow())
  const endWatch = number === 1 ? watchIdlePrograms(programs, notes, options) : () => {}
  const start = { url: `${options.address}/@${sandbox}`, run: number, timeout, signal, isShown }
  try {
    const resetEnd = await reset?.(start).ended
    requireSignal()
    const resetProblem = resetEnd && describeBadEnd(resetEnd, options)
    if (resetProblem !== undefined) throw new ProgramError(`The program of --reset ${resetProblem}.`, resetEnd?.output)
    for (const [name, service] of options.services) addresses.set(name, await service.openAddress())
    const isComplete = (await takeTurns(run, decide, createTurns(state, programs, start, addresses))) === 'ended'
    run.isOver = true
    if (!isComplete) killPrograms()
    const ends = await waitForEnds(programs)
    requireSignal()
    const projects = core.getRecords()
    notePeaks(state)
    // A fault that did not apply is not for the check.
    await core.client.call('removeFaults')
    const steps = removeUntriedFaults(options.effects, run.steps)
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
    const checkEnd = hasEnded ? await check?.(start).ended : undefined
    requireSignal()
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

const waitForEnds = (programs: ReadonlyMap<string, Program>): Promise<EndedProgram[]> =>
  Promise.all([...programs.values()].map((program) => program.waitForEnd()))

const notePeaks = ({ run, options: { order, peaks } }: RunInSandbox): void => {
  if (order !== undefined) raisePeaks(peaks, run.core.getRecords())
}

/** The longest wait for a change that nothing announces, in milliseconds. */
const maxWait = 10_000

/** How long a service may send no call after the end of its program, until it is ended, in milliseconds. */
const [quietTime, undisturbedQuietTime] = [100, 500]
/** How often a service may exit and be restarted in a run. */
const maxServiceRestarts = 3
/** The longest time that a timer can wait, in milliseconds. */
const noTimeout = 2 ** 31 - 1

const createService = (
  { run, options, notes, ending, giveUp }: RunInSandbox,
  { start: startService }: ServiceParts,
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
      else giveUp([`the service ${problem}`, ...output.slice(-3)].join('\n  '))
    },
    onFailure,
  })
  ending.signal.addEventListener('abort', () => service.killNow())
  return service
}

/** Returns a function that starts the programs, and waits until each has a waiting call or has ended. */
const createTurns = (
  state: RunInSandbox,
  programs: Map<string, Program>,
  start: StartOptions,
  addresses: ReadonlyMap<string, ServiceAddress>,
) => {
  const { run, options, ending, giveUp } = state
  const { isOrdered } = options
  const deadline = performance.now() + options.timeout
  const groups = options.order?.map((name) => [name]) ?? [[...options.programs.keys()]]
  /** Why the run cannot continue: a program could not be started. */
  let failure: unknown
  const noteEnd = (name: string, { escaped }: ProgramEnd): void => {
    const program = programs.get(name)
    if (program !== undefined) noteReturn(state, program)
    if (run.lives.get(name)?.isKilled) {
      if (escaped.length > 0)
        giveUp(`a process left the group of the program, and outlived the crash: ${escaped.join(', ')}`)
    } else {
      if (isOrdered && run.listWaiting(name).length > 0) giveUp('a program ended while one of its calls waited')
      if (escaped.length > 0)
        giveUp(
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
  /** Starts the next programs. Returns false if none are left. */
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
        if (running.every(({ passedOverAt }) => passedOverAt !== undefined) && startNext()) continue
        if (running.length === 0) return { end: 'ended' } as const
      }
      const pause = getPause(state)
      if (ready.length === 0 || pause > 0) {
        await run.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
        continue
      }
      notePeaks(state)
      // Without an order, calls pass as they come.
      return { ready: isOrdered ? ready : ready.slice(0, 1) }
    }
  }
}

/** Returns how long to wait for a program before the next choice, in milliseconds. 0: not at all. Infinity: for a response. */
const getPause = ({ run, options, programs }: RunInSandbox): number => {
  const { isOrdered, settle, concurrent, holds, getExpected } = options
  if (isOrdered && run.inFlight > 0) return Infinity
  const expected = getExpected(run.steps.length)
  /** How long to wait for a further call of a program with these waiting calls. */
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
    const { name, active, passedOverAt } = program
    if (passedOverAt !== undefined) {
      if (run.steps.length > passedOverAt) pause = Math.max(pause, getReturnTime(program, programs, settle) - now)
      continue
    }
    const ids = run.listWaiting(name).map(({ id }) => id)
    // Without an order, nobody waits for a program.
    if (ids.length === 0 && !isOrdered) continue
    if (ids.length === 0 && (program.service?.state === 'starting' || program.service?.isEnding)) {
      pause = Infinity
      continue
    }
    const left = active + (ids.length > 0 ? getLimit(program, ids) : settle) - now
    if (left > 0) pause = Math.max(pause, left)
    else if (ids.length === 0) program.passedOverAt = run.steps.length
  }
  return pause
}

/** How long a program that waits for another one may need to continue after it, in milliseconds. */
const maxReturn = 1000

/** Returns when a program that was passed over must have continued, if it waited for the last step of another one. */
const getReturnTime = (program: Program, programs: ReadonlyMap<string, Program>, settle: number): number =>
  Math.max(...[...programs.values()].map((other) => (other === program ? 0 : other.active))) +
  Math.min(settle, maxReturn)

/** Notes why a program was passed over, now that it sends a call or ends. */
export const noteReturn = ({ run, options, programs, giveUp }: RunInSandbox, program: Program): void => {
  const { name, passedOverAt } = program
  if (passedOverAt === undefined) return
  program.passedOverAt = undefined
  const { settle, omissions } = options
  const silence = `sent no call for ${settle / 1000} s`
  if (run.steps.length > passedOverAt && performance.now() < getReturnTime(program, programs, settle))
    omissions.addCaveat(
      `${nameProgram(name)} waited for another program, as for a lock in a shared database: it ${silence}, until the other one ` +
        'went on. Other orders are not possible there. If it is slow instead, raise --settle.',
      `the waiting of ${name}`,
    )
  else giveUp(`${name} ${silence}, so the others went on without it`)
}
