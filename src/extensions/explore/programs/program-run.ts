// One run of programs in a sandbox. Each of their calls waits until it is chosen; what then happens to it is part of the choice.
import { createControl } from '../../../client/control.ts'
import type { Access, Core } from '../../../mock/extension.ts'
import { createCustomers, type ProjectRecords } from '../customers.ts'
import { type Effects, omitUntried } from '../explored-faults.ts'
import { describeSteps, type ExploredEvent, type ExploredRequest } from '../result.ts'
import { type Decide, type GetExpected, noteAccess, type Step } from '../steps.ts'
import type { RunServer } from './held-calls.ts'
import { createRequestHandler } from './program-calls.ts'
import { chooseCalls, type Graces } from './program-turns.ts'
import { describeExit, ProgramError } from './program-verdict.ts'
import { Member, RunState } from './run-state.ts'

/** How a program ended. */
export interface ProgramEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last lines of its output. */
  readonly output: readonly string[]
  readonly isTimedOut: boolean
  /** The names of its processes that did not end with it: they were ended. After `kill`, only those that left its group. */
  readonly escaped: readonly string[]
}

/** A program that has ended. A single program has an empty name. */
export interface EndedProgram extends ProgramEnd {
  readonly name: string
}

/** A program that runs. */
export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>
  /** Ends all of its processes at once. */
  readonly kill: () => void
}

/** Starts a program. */
export type StartProgram = (start: {
  /** The address for its variables and arguments. */
  readonly url: string
  /** The number of the run. */
  readonly run: number
  /** How long it may run, in milliseconds. Then it is ended. */
  readonly timeout: number
  /** Ends it. */
  readonly signal: AbortSignal
  /** Whether its output goes to the terminal instead of the result. */
  readonly isShown: boolean
}) => RunningProgram

/** The arguments of a search that its runs and their verdicts need. */
export interface ProgramOptions {
  /** By name. A single program has an empty one. */
  readonly programs: ReadonlyMap<string, StartProgram>
  readonly check: StartProgram | undefined
  readonly reset: StartProgram | undefined
  readonly effects: Effects
  readonly mustSucceed: readonly string[]
  readonly payAfterReads: number | undefined
  /** Whether a paid invoice may have a link for the rest. */
  readonly allowRest: boolean
  /** The variables that have the address of the sandbox. */
  readonly variables: readonly string[]
  readonly signal: AbortSignal
  readonly maxCalls: number
  /** How long a run may take, in milliseconds. */
  readonly timeout: number
  /** How long a program may send no call before the others go on without it, in milliseconds. */
  readonly settle: number
  /** Creates a mock. `onAccess` notes the reads and writes of its requests. */
  readonly createCore: (onAccess: ((access: Access) => void) | undefined) => Core
}

/** The arguments of one run. */
export interface RunOptions extends ProgramOptions {
  /** The number of the run. */
  readonly run: number
  /** The address of the mock. */
  readonly address: string
  /** The runs in progress, by the name of their sandbox. */
  readonly servers: Map<string, RunServer>
  /** Whether the output of the programs goes to the terminal. */
  readonly isShown: boolean
  /** Whether calls wait until each program has one. Otherwise each call passes at once. */
  readonly isOrdered: boolean
  /** Whether other runs are compared with it. */
  readonly isBaseline: boolean
  readonly graces: Graces
  readonly getExpected: GetExpected
  /** Is called with the records before each call and at the end. */
  readonly onRecords: (projects: ProjectRecords) => void
}

/** A run that came to its end. */
export interface ProgramRun {
  readonly ends: readonly EndedProgram[]
  /** Undefined without a check, and if a program had to be ended. */
  readonly check: ProgramEnd | undefined
  readonly steps: readonly Step[]
  readonly requests: readonly ExploredRequest[]
  readonly events: readonly ExploredEvent[]
  readonly firstRequest: string | undefined
  readonly hasTooManyCalls: boolean
  /** The records at the end. */
  readonly projects: ProjectRecords
  readonly isComplete: boolean
  /** Why the run was not the one that was wanted. Undefined: it was. */
  readonly notTried: string | undefined
  /** Whether a call came late. It may be in time if the run waits longer. */
  readonly isWorthRepeating: boolean
}

/** Runs the programs to their end. Resolves with undefined if the signal ended them. */
export const runPrograms = async (options: RunOptions, decide: Decide): Promise<ProgramRun | undefined> => {
  const { programs, check, reset, signal, timeout, run, isShown, isOrdered, servers, onRecords } = options
  const sandbox = `run-${run}`
  const state: RunState = new RunState(isOrdered, () => new Date(core.now()).toISOString())
  const core = options.createCore(isOrdered ? (access) => noteAccess(state.steps.at(-1), access) : undefined)
  const client = core.getSandboxClient(sandbox)
  const getRecords = () => core.getRecords(sandbox)
  const getProject = (project: string) => createControl(client).project(project)
  const customers = createCustomers(getRecords, getProject, options.payAfterReads)
  const listFaults = () => core.listFaults(sandbox)
  const onRequest = createRequestHandler({ ...options, state, customers, client, getRecords, listFaults })
  servers.set(sandbox, { core, onRequest })
  const { ending, members } = state
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const deadline = performance.now() + timeout
  const start = { url: `${options.address}/@${sandbox}`, run, timeout, signal, isShown }
  try {
    const prepared = await reset?.(start).ended
    if (signal.aborted) return undefined
    if (prepared !== undefined && prepared.exitCode !== 0)
      throw new ProgramError(`The program of --reset ${describeExit(prepared)}.`, prepared.output)
    for (const [name, startProgram] of programs) {
      const own = { ...start, url: isOrdered ? `${start.url}.${name}` : start.url, signal: ending.signal }
      const startInTime = () => startProgram({ ...own, timeout: Math.max(1, deadline - performance.now()) })
      members.set(name, new Member(state, name, startInTime))
    }
    // A program that cannot be started rejects.
    const failed = state.waitForEnds().then(() => never)
    const isComplete = await Promise.race([chooseCalls(state, options, decide, () => onRecords(getRecords())), failed])
    state.isOver = true
    if (!isComplete) state.killPrograms()
    const ends = await state.waitForEnds()
    if (signal.aborted) return undefined
    const projects = getRecords()
    onRecords(projects)
    // A fault that did not apply is not for the check.
    await client.call('removeFaults')
    const hasEnded = isComplete && !state.hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    const checked = hasEnded ? await check?.(start).ended : undefined
    if (signal.aborted) return undefined
    const steps = omitUntried(options.effects, state.steps)
    const { requests } = describeSteps(steps, isOrdered ? 'isolated' : 'first')
    const { events, firstRequest, hasTooManyCalls, hasLateCall: isWorthRepeating, notTried } = state
    const found = { steps, requests, events, firstRequest, hasTooManyCalls, notTried, isWorthRepeating }
    return { ...found, ends, check: checked, projects, isComplete }
  } finally {
    state.isOver = true
    state.killPrograms()
    signal.removeEventListener('abort', end)
    servers.delete(sandbox)
    core.stop()
  }
}

const never = new Promise<never>(() => {})
