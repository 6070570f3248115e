// One run: all actors side by side, one step at a time.
import { createControl } from '../../client/control.ts'
import type { OnAccess } from '../../domain/transaction.ts'
import { buildMock, type Core, createCore, type Mock } from '../../mock/mock.ts'
import type { CommandId } from '../../schema/command-routes.ts'
import { recordCommands } from '../../schema/commands/records.ts'
import { anything } from './dependence.ts'
import { type ActorCall, recordCommand, recordRequest } from './explored-request.ts'
import type { Client, ParsedSearch } from './options.ts'
import {
  type Choice,
  createDeadlockError,
  createMaxCallsError,
  createTimeoutError,
  type Decide,
  findUnexpectedError,
  type ExploredRun,
  listRequests,
  listSleeps,
  type RunError,
  type Step,
} from './outcome.ts'
import { type CallFault, encodeName } from './schedule.ts'
import type { SearchClock } from './search-clock.ts'

interface Item extends Choice {
  readonly actor: string
  readonly created: number
  /** When a sleep ends. Undefined for a call. */
  readonly until: number | undefined
  /** How many sleeps have ended since the call waits. */
  overtaken: number
  readonly call: ActorCall | undefined
  readonly start: (fault: CallFault | undefined) => void
}

// Only a call with a fault has this header.
const header = 'mock-explored-call'

const listen = () =>
  Promise.reject(
    new Error(
      'Failed to listen: calls over a socket cannot be ordered. Give the client the `fetch` of its actor. For a client that ' +
        'takes none, use paylinkHandlers({ ...mock, fetch }, baseUrl) of paylink-mock/msw.',
    ),
  )

