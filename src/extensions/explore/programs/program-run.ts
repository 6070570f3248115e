// One run of programs in a sandbox. When each program has a waiting call or has ended, one call is chosen, with or without a
// fault.
import { omitUntried } from '../explored-faults.ts'
import { Ended } from '../search-clock.ts'
import { type Choice, type Decide, describeSteps } from '../steps.ts'
import { ProgramError } from './program-types.ts'
import { describeBadEnd, raisePeaks } from './program-verdict.ts'
import { Member, minGrace, type ProgramRun, type RunOptions, RunState } from './run-state.ts'

/** Runs the programs to their end. Throws `Ended` if the signal ended them. */
export const runPrograms = async (options: RunOptions, decide: Decide): Promise<ProgramRun> => {
  const { programs, check, reset, order, signal, timeout, run, isShown, isOrdered, runs } = options
  const requireSignal = () => {
    if (signal.aborted) throw new Ended('signal')
  }
  requireSignal()
  const state = new RunState(options)
  const { core, ending, members } = state
  const sandbox = `run-${run}`
  runs.set(sandbox, state)
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const deadline = performance.now() + timeout
  const start = { url: `${options.address}/@${sandbox}`, run, timeout, signal, isShown }
  try {
    const resetEnd = await reset?.(start).ended
    requireSignal()
    const resetProblem = resetEnd && describeBadEnd(resetEnd, options)
    if (resetProblem !== undefined) throw new ProgramError(`The program of --reset ${resetProblem}.`, resetEnd?.output)
    const programGroups = order?.map((name) => [name]) ?? [[...programs.keys()]]
    const startNext = () => {
      const groupNames = performance.now() < deadline ? programGroups.shift() : undefined
      for (const name of groupNames ?? []) {
        const programStart = { ...start, url: isOrdered ? `${start.url}.${name}` : start.url, signal: ending.signal }
        const startInTime = () =>
          programs.get(name)!({ ...programStart, timeout: Math.max(1, deadline - performance.now()) })
        members.set(name, new Member(state, name, startInTime))
      }
      return groupNames !== undefined
    }
    const isComplete = await chooseCalls(state, decide, startNext)
    state.isOver = true
    if (!isComplete) state.killPrograms()
    const ends = await state.waitForEnds()
    requireSignal()
    const projects = core.getRecords()
    notePeaks(state)
    // A fault that did not apply is not for the check.
    await core.client.call('removeFaults')
    const steps = omitUntried(options.effects, state.steps)
    const { requests } = describeSteps(steps, isOrdered)
    const { events, firstRequest, hasTooManyCalls, hasOverlaps, isWorthRepeating, notTried } = state
    const runResult = {
      steps,
      requests,
      events,
      firstRequest,
      hasTooManyCalls,
      hasOverlaps,
      notTried,
      isWorthRepeating,
    }
    const hasEnded = isComplete && !hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    const checkEnd = hasEnded ? await check?.(start).ended : undefined
    requireSignal()
    return { ...runResult, ends, check: checkEnd, projects, isComplete }
  } finally {
    state.isOver = true
    state.killPrograms()
    signal.removeEventListener('abort', end)
    runs.delete(sandbox)
    core.stop()
  }
}

const notePeaks = ({ core, options: { order, peaks } }: RunState): void => {
  if (order !== undefined) raisePeaks(peaks, core.getRecords())
}

/** The longest wait for a change that nothing announces, in milliseconds. */
const maxWait = 10_000

/**
 * Chooses calls until all programs have ended. Returns false if `decide` gave up.
 *
 * @param startNext starts the next programs; returns false if none are left
 * @throws unknown if a program could not be started
 */
const chooseCalls = async (state: RunState, decide: Decide, startNext: () => boolean): Promise<boolean> => {
  const { members, options, ending } = state
  for (;;) {
    if (state.failure !== undefined) throw state.failure
    if (ending.signal.aborted) {
      await state.waitForEnds()
      return true
    }
    const waiting = state.countWaiting()
    if (waiting === 0 && state.inFlight === 0) {
      const running = [...members.values()].filter(({ end }) => end === undefined)
      if (running.every(({ isPassedOver }) => isPassedOver) && startNext()) continue
      if (running.length === 0) return true
    }
    const pause = options.isOrdered ? getPause(state) : 0
    if (waiting === 0 || pause > 0) {
      await state.waitForChange(pause > 0 ? Math.min(pause, maxWait) : maxWait)
      continue
    }
    notePeaks(state)
    if (!takeStep(state, decide)) return false
  }
}

/** Returns how long to wait for a program before the next choice, in milliseconds. 0: not at all. Infinity: for a response. */
const getPause = (state: RunState): number => {
  if (state.inFlight > 0) return Infinity
  const { settle, graces, order, getExpected } = state.options
  const expected = getExpected(state.steps.length)
  /** How long to wait for a further call of a program with a waiting call. */
  const getLimit = ({ name, waiting }: Member) => {
    // Only a run without a fault waits for a program that never sent several calls at the same time.
    if (expected === undefined) return graces.get(name) ?? (order === undefined ? 0 : minGrace)
    const ids = new Set(waiting.map(({ choice }) => choice.id))
    return expected.some(({ actor, id }) => actor === name && !ids.has(id)) ? settle : 0
  }
  const now = performance.now()
  let pause = 0
  for (const member of state.members.values()) {
    if (member.end !== undefined || member.isPassedOver) continue
    const left = member.active + (member.waiting.length > 0 ? getLimit(member) : settle) - now
    if (left > 0) pause = Math.max(pause, left)
    else if (member.waiting.length === 0) {
      member.isPassedOver = true
      state.giveUp(`${member.name} sent no call for ${settle / 1000} s, so the others went on without it`)
    }
  }
  return pause
}

/** Lets the call pass that `decide` chooses. Returns false if it gave up. */
const takeStep = (state: RunState, decide: Decide): boolean => {
  const { members, steps, options } = state
  const held = [...members.values()].flatMap((member) =>
    member.waiting
      .toSorted((a, b) => (a.choice.id < b.choice.id ? -1 : 1))
      .map((call, index) => {
        const text = index === 0 ? member.name : `${member.name}:${index + 1}`
        return { member, call, choice: { ...call.choice, text } }
      }),
  )
  // Without an order, calls pass as they come.
  const ready: Choice[] = held.slice(0, options.isOrdered ? undefined : 1).map(({ choice }) => choice)
  const decision = decide(ready, steps)
  if (decision === undefined) return false
  for (const { call } of held) call.wasOffered = true
  const { member, call, choice } = held.find(({ choice }) => choice.id === decision.choice.id)!
  member.waiting = member.waiting.filter((one) => one !== call)
  const step = { ...choice, fault: decision.fault, ready, accesses: new Map(), time: state.getTime() }
  steps.push(step)
  if (state.inFlight++ > 0) state.hasOverlaps = true
  call.proceed(step)
  return true
}
