import { getMessage } from './format-failure.ts'
import type { FaultPlace, ParsedExplore } from './options.ts'
import { type Outcome, RunError, startRun } from './run.ts'
import type { Search } from './search.ts'

/** The end of one run of a flow. */
export interface FlowOutcome extends Outcome {
  /** The error of the flow. Null if it succeeded. */
  readonly thrown: { readonly error: unknown } | null
}

// Faults find their call by this header. Only calls with a fault carry it.
const header = 'mock-explored-call'

/** Runs the flow with faults at some calls. Returns undefined if the search was stopped meanwhile. */
export const runFlow = async (
  given: ParsedExplore,
  schedule: readonly FaultPlace[],
  { settle }: Search,
): Promise<FlowOutcome | undefined> => {
  const { core, calls, send, createClient, advance, end } = startRun(given)
  for (const { call, phase, effect } of schedule) {
    const body = { match: { headers: { [header]: `${call}` } }, phase, effect: given.effects[effect] }
    await core.client.call('addFault', { body })
  }
  const limits = startLimits(given)
  const client = createClient({
    handleRequest: (request) => {
      if (!limits.mayCall()) return waitForever()
      const place = schedule.find(({ call }) => call === calls.length + 1)
      return send(place === undefined ? request : addHeader(request, place.call), null)
    },
    sleep: async (milliseconds) => {
      if (limits.hasEnded()) return waitForever()
      await advance(milliseconds)
      // A flow that only sleeps must not keep the process from its other work.
      await settle()
    },
  })
  const ended = Promise.resolve(client)
    .then(given.flow)
    .then(
      () => null,
      (error: unknown) => ({ error }),
    )
  const how = await Promise.race([ended, limits.reached])
  limits.end()
  if (how === 'stopped') {
    core.stop()
    return undefined
  }
  if (how instanceof RunError) return { ...(await end(how)), thrown: { error: how } }
  const outcome = await end(null)
  const mustSucceed = schedule.length > 0 && schedule.every(({ effect }) => given.mustSucceed.includes(effect))
  const error = outcome.error ?? (how !== null && mustSucceed ? createFlowError(how.error) : null)
  return { ...outcome, error, thrown: how }
}

/** Stops a flow after the end of its run: its next call never returns. */
const waitForever = () => new Promise<never>(() => {})

const addHeader = (request: Request, call: number): Request => {
  const marked = new Request(request)
  marked.headers.set(header, `${call}`)
  return marked
}

const createFlowError = (error: unknown): RunError =>
  new RunError('flowFailed', `The flow must succeed, but threw: ${getMessage(error)}`, { cause: error })

// Kept from the import on: clients may run under fake timers.
const { setTimeout, clearTimeout } = globalThis
const now = performance.now.bind(performance)

/** Watches for the reasons to end a run before its flow. */
const startLimits = ({ maxCalls, timeout, signal }: ParsedExplore) => {
  let count = 0
  let hasEnded = false
  let lastCall = now()
  let reach!: (limit: RunError | 'stopped') => void
  const reached = new Promise<RunError | 'stopped'>((resolve) => (reach = resolve))
  const check = () => {
    const left = lastCall + timeout - now()
    if (left > 0) timer = setTimeout(check, left)
    else reach(new RunError('timeout', `The flow made no call for ${timeout} ms, and did not end.`))
  }
  let timer = setTimeout(check, timeout)
  const stop = () => reach('stopped')
  signal?.addEventListener('abort', stop)
  return {
    reached,
    hasEnded: () => hasEnded,
    /** Counts a call. Returns false if it exceeds the maximum, or the run has ended. */
    mayCall: (): boolean => {
      lastCall = now()
      if (++count > maxCalls) reach(new RunError('maxCalls', `The flow made more than ${maxCalls} calls.`))
      return !hasEnded && count <= maxCalls
    },
    end: () => {
      hasEnded = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    },
  }
}
