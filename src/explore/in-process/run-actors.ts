// Makes one in-process run: starts all actors, lets them take their steps one at a time, then checks the invariant.
import { createCore } from '../../core/mock/extension.ts'
import { pluralize, quote } from '../../core/schema/problem.ts'
import { removeUnappliedFaults } from '../fault-schedules.ts'
import type { ParsedSearch } from '../options.ts'
import { getMessage, type Outcome, RunError } from '../result.ts'
import { type Life, type Participant, Run, type RunEnd, takeTurns } from '../run.ts'
import { encodeName } from '../schedule-text.ts'
import type { SearchClock } from '../search-clock.ts'
import { type Choice, type Decide, describeSteps, isCall, type Step, waitsForOthers } from '../steps.ts'
import { buildPublicMock, createActorClient } from './actor-client.ts'
import { createWorkWaits, watchWork, type WorkWaits } from './real-time-work.ts'
import { replaceSignalTimeouts, type SignalTimeouts } from './signal-timeouts.ts'

export interface ExploredRun extends Outcome {
  readonly steps: readonly Step[]
  readonly thrown: ReadonlyMap<string, unknown>
  readonly caveats: readonly string[]
  readonly isComplete: boolean
  readonly turns: Turns
}

interface Turns {
  /** When each turn began, in milliseconds of real time. */
  readonly starts: number[]
  /** Whether the code waited for something outside the mock, such as a timer or WebCrypto. */
  hasWaited: boolean
}

interface ActorRunOptions {
  /** Called with a caveat if an actor makes a call after the end of the run. */
  readonly onLateCaveat?: (caveat: string) => void
  /** How long to delay each step, in milliseconds, so that concurrent code has time to send other calls. @default no delay */
  readonly holds?: readonly number[] | undefined
  readonly workWaits?: WorkWaits
}

interface ActorEnds {
  readonly results: Map<string, unknown>
  readonly thrown: Map<string, unknown>
}

/** Runs the actors. Whenever all of them wait, `decide` chooses the next step. Rejects with `Ended` if the search stops. */
export const runActors = async (
  options: ParsedSearch,
  decide: Decide,
  clock: SearchClock,
  { onLateCaveat, holds = [], workWaits = createWorkWaits() }: ActorRunOptions = {},
): Promise<ExploredRun> => {
  const { seed, mockOptions, signal, orders } = options
  let end: RunEnd | undefined
  const run = new Run({
    ...options,
    createCore: (onAccess) => createCore(mockOptions, { seed, onAccess }),
    notesAccesses: orders === 'isolated',
    hasNames: orders !== 'first',
    onLateCall: (name) => {
      // If the run was cut off, its actors still run, so late calls are expected.
      if (end !== 'ended') return
      onLateCaveat?.(
        `${orders === 'first' ? 'The flow' : quote(name)} sent a call after its run had ended. It was not tried: await it before the end.`,
      )
    },
  })
  const { core, events } = run
  const actorEnds: ActorEnds = { results: new Map(), thrown: new Map() }
  const turns: Turns = { starts: [], hasWaited: false }
  using timeouts = replaceSignalTimeouts(run)
  signal?.addEventListener('abort', run.wake)
  try {
    for (const name of Object.keys(options.actors)) run.start(createActor(name, options, run, actorEnds, timeouts))
    const decideAndEnter: Decide = (ready, steps) => {
      const decision = decide(ready, steps)
      timeouts.enter(decision && run.lives.get(decision.choice.actor))
      return decision
    }
    end = await takeTurns(run, decideAndEnter, createTurns(options, run, clock, turns, timeouts, holds, workWaits))
    timeouts.enter(undefined)
    run.isOver = true
    // Let code that still waits for a timeout send its late call now, so that a caveat reports the call.
    if (end === 'ended') for (const { timeout } of run.listWaiting()) timeout?.abort()
    const steps = removeUnappliedFaults(options.effects, run.steps)
    const describedSteps = describeSteps(steps, orders !== 'first', "behaviors: { idempotencyKey: 'replay' }")
    const check = async () => {
      if (end instanceof RunError) return end
      if (end === 'repeated') return null
      await run.removeAddedFaults()
      await options.invariant({ mock: buildPublicMock(core), ...describeEnds(options, actorEnds) })
      return findUnexpectedError(options, steps, actorEnds)
    }
    const error = await check().catch((error: unknown) => error ?? new Error(`The invariant threw ${error}.`))
    return {
      error,
      ...describedSteps,
      events,
      steps,
      thrown: actorEnds.thrown,
      caveats: listCaveats(options, run, timeouts),
      isComplete: end !== 'repeated',
      turns,
    }
  } finally {
    run.isOver = true
    signal?.removeEventListener('abort', run.wake)
    core.stop()
  }
}

