// One run of programs in a sandbox. Each of their calls waits until it is chosen; what then happens to it is part of the choice.
import { createControl } from '../../../client/control.ts'
import { createCustomers } from '../customers.ts'
import { isTried } from '../explored-faults.ts'
import { type Decide, noteAccess, type Step } from '../steps.ts'
import { describeProgramStep } from './call-context.ts'
import { createRequestHandler } from './program-calls.ts'
import { killMembers, startMember, waitForEnds } from './program-life.ts'
import { type ProgramParts, type ProgramRun, ResetError, type RunOptions } from './program-parts.ts'
import { chooseCalls } from './program-turns.ts'
import { createMember, RunState } from './run-state.ts'

/** Runs the programs to their end. Resolves with undefined if the signal ended them. */
export const runPrograms = async (
  parts: ProgramParts,
  { createCore, run, url, isShown, isOrdered, getGrace, getExpected, onRecords, onConcurrent, serve }: RunOptions,
  decide: Decide,
): Promise<ProgramRun | undefined> => {
  const { programs, check, reset, effects, payAfterReads, signal, timeout, settle } = parts
  const sandbox = `run-${run}`
  const state: RunState = new RunState(isOrdered, () => new Date(core.now()).toISOString())
  const core = createCore(isOrdered ? (access) => noteAccess(state.steps.at(-1), access) : undefined)
  const client = core.getSandboxClient(sandbox)
  const getRecords = () => core.getRecords(sandbox)
  const customers = createCustomers(getRecords, (project) => createControl(client).project(project), payAfterReads)
  const listFaults = () => core.listFaults(sandbox)
  const onRequest = createRequestHandler(state, { ...parts, customers, client, getRecords, listFaults, onConcurrent })
  const stopServing = serve({ core, sandbox, onRequest })
  const { ending, members } = state
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const deadline = performance.now() + timeout
  const start = { url, run, timeout, signal, isShown }
  try {
    const prepared = await reset?.(start).ended
    if (signal.aborted) return undefined
    if (prepared !== undefined && prepared.exitCode !== 0) throw new ResetError(prepared)
    for (const [name, startProgram] of programs) {
      const own = { ...start, url: isOrdered ? `${url}.${name}` : url, signal: ending.signal }
      const startInTime = () => startProgram({ ...own, timeout: Math.max(1, deadline - performance.now()) })
      members.set(name, createMember(name, startInTime))
    }
    for (const member of members.values()) startMember(state, member)
    // A program that cannot be started rejects.
    const failed = [...members.values()].map(({ running }) => running!.ended.then(() => never))
    const turnOptions = { settle, getGrace, getExpected, onChoice: () => onRecords?.(getRecords()) }
    const isComplete = await Promise.race([chooseCalls(state, turnOptions, decide), ...failed])
    state.isOver = true
    if (!isComplete) killMembers(state)
    const ends = await waitForEnds(state)
    if (signal.aborted) return undefined
    const projects = getRecords()
    onRecords?.(projects)
    // A fault that did not apply is not for the check.
    await client.call('removeFaults')
    const hasEnded = isComplete && !state.hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    const checked = hasEnded ? await check?.(start).ended : undefined
    if (signal.aborted) return undefined
    const steps = state.steps.map((step): Step => {
      const { fault, call } = step
      return fault === undefined || isTried(effects, fault, call) ? step : { ...step, fault: undefined }
    })
    const { events, firstRequest, hasTooManyCalls, hasLateCall, notTried } = state
    const requests = steps.map(describeProgramStep)
    return {
      ends,
      check: checked,
      steps,
      requests,
      events,
      firstRequest,
      hasTooManyCalls,
      projects,
      isComplete,
      notTried,
      isWorthRepeating: hasLateCall,
    }
  } finally {
    state.isOver = true
    killMembers(state)
    signal.removeEventListener('abort', end)
    stopServing()
    core.stop()
  }
}

const never = new Promise<never>(() => {})
