// One run: all actors side by side, one step at a time, and then the invariant.
import { createCore } from '../../mock/extension.ts'
import { pluralize } from '../../schema/problem.ts'
import {
  buildPublicMock,
  type ClientParts,
  createActorClient,
  replaceSignalTimeouts,
  startTimeout,
} from './actor-client.ts'
import { createCustomers } from './customers.ts'
import { omitUntried } from './explored-faults.ts'
import type { ParsedSearch } from './options.ts'
import { type ExploredEvent, getMessage, type Outcome, RunError } from './result.ts'
import { Ended, type SearchClock } from './search-clock.ts'
import { type Decide, describeSteps, type Step } from './steps.ts'
import { type Life, Turns } from './turns.ts'

/** The end of one run, with its steps. `isComplete` is false if `decide` gave up. */
export interface ExploredRun extends Outcome {
  readonly steps: readonly Step[]
  readonly thrown: ReadonlyMap<string, unknown>
  readonly isComplete: boolean
}

/** The results and errors of the actors so far, by name. */
interface ActorEnds {
  readonly results: Map<string, unknown>
  readonly thrown: Map<string, unknown>
}

/** Runs the actors. Whenever all of them wait, `decide` makes a choice. Throws `Ended` if the search was stopped. */
export const runActors = async (given: ParsedSearch, decide: Decide, clock: SearchClock): Promise<ExploredRun> => {
  const turns = new Turns(given, clock.wake)
  const onAccess = given.orders === 'isolated' ? turns.note : undefined
  const core = createCore(given.mockOptions, { seed: given.seed, onAccess })
  const customers = createCustomers(core, given)
  const actorEnds: ActorEnds = { results: new Map(), thrown: new Map() }
  const events: ExploredEvent[] = []
  const noteEvent = ({ actor }: Life, calls: number, text: string) => {
    const time = new Date(core.now()).toISOString()
    events.push({ actor: given.orders === 'first' ? null : actor, calls, time, text })
  }
  const parts: ClientParts = {
    given,
    core,
    turns,
    customers,
    crash: (life) => {
      turns.crash(life)
      noteEvent(life, turns.countCalls(), 'the code is killed, and starts again')
      startActor(life.actor)
    },
    // Before the call of the step in progress.
    onEvent: (life, text) => noteEvent(life, turns.countCalls() - 1, text),
  }
  using timeouts = replaceSignalTimeouts()
  const lives = new Map<string, Life>()
  const enterActor = (actor: string) => {
    const life = lives.get(actor)
    timeouts.enter(life && ((milliseconds) => startTimeout(life, parts, milliseconds)))
  }
  const startActor = (actor: string): void => {
    const life: Life = { actor, hasCrashed: false }
    lives.set(actor, life)
    const noteEnd = (known: Map<string, unknown>) => (value: unknown) => {
      if (life.hasCrashed) return
      known.set(actor, value)
      turns.running.delete(actor)
      clock.wake()
    }
    void Promise.resolve(createActorClient(life, parts))
      .then((client) => {
        enterActor(actor)
        return given.actors[actor]?.(client)
      })
      .then(noteEnd(actorEnds.results), noteEnd(actorEnds.thrown))
  }
  const decideAndEnter: Decide = (ready, steps) => {
    const decision = decide(ready, steps)
    if (decision !== undefined) enterActor(decision.choice.actor)
    return decision
  }
  try {
    for (const name of Object.keys(given.actors)) startActor(name)
    const end = await takeSteps(given, turns, decideAndEnter, clock, () => core.now())
    timeouts.enter(undefined)
    turns.hasEnded = true
    const steps = omitUntried(given.effects, turns.steps)
    const describedSteps = describeSteps(steps, given.orders !== 'first')
    const check = async () => {
      if (end instanceof RunError) return end
      if (end === 'repeated') return null
      await given.invariant({ mock: buildPublicMock(core), ...describeEnds(given, actorEnds) })
      return findUnexpectedError(given, steps, actorEnds)
    }
    const error = await check().catch((error: unknown) => error ?? new Error(`The invariant threw ${error}.`))
    return { error, ...describedSteps, events, steps, thrown: actorEnds.thrown, isComplete: end !== 'repeated' }
  } finally {
    turns.hasEnded = true
    core.stop()
  }
}

/** Runs until nothing waits. Returns the error of a run that does not end. */
const takeSteps = async (
  given: ParsedSearch,
  turns: Turns,
  decide: Decide,
  clock: SearchClock,
  now: () => number,
): Promise<RunError | 'repeated' | 'ended'> => {
  let lastCall = clock.now()
  for (;;) {
    await clock.settle()
    if (clock.isStopped()) throw new Ended(clock.getStopReason())
    const ready = turns.listChoices()
    const running = [...turns.running]
    const timeLeft = lastCall + given.timeout - clock.now()
    if (ready.length === 0) {
      if (running.length + turns.inFlight === 0) return 'ended'
      if (turns.inFlight === 0 && given.orders !== 'first') return createDeadlockError(running)
      if (timeLeft <= 0) return running.length === 0 ? 'ended' : createTimeoutError(running, given.timeout)
      await clock.waitForWake(timeLeft)
      continue
    }
    const isAsleep = ready.every(({ call }) => call === undefined)
    if (timeLeft <= 0 && isAsleep) return createTimeoutError(running, given.timeout)
    if (turns.countCalls() === given.maxCalls && !isAsleep) return createMaxCallsError(turns.steps, given.maxCalls)
    const decision = decide(ready, turns.steps)
    if (decision === undefined) return 'repeated'
    turns.take(decision.choice, decision.fault, ready, now())
    if (decision.choice.call !== undefined) lastCall = clock.now()
  }
}

const describeEnds = ({ actors, orders }: ParsedSearch, { results, thrown }: ActorEnds) => {
  const inOrder = (actorEnds: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(
      Object.keys(actors).flatMap((name) => (actorEnds.has(name) ? [[name, actorEnds.get(name)]] : [])),
    )
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