const listCaveats = (
  { orders }: ParsedSearch,
  { steps, subscribers, workers }: Run,
  { actorsWithMissedTimeouts }: SignalTimeouts,
): string[] => {
  if (orders === 'first')
    return mayOverlap(steps)
      ? [
          'The flow sends calls at the same time, or beside a sleep. They had their turn as they came: `interleave` with this flow ' +
            'as its only actor tries the other orders.',
        ]
      : []
  const missed = [...actorsWithMissedTimeouts].map(
    (name) =>
      `${quote(name)} uses a timeout again after a call without it. That the timeout passes during this call was not tried.`,
  )
  const waiting = steps.flatMap(({ actor, call }) => (call && waitsForOthers(call.request) ? actor : []))
  const waits = [...waiting, ...subscribers].map(
    (name) => `${quote(name)} uses a command that waits for others in real time, and other orders were not tried.`,
  )
  const delays = steps.flatMap(({ actor, call }) =>
    call?.isDelayed
      ? `A fault of the code delays a call of ${quote(actor)} in real time, and other orders were not tried. Use an effect with a delay.`
      : [],
  )
  const work = [...workers].map(
    (name) => `${quote(name)} works in real time, as with a timer or WebCrypto, and other orders were not tried.`,
  )
  return [...missed, ...waits, ...delays, ...work]
}

/** Whether any call was sent without waiting for all earlier calls. Ignores earlier calls that a fault may have delayed. */
const mayOverlap = (steps: readonly Step[]): boolean => {
  /** The number of calls without a fault that led to each step, including the step itself. */
  const counts: number[] = []
  let calls = 0
  return steps.some(({ call, created, fault }, index) => {
    const before = counts[created] ?? 0
    const added = call !== undefined && fault === undefined ? 1 : 0
    counts[index] = before + added
    calls += added
    return call !== undefined && before < calls - added
  })
}

const createActor = (
  name: string,
  options: ParsedSearch,
  run: Run,
  { results, thrown }: ActorEnds,
  timeouts: SignalTimeouts,
): Participant => {
  let issued = 0
  const start = (life: Life): void => {
    const noteEnd = (known: Map<string, unknown>) => (value: unknown) => {
      if (life.isKilled) return
      known.set(name, value)
      run.wake()
    }
    void Promise.resolve(createActorClient(life, run, timeouts))
      .then((client) => {
        timeouts.enter(life)
        return options.actors[name]?.(client)
      })
      .then(noteEnd(results), noteEnd(thrown))
  }
  return {
    name,
    killed: 'code',
    start,
    // There is nothing to stop, because the promises that killed code awaits never settle.
    kill: async () => {},
    hasEnded: () => results.has(name) || thrown.has(name),
    // Pad the number, so that sorting ids as text sorts them by number.
    identify: () => ({ id: `${encodeName(name)}#${`${++issued}`.padStart(7, '0')}`, created: run.steps.length - 1 }),
  }
}