/** Runs the actors. Whenever all of them wait, `decide` makes a choice. Returns undefined if the search was stopped. */
export const runActors = async (
  given: ParsedSearch,
  decide: Decide,
  clock: SearchClock,
): Promise<ExploredRun | undefined> => {
  const steps: Step[] = []
  const note: OnAccess = (access) =>
    steps.at(-1)?.accesses.set(`${access.project} ${access.part} ${access.isWrite}`, access)
  const onAccess = given.orders === 'isolated' ? note : undefined
  const core = createCore(given.mockOptions, { seed: given.seed, onAccess })
  const sockets = { close: async () => core.stop(), listen }
  const results = new Map<string, unknown>()
  const thrown = new Map<string, unknown>()
  const names = Object.keys(given.actors)
  const issued = new Map<string, number>()
  const ownFaults = new Set<string>()
  let items: Item[] = []
  let inFlight = 0
  let hasEnded = false
  let lastCall = clock.now()

  /** Waits for the turn of a call or a sleep, and then starts it. */
  const inTurn = <T>(
    actor: string,
    start: (fault: CallFault | undefined) => T | Promise<T>,
    { until, call }: { readonly until?: number; readonly call?: ActorCall },
  ) =>
    new Promise<T>((resolve, reject) => {
      // After the end of its run, client code gets no further.
      if (hasEnded) return
      const count = (issued.get(actor) ?? 0) + 1
      issued.set(actor, count)
      const run = async (fault: CallFault | undefined) => {
        const hangs = fault !== undefined && given.effects[fault.effect]?.connection === 'hang'
        if (!hangs) inFlight++
        await Promise.resolve(fault).then(start).then(resolve, reject)
        if (!hangs) inFlight--
        clock.wake()
      }
      const id = `${encodeName(actor)}#${count}`
      items.push({
        id,
        text: '',
        isSleep: until !== undefined,
        actor,
        created: steps.length - 1,
        until,
        overtaken: 0,
        call,
        start: (fault) => void run(fault),
      })
      clock.wake()
    })
  const sleep = (actor: string, milliseconds: number): Promise<void> => {
    note({ project: '*', part: 'clock', isWrite: false })
    // As for a timer, an invalid number means zero.
    const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
    const advance = async () => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
    }
    return inTurn(actor, advance, { until })
  }
  const sendWithFault = async (
    call: ReturnType<typeof recordRequest>,
    fault: CallFault,
    actor: string,
  ): Promise<Response> => {
    const { phase, effect: name } = fault
    const { delay, ...effect } = given.effects[name]!
    const wait = async () => delay && (await sleep(actor, delay.milliseconds))
    if (phase === 'before') await wait()
    const marked = new Request(call.request)
    if (Object.keys(effect).length > 0) {
      marked.headers.set(header, '')
      // A rate limit also counts the calls that follow.
      const match = effect.rateLimit === undefined ? { headers: { [header]: '' } } : {}
      const { id } = await core.client.call('addFault', { body: { match, phase, effect } })
      if (effect.rateLimit === undefined) ownFaults.add(id)
    }
    const response = await call.send(marked)
    if (phase === 'after') await wait()
    return response
  }
  const createClient = (actor: string): Client => {
    const own: Core = {
      ...core,
      handleRequest: (request) => {
        const call = recordRequest(core, request, note, ownFaults)
        return inTurn(
          actor,
          (fault) => (fault === undefined ? call.send(request) : sendWithFault(call, fault, actor)),
          { call },
        )
      },
    }
    let mock: Mock | undefined
    return {
      fetch: buildMock(own, sockets).fetch,
      // Built on first use: most actors only fetch.
      get mock() {
        const control = createControl({
          ...core.client,
          call: (id, sent) => {
            const call = recordCommand(id, sent)
            return inTurn(
              actor,
              () => {
                note(
                  isTracked(id, sent?.params)
                    ? { project: sent!.params!.project!, part: 'behaviors', isWrite: false }
                    : anything,
                )
                return call.watch(core.client.call(id, sent))
              },
              { call },
            )
          },
        })
        return (mock ??= buildMock({ ...own, control }, sockets))
      },
      sleep: (milliseconds) => sleep(actor, milliseconds),
      now: () => {
        note({ project: '*', part: 'clock', isWrite: false })
        return core.now()
      },
    }
  }
  const start = async (actor: string) => {
    await Promise.resolve(createClient(actor))
      .then(given.actors[actor])
      .then(
        (value) => results.set(actor, value),
        (error: unknown) => thrown.set(actor, error),
      )
    clock.wake()
  }
  /** Lists the choices: each call that waits, and the sleeps that end first. */
  const listChoices = (): Item[] => {
    const calls = items.filter(({ until }) => until === undefined)
    const isOvertaken = calls.some(({ overtaken }) => overtaken >= given.overtakes)
    const until = isOvertaken ? NaN : Math.min(...items.map((item) => item.until ?? Infinity))
    const sleeps = items.filter((item) => item.until === until && until !== Infinity)
    const withText = (list: readonly Item[], toSuffix: (position: number) => string) =>
      names.flatMap((actor) =>
        list
          .filter((item) => item.actor === actor)
          .map((item, index) => ({ ...item, text: `${encodeName(actor)}${toSuffix(index + 1)}` })),
      )
    return [
      ...withText(calls, (position) => (position === 1 ? '' : `:${position}`)),
      ...withText(sleeps, (position) => (position === 1 ? ':sleep' : `:sleep${position}`)),
    ]
  }
  const step = (
    { id, text, isSleep, actor, created, until, call, start }: Item,
    fault: CallFault | undefined,
    ready: Item[],
  ) => {
    items = items.filter((item) => item.id !== id)
    if (call === undefined) for (const item of items) item.overtaken++
    else lastCall = clock.now()
    steps.push({
      id,
      text,
      isSleep,
      actor,
      fault,
      created,
      ready,
      call,
      accesses: new Map(),
      time: new Date(Math.max(core.now(), until ?? 0)).toISOString(),
    })
    start(fault)
  }
  /** Runs until nothing waits. Returns the error of a run that does not end. */
  const runSteps = async (): Promise<RunError | 'stopped' | 'repeated' | undefined> => {
    for (;;) {
      await clock.settle()
      if (clock.isStopped()) return 'stopped'
      const ready = listChoices()
      const running = names.filter((name) => !results.has(name) && !thrown.has(name))
      const left = lastCall + given.timeout - clock.now()
      if (ready.length === 0) {
        if (running.length + inFlight === 0) return undefined
        if (inFlight === 0 && given.orders !== 'first') return createDeadlockError(running)
        if (left > 0) await clock.waitForWake(left)
        else return running.length === 0 ? undefined : createTimeoutError(running, given.timeout)
        continue
      }
      if (left <= 0 && ready[0]!.until !== undefined) return createTimeoutError(running, given.timeout)
      const calls = steps.filter(({ isSleep }) => !isSleep)
      if (calls.length === given.maxCalls && ready[0]!.until === undefined)
        return createMaxCallsError(steps, given.maxCalls)
      const decision = decide(ready, steps)
      if (decision === undefined) return 'repeated'
      step(
        ready.find(({ id }) => id === decision.choice.id)!,
        decision.fault,
        ready,
      )
    }
  }
  try {
    for (const name of names) void start(name)
    const end = await runSteps()
    hasEnded = true
    if (end === 'stopped') return undefined
    const mock = buildMock(core, sockets)
    const inOrder = (ends: ReadonlyMap<string, unknown>) =>
      Object.fromEntries(names.filter((name) => ends.has(name)).map((name) => [name, ends.get(name)]))
    const seen = {
      mock,
      result: results.get('flow'),
      results: inOrder(results),
      thrown: inOrder(thrown),
    }
    const check = async () => {
      if (end !== undefined) return end === 'repeated' ? null : end
      await given.invariant(given.orders === 'first' ? seen : { ...seen, result: undefined })
      return findUnexpectedError(given, steps, thrown)
    }
    const requests = listRequests(given, steps)
    const error = await check().catch((error: unknown) => error ?? new Error(`The invariant threw ${error}.`))
    return { error, requests, sleeps: listSleeps(given, steps), steps, thrown, isComplete: end !== 'repeated' }
  } finally {
    hasEnded = true
    core.stop()
  }
}

// Their handlers read and write only with transactions, which report it.
const isTracked = (id: CommandId, params: Readonly<Record<string, string>> | undefined): boolean =>
  id in recordCommands && params?.project !== undefined
