// One run of programs in a sandbox. Each of their calls waits until it is chosen; what then happens to it is part of the choice.
import { createCustomers, type ProjectRecords } from '../customers.ts'
import { omitUntried } from '../explored-faults.ts'
import { type Decide, describeSteps, noteAccess } from '../steps.ts'
import { createRequestHandler, type RunServer } from './hold-calls.ts'
import type { ProgramParts, ProgramRun } from './program-types.ts'
import { chooseCalls, type TurnOptions } from './program-turns.ts'
import { describeBadEnd, ProgramError } from './program-verdict.ts'
import { Member, RunState } from './run-state.ts'

export interface RunOptions extends ProgramParts, Omit<TurnOptions, 'settle'> {
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
  /** Is called with the records before each call and at the end. */
  readonly onRecords: (projects: ProjectRecords) => void
}

/** Runs the programs to their end. Resolves with undefined if the signal ended them. */
export const runPrograms = async (options: RunOptions, decide: Decide): Promise<ProgramRun | undefined> => {
  const { programs, check, reset, signal, timeout, run, isShown, isOrdered, servers, onRecords } = options
  const sandbox = `run-${run}`
  const state: RunState = new RunState(isOrdered, () => new Date(core.now()).toISOString())
  const core = options.createCore({
    sandbox,
    onAccess: isOrdered ? (access) => noteAccess(state.steps.at(-1), access) : undefined,
  })
  const customers = createCustomers(core, options.payAfterReads)
  const onRequest = createRequestHandler({ ...options, state, customers, core })
  servers.set(sandbox, { core, onRequest })
  const { ending, members } = state
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const deadline = performance.now() + timeout
  const start = { url: `${options.address}/@${sandbox}`, run, timeout, signal, isShown }
  try {
    const prepared = await reset?.(start).ended
    if (signal.aborted) return undefined
    const problem = prepared && describeBadEnd(prepared, options)
    if (problem !== undefined) throw new ProgramError(`The program of --reset ${problem}.`, prepared?.output)
    const groups = options.order?.map((name) => [name]) ?? [[...programs.keys()]]
    const startNext = () => {
      const names = performance.now() < deadline ? groups.shift() : undefined
      for (const name of names ?? []) {
        const own = { ...start, url: isOrdered ? `${start.url}.${name}` : start.url, signal: ending.signal }
        const startInTime = () => programs.get(name)!({ ...own, timeout: Math.max(1, deadline - performance.now()) })
        members.set(name, new Member(state, name, startInTime))
      }
      return names !== undefined
    }
    const isComplete = await chooseCalls(state, options, {
      decide,
      startNext,
      onChoice: () => onRecords(core.getRecords()),
    })
    state.isOver = true
    if (!isComplete) state.killPrograms()
    const ends = await state.waitForEnds()
    if (signal.aborted) return undefined
    const projects = core.getRecords()
    onRecords(projects)
    // A fault that did not apply is not for the check.
    await core.client.call('removeFaults')
    const hasEnded = isComplete && !state.hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    // A check may have the address of the program.
    servers.set(sandbox, { core, onRequest: (_request, _suffix, pass) => pass() })
    const checked = hasEnded ? await check?.(start).ended : undefined
    if (signal.aborted) return undefined
    const steps = omitUntried(options.effects, state.steps)
    const { requests } = describeSteps(steps, isOrdered)
    const { events, firstRequest, hasTooManyCalls, hasOverlaps, hasLateCall: isWorthRepeating, notTried } = state
    const found = { steps, requests, events, firstRequest, hasTooManyCalls, hasOverlaps, notTried, isWorthRepeating }
    return { ...found, ends, check: checked, projects, isComplete }
  } finally {
    state.isOver = true
    state.killPrograms()
    signal.removeEventListener('abort', end)
    servers.delete(sandbox)
    core.stop()
  }
}