/** Returns a function that waits until every actor has ended or waits for its turn, or until the run ends. */
const createTurns = (
  options: ParsedSearch,
  run: Run,
  clock: SearchClock,
  turns: Turns,
  timeouts: SignalTimeouts,
  holds: readonly number[],
  workWaits: WorkWaits,
) => {
  let lastCall = clock.now()
  let calls = 0
  const findEnd = (ready: readonly Choice[], timeLeft: number): RunEnd | undefined => {
    const running = [...run.lives.values()].flatMap(({ participant }) =>
      participant.hasEnded() ? [] : participant.name,
    )
    if (ready.length === 0) {
      const isAtWork = run.inFlight > 0 || run.isSendingBody()
      if (running.length === 0 && !isAtWork) return 'ended'
      if (!isAtWork && options.orders !== 'first') return createDeadlockError(running)
      if (timeLeft > 0) return undefined
      return running.length === 0 ? 'ended' : createTimeoutError(running, options.timeout)
    }
    const isAsleep = !ready.some(isCall)
    if (timeLeft <= 0 && isAsleep) return createTimeoutError(running, options.timeout)
    return calls === options.maxCalls && !isAsleep ? createMaxCallsError(run.steps, options.maxCalls) : undefined
  }
  return async () => {
    const last = run.steps.at(-1)
    if (last !== undefined && isCall(last)) {
      calls++
      lastCall = clock.now()
    }
    const getWorkTime = watchWork(run, clock, timeouts, workWaits)
    let heldUntil: number | undefined
    for (;;) {
      await clock.settle()
      clock.throwIfLimitReached()
      const ready = run.listChoices()
      const timeLeft = lastCall + options.timeout - clock.now()
      // An immediate call may take several turns of the event loop. Let its client continue before the next choice.
      if (run.immediate === 0 || timeLeft <= 0) {
        const end = findEnd(ready, timeLeft)
        if (end !== undefined) return { end }
        const workTime = getWorkTime(ready.length > 0)
        turns.hasWaited ||= run.workers.size > 0 || (ready.length === 0 && run.inFlight === 0)
        if (turns.hasWaited) workWaits.left = Infinity
        if (workTime > 0) {
          await run.waitForChange(Math.min(workTime, clock.getTimeLeft()))
          continue
        }
        if (ready.length > 0) {
          heldUntil ??= clock.now() + (holds[turns.starts.push(clock.now()) - 1] ?? 0)
          if (heldUntil <= clock.now()) return { ready }
        }
      }
      const wait = heldUntil === undefined ? timeLeft : heldUntil - clock.now()
      await run.waitForChange(Math.min(wait, clock.getTimeLeft()))
    }
  }
}

const describeEnds = ({ actors, orders }: ParsedSearch, { results, thrown }: ActorEnds) => {
  const inOrder = (ends: ReadonlyMap<string, unknown>) => {
    const names = Object.keys(actors).filter((name) => ends.has(name))
    return Object.fromEntries(names.map((name) => [name, ends.get(name)]))
  }
  return {
    result: orders === 'first' ? results.get('flow') : undefined,
    results: inOrder(results),
    thrown: inOrder(thrown),
  }
}

const findUnexpectedError = ({ mustSucceed, orders }: ParsedSearch, steps: readonly Step[], { thrown }: ActorEnds) => {
  const faults = steps.flatMap(({ fault }) => fault ?? [])
  const [[name, cause] = []] = thrown
  if (name === undefined || faults.length === 0 || !faults.every(({ effect }) => mustSucceed.includes(effect)))
    return null
  const failedActor = orders === 'first' ? 'The flow' : `The actor '${name}'`
  return new RunError('flowFailed', `${failedActor} must succeed, but threw: ${getMessage(cause)}`, { cause })
}

const createDeadlockError = (running: readonly string[]): RunError =>
  new RunError(
    'deadlock',
    `deadlock: no actor can continue, and these have not ended: ${running.join(', ')}. An actor may wait for the mock, for ` +
      '`sleep` and for other actors, but not for timers, files, WebCrypto or `setImmediate`: do that work before the search, ' +
      'or synchronously.',
  )

const createTimeoutError = (running: readonly string[], timeout: number): RunError =>
  new RunError('timeout', `No call was made for ${timeout} ms, and these have not ended: ${running.join(', ')}.`)

const createMaxCallsError = (steps: readonly Step[], maxCalls: number): RunError => {
  const [first, ...others] = steps.slice(-100)
  const name = first?.actor
  const isPolling = [first, ...others].every((step) => step?.actor === name && step?.call !== undefined)
  const hint = isPolling
    ? `'${name}' does not sleep between them: a loop that polls must call \`sleep\`.`
    : 'Client code may poll without end, or maxCalls is too low.'
  return new RunError('maxCalls', `The run sends more than ${pluralize(maxCalls, 'call')}. ${hint}`)
}
