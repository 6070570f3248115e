import type { Call } from '../../schema/command.ts'
import type { CommandId } from '../../schema/command-routes.ts'
import { commands } from '../../schema/commands.ts'
import { MockError } from '../../schema/error.ts'
import type { ParsedInterleave } from './options.ts'
import { type ExploredRequest, type Outcome, RunError, startRun } from './run.ts'
import type { Search } from './search.ts'

/** A choice: the actors that could continue, the one that did, and how many calls came before. */
interface Step {
  readonly choices: readonly string[]
  readonly chosen: string
  readonly callsBefore: number
}

/** The end of one run of all actors. */
export interface OrderOutcome extends Outcome {
  readonly steps: readonly Step[]
  /** The names of the chosen actors. */
  readonly schedule: readonly string[]
  /** The errors of actors, by name. */
  readonly thrown: ReadonlyMap<string, unknown>
}

/** Returns one of the choices. */
export type Choose = (choices: readonly string[], step: number) => string

/** Assumed: a run with more steps never ends. */
const maxSteps = 1000

interface Actor {
  readonly name: string
  /** Calls that wait for the actor's turn. */
  readonly pending: (() => void)[]
  /** Sleeps, and the times when they end. */
  sleeps: { readonly until: number; readonly wake: () => void }[]
  hasEnded: boolean
}

/** Runs all actors side by side. Whenever all of them wait, `choose` returns the one that continues. */
export const runActors = async (given: ParsedInterleave, choose: Choose, { settle }: Search): Promise<OrderOutcome> => {
  const { core, calls, send, createClient, advance, end } = startRun(given)
  const steps: Step[] = []
  const thrown = new Map<string, unknown>()
  const actors = Object.keys(given.actors).map((name): Actor => ({ name, pending: [], sleeps: [], hasEnded: false }))

  const start = async (actor: Actor): Promise<void> => {
    const { name, pending } = actor
    const inTurn = <T>(call: () => T | Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        pending.push(() => void Promise.resolve().then(call).then(resolve, reject))
      })
    const client = createClient({
      handleRequest: (request) => inTurn(() => send(request, name)),
      call: (id, call) =>
        inTurn(() => {
          const response = core.client.call(id, call)
          calls.push(recordCommand(name, id, call, response))
          return response
        }),
      sleep: (milliseconds) =>
        new Promise((wake) => actor.sleeps.push({ until: core.now() + Math.max(0, milliseconds || 0), wake })),
    })
    await Promise.resolve(client)
      .then(given.actors[name])
      .catch((error: unknown) => thrown.set(name, error))
    actor.hasEnded = true
  }

  const run = async (): Promise<RunError | null> => {
    for (;;) {
      await settle()
      const running = actors.filter(({ hasEnded }) => !hasEnded)
      if (running.length === 0) return null
      const callers = running.filter(({ pending }) => pending.length > 0)
      // Sleeps end when no actor can continue otherwise, the earliest first.
      const until = Math.min(...running.flatMap(({ sleeps }) => sleeps.map((sleep) => sleep.until)))
      const isDue = (sleep: { readonly until: number }) => sleep.until === until
      const ready = callers.length > 0 ? callers : running.filter(({ sleeps }) => sleeps.some(isDue))
      if (ready.length === 0) return createDeadlockError(running)
      if (steps.length === maxSteps) return new RunError('maxCalls', `The actors made more than ${maxSteps} steps.`)
      const choices = ready.map(({ name }) => name)
      const chosen = choose(choices, steps.length)
      steps.push({ choices, chosen, callsBefore: calls.length })
      const actor = ready.find(({ name }) => name === chosen)!
      const call = actor.pending.shift()
      if (call !== undefined) {
        call()
        continue
      }
      const slept = actor.sleeps.find(isDue)!
      actor.sleeps = actor.sleeps.filter((sleep) => sleep !== slept)
      await advance(until - core.now())
      slept.wake()
    }
  }

  for (const actor of actors) void start(actor)
  const outcome = await end(await run())
  return { ...outcome, steps, schedule: steps.map(({ chosen }) => chosen), thrown }
}

const createDeadlockError = (waiting: readonly Actor[]): RunError =>
  new RunError(
    'deadlock',
    `deadlock: no actor can continue, and these have not ended: ${waiting.map(({ name }) => name).join(', ')}. ` +
      'An actor may wait for the mock, for `sleep` and for other actors, not for timers or I/O.',
  )

/** Records a command of the control API. */
const recordCommand = (
  actor: string,
  operation: CommandId,
  { params = {}, body }: Call = {},
  response: Promise<unknown>,
): (() => ExploredRequest) => {
  const { method, path } = commands[operation]
  const scope = params.project === undefined ? '/__admin' : '/__admin/projects/{project}'
  let end: { readonly status: number; readonly value: unknown } | undefined
  response.then(
    (value) => (end = { status: 200, value }),
    (error: unknown) => (end = error instanceof MockError ? { status: error.status, value: error } : undefined),
  )
  return () => ({
    actor,
    operation,
    method,
    path: `${scope}${path}`.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    body: toText(body),
    status: end?.status ?? null,
    response: toText(end?.value),
  })
}

const toText = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
