import { createControl } from '../../client/control.ts'
import { type Core, createCore, type Mock, buildMock, listenWithoutSockets } from '../../mock/mock.ts'
import type { ControlClient } from '../../schema/command.ts'
import type { Client, ParsedSearch } from './options.ts'

/** A call in a run: a request to the mocked API, or a command of the control API by an actor. */
export interface ExploredRequest {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The id of the operation or command. Null: no route matched. */
  readonly operation: string | null
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The text of the body. */
  readonly body: string | null
  /** Null: the client received no response. */
  readonly status: number | null
  /** The text of the response. */
  readonly response: string | null
}

/** The end of one run. */
export interface Outcome {
  /** The error of the invariant, or a `RunError`. Null if the invariant holds. */
  readonly error: unknown
  /** The calls in order of arrival. */
  readonly requests: readonly ExploredRequest[]
}

/** A run that failed. `S` is a fault place, or the name of an actor. */
export interface Failure<S> extends Outcome {
  readonly schedule: readonly S[]
}

/** The error of a run that failed before its invariant was checked: it did not end, or the client code threw. */
export class RunError extends Error {
  override readonly name = 'RunError'
  readonly code: 'deadlock' | 'maxCalls' | 'timeout' | 'flowFailed'

  constructor(code: RunError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The functions of the client that a search intercepts. */
interface Interception extends Pick<Core, 'handleRequest'>, Pick<Client, 'sleep'> {
  /** Runs the commands of the client. @default those of the mock */
  readonly call?: ControlClient['call']
}

/** Starts one run of the client code, with a new mock. */
export const startRun = ({ mockOptions, seed, invariant }: ParsedSearch) => {
  const core = createCore(mockOptions, { seed })
  const sockets = { close: async () => core.stop(), listen: listenWithoutSockets }
  // The calls are read at the end, when their responses are known.
  const calls: (() => ExploredRequest)[] = []
  return {
    core,
    calls,
    /** Sends a request, and records it if it is one to the mocked API. */
    send: async (request: Request, actor: string | null): Promise<Response> => {
      let isDelivered = false
      const response = await core.handleRequest(request, (context) => {
        calls.push(() => ({
          actor,
          operation: context.operation?.id ?? null,
          method: context.req.method,
          path: getPath(context.req.url),
          body: context.text ?? null,
          status: isDelivered ? (context.response?.status ?? null) : null,
          response: isDelivered ? (context.response?.text ?? null) : null,
        }))
      })
      isDelivered = true
      return response
    },
    createClient: ({ handleRequest, call, sleep }: Interception): Client => {
      const own = { ...core, handleRequest }
      let mock: Mock | undefined
      return {
        fetch: buildMock(own, sockets).fetch,
        // Built on first use: most actors only fetch.
        get mock() {
          const control = call === undefined ? core.control : createControl({ ...core.client, call })
          return (mock ??= buildMock({ ...own, control }, sockets))
        },
        sleep,
        now: () => core.now(),
      }
    },
    /** Advances all clocks. Partial milliseconds are rounded up. As for a timer, an invalid number means zero. */
    advance: async (milliseconds: number): Promise<void> => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, Math.ceil(milliseconds) || 0) } })
    },
    /** Ends the run. Returns the given error, or else that of the invariant. */
    end: async (given: RunError | null): Promise<Outcome> => {
      const requests = calls.map((read) => read())
      const check = async () => given ?? (await invariant({ mock: buildMock(core, sockets) }), null)
      const error = await check().catch((thrown: unknown) => thrown ?? new Error(`The invariant threw ${thrown}.`))
      core.stop()
      return { error, requests }
    },
  }
}

const getPath = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))

/** Throws unless the first `count` calls of two runs are the same. */
export const requireSameCalls = (before: Outcome, after: Outcome, count: number): void => {
  for (let index = 0; index < count; index++) {
    const [was, is] = [before, after].map(({ requests }) => describeCall(requests[index]))
    if (was !== is)
      throw new Error(
        `The code does not repeat itself: call ${index + 1} was ${was}, and in a later run it is ${is}. ${keepState}`,
      )
  }
}

export const keepState =
  'Keep all state inside the code under test, or reset it at its start, and use `now` and `sleep` for time.'

const describeCall = (request: ExploredRequest | undefined): string =>
  request === undefined
    ? 'missing'
    : `${request.actor ?? ''} ${request.method} ${request.path} ${request.body ?? ''}`.trim()
