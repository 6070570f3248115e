// Decides how long the other programs wait for a program that makes no call, and reports what a long silence may mean.
import type { Program } from './program.ts'
import type { RunInSandbox, SharedState } from './run-in-sandbox.ts'
import { nameProgram } from './describe-exit.ts'

/** How long to wait for another call from a program that makes several calls at the same time, in milliseconds. */
const grace = 100

/** Returns how long to wait before the next choice, in milliseconds. Infinity means to wait until something changes. */
export const getPause = ({ run, options, programs }: RunInSandbox): number => {
  const { isOrdered, settle, concurrent, getExpected } = options
  if (isOrdered && run.inFlight > 0) return Infinity
  const expected = getExpected(run.steps.length)
  /** Returns how long to wait for another call from a program that already has waiting calls, in milliseconds. */
  const getGrace = (name: string, ids: readonly string[]) => {
    if (!concurrent.has(name) || !isOrdered) return 0
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
    // In `explore`, never wait for a program that has no waiting call.
    if (ids.length === 0 && !isOrdered) continue
    if (ids.length === 0 && (program.service?.state === 'starting' || program.service?.isEnding)) {
      pause = Infinity
      continue
    }
    const left = active + (ids.length > 0 ? getGrace(name, ids) : settle) - now
    if (left > 0) pause = Math.max(pause, left)
    else if (ids.length === 0) program.skippedAtStep = run.steps.length
  }
  return pause
}

/** The maximum time that a program should need to continue after another program has released a lock, in milliseconds. */
const maxReturnTime = 1000

/** Returns a deadline: if a skipped program makes a call before this time, it was probably waiting for another program. */
const getReturnDeadline = (program: Program, programs: ReadonlyMap<string, Program>, settle: number): number =>
  Math.max(...[...programs.values()].map((other) => (other === program ? 0 : other.active))) +
  Math.min(settle, maxReturnTime)

/** Reports the likely reason for a long silence of the program. Called when it makes its next call or ends. */
export const reportReturn = (state: RunInSandbox, program: Program): void => {
  const { run, options, programs, notes } = state
  const { name, skippedAtStep } = program
  if (skippedAtStep === undefined) return reportIdleTime(state, program)
  program.skippedAtStep = undefined
  const { settle, omissions } = options
  const silence = `sent no call for ${settle / 1000} s`
  if (run.steps.length > skippedAtStep && performance.now() < getReturnDeadline(program, programs, settle))
    omissions.addCaveat(
      `${nameProgram(name)} waited for another program, as for a lock in a shared database: it ${silence}, until the other one ` +
        'went on. Other orders are not possible there. If it is slow instead, raise --settle.',
      `the waiting of ${name}`,
    )
  else notes.notTried ??= `${name} ${silence}, so the others went on without it`
}

/** How often to check whether a silent program is busy, in milliseconds. */
const sampleInterval = 100
/** How long a program must be silent before it is checked, in milliseconds. Most programs send their next call sooner. */
const minWatchedSilence = 300

/** Measures how long each silent program is busy instead of waiting, for example for a lock. Returns a stop function. */
export const measureBusyTimes = (programs: ReadonlyMap<string, Program>): (() => void) => {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const program of programs.values())
      if (now - program.active > minWatchedSilence && program.isBusy())
        program.busyTime += now - Math.max(last, program.active)
    last = now
  }, sampleInterval)
  return () => clearInterval(timer)
}

/** The shortest idle time to report, in milliseconds. */
const minIdleTime = 1000
/** An idle time is reported only if it is at least this many times as long as in the serial runs. */
const idleFactor = 4

/** Returns a short `--settle` value at which a merely slow program is not skipped, in milliseconds. */
const getShortSettle = (usual: number): number => Math.max(minIdleTime, Math.ceil((2 * usual) / 1000) * 1000)

/** Adds a caveat if an idle program may have waited for a lock and given up. In serial runs, records the idle time instead. */
const reportIdleTime = (
  { run, options, programs }: RunInSandbox,
  { name, active, exited, busyTime }: Program,
): void => {
  const { idleTimes, order, omissions, switches } = options
  const now = exited ?? performance.now()
  const idleTime = now - active - busyTime
  const usual = idleTimes.get(name) ?? 0
  if (switches === null || run.lives.get(name)?.isKilled || run.listWaiting(name).length > 0) return
  if (order !== undefined) {
    idleTimes.set(name, Math.max(usual, idleTime))
    return
  }
  const othersActive = run.listWaiting().map(({ actor }) => programs.get(actor)!.active)
  const idleWhileOthersWait = Math.min(idleTime, now - Math.min(...othersActive))
  if (idleWhileOthersWait < Math.max(minIdleTime, idleFactor * usual)) return
  omissions.addCaveat(
    `${nameProgram(name)} sent no call for a long time while a call of another program waited for its turn. It may have waited ` +
      `for a lock in a shared database or file, and given up: --settle ${getShortSettle(usual)} tries the orders in which it gets the lock.`,
    `the silence of ${name}`,
  )
}

/** A common lock timeout of SQLite clients, in milliseconds. A wait of this length must not go unnoticed. */
const commonLockTimeout = 5000

/** Adds a caveat for each program whose usual idle time is so long that a wait for a lock would go unnoticed. */
export const noteLongIdleTimes = ({ idleTimes, omissions }: SharedState, settle: number): void => {
  for (const [name, usual] of idleTimes) {
    if (Math.min(idleFactor * usual, settle) < commonLockTimeout) continue
    const shortSettle = getShortSettle(usual)
    const settleHint =
      shortSettle < commonLockTimeout ? `--settle ${shortSettle} tries the orders in which it gets the lock, ` : ''
    omissions.addCaveat(
      `${nameProgram(name)} is idle for ${(usual / 1000).toFixed(1)} s, also when it runs alone. If it waits for a lock in a ` +
        `shared database or file and gives up, that is not noticed: ${settleHint}--isolated says that the programs share nothing.`,
      `the silence of ${name}`,
    )
  }
}
