// The client of an actor: each call and each sleep waits for its turn. Calls report what they read and wrote.
import { createControl } from '../../client/control.ts'
import type { Mock } from '../../index.ts'
import {
  type Access,
  buildMock,
  type Call,
  type CommandId,
  commands,
  type ControlClient,
  type Core,
  getCommandPath,
  type ObservedRequest,
  type OnArrival,
  splitSandboxPath,
} from '../../mock/extension.ts'
import { MockError } from '../../schema/error.ts'
import { getTarget } from '../../schema/url.ts'
import type { Effect } from '../../schema/fault.ts'
import type { Customers } from './customers.ts'
import { findOperation } from './find-operation.ts'
import type { Client, ParsedSearch } from './options.ts'
import type { CallFault } from './schedule-text.ts'
import { type ActorCall, anything, listAccesses } from './steps.ts'
import type { Life, Turns } from './turns.ts'

const clockRead: Access = { project: '*', part: 'clock', isWrite: false }

// Only a call with a fault has this header.
const header = 'mock-explored-call'

/** The paths of commands that read and write only records and payments. */
const recordPath = /^\/(?:users|paymentLinks|scheduledPayments)/

/** The parts that the clients of a run need besides the mock. */
interface ClientParts {
  readonly turns: Turns
  readonly customers: Customers
  /** Ends the code of an actor, and starts it again. */
  readonly crash: (life: Life) => void
  /** Notes what happens between two calls. */
  readonly onEvent: (life: Life, text: string) => void
}

/** Returns functions that create the client of an actor, and the signal of a timeout of its code. */
export const createClients = (
  { effects, watchesLinks }: ParsedSearch,
  core: Core,
  { turns, customers, crash, onEvent }: ClientParts,
) => {
  /** The ids of the faults of the search. */
  const ownFaults = new Set<string>()

  /** Records a request, and reports what it reads and writes besides its transactions. */
  const recordRequest = ({ actor }: Life, request: Request, isDead: () => boolean) => {
    // Read at once, like by `fetch`: a client may abort the call and still be the one that sent it.
    const reading = readBody(request)
    let body: ArrayBuffer | undefined
    reading.then(
      (bytes) => (body = bytes),
      () => {},
    )
    let observed: ObservedRequest | undefined
    let delivered: Response | undefined
    let effect: string | null = null
    let links = 0
    const path = getTarget(request.url)
    const getOperation = () => (observed ? observed.operation?.id : findOperation(request.method, path))
    const getText = () => (body === undefined ? null : new TextDecoder().decode(body))
    /** Counts the links that a customer could pay now. */
    const look = async () => {
      await reading
      if (!watchesLinks) return
      customers.noteRequest(actor, { path, body: getText() })
      links = customers.countLinks(actor)
    }
    const onArrival: OnArrival = (arrived) => {
      observed = arrived
      // A sandbox has faults of its own.
      const isInSandbox = splitSandboxPath(request.url) !== undefined
      const hasOtherFaults = isInSandbox || core.listFaults().some(({ id }) => !ownFaults.has(id))
      listAccesses(arrived, hasOtherFaults).forEach(turns.note)
    }
    const send = async (headers: HeadersInit = request.headers): Promise<Response> => {
      const { url, method } = request
      // Without the signal of the client: a service does not know whether anybody still listens.
      const sent = new Request(url, { method, headers, body: (await reading) ?? null })
      try {
        delivered = await core.handleRequest(sent, onArrival)
        if (watchesLinks) customers.noteResponse(actor, observed?.response?.text ?? null)
        await customers.scheduleNew()
        return delivered
      } finally {
        const { fault } = observed ?? {}
        if (observed === undefined) turns.note(anything)
        if (fault !== undefined && !ownFaults.has(fault)) effect = describeAddedFault(core, fault)
      }
    }
    const call: ActorCall = {
      describe: () => `${request.method} ${path} ${getText() ?? ''}`.trim(),
      getOperation,
      countLinks: () => links,
      read: () => ({
        operation: getOperation() ?? null,
        method: request.method,
        path,
        body: getText(),
        status: isDead() ? null : (delivered?.status ?? null),
        response: isDead() || delivered === undefined ? null : (observed?.response?.text ?? null),
        fault: effect,
      }),
    }
    return { call, look, send }
  }

  /** Like `recordRequest`, for a command of the control API. `prefix` is that of its sandbox. */
  const recordCommand = <T>(prefix: string, id: CommandId, { params = {}, body }: Call = {}, run: () => Promise<T>) => {
    const { project } = params
    const path = `${prefix}/__admin${getCommandPath(commands[id], project)}`
    let end: { readonly status: number; readonly value: unknown } | undefined
    const send = (): Promise<T> => {
      // The commands of records read and write only with transactions.
      const isTracked = prefix === '' && recordPath.test(commands[id].path) && project !== undefined
      turns.note(isTracked ? { project, part: 'behaviors', isWrite: false } : anything)
      const response = run()
      response.then(
        (value) => (end = { status: 200, value }),
        (error: unknown) => (end = error instanceof MockError ? { status: error.status, value: error } : undefined),
      )
      return response
    }
    const getPath = () => path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const { method } = commands[id]
    const call: ActorCall = {
      describe: () => `${method} ${getPath()} ${toText(body) ?? ''}`.trim(),
      getOperation: () => undefined,
      countLinks: () => 0,
      read: () => ({
        operation: id,
        method,
        path: getPath(),
        body: toText(body),
        status: end?.status ?? null,
        response: toText(end?.value),
        fault: null,
      }),
    }
    return { call, send }
  }

  const sleep = (life: Life, milliseconds: number, timeout?: AbortSignal): Promise<void> => {
    turns.note(clockRead)
    // As for a timer, an invalid number means zero.
    const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
    return turns.wait(life, { until, timeout }, async () => {
      await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
    })
  }

  const sendRequest = async (life: Life, request: Request, signal?: AbortSignal): Promise<Response> => {
    request.signal.throwIfAborted()
    let isDead = false
    const { call, look, send } = recordRequest(life, request, () => isDead)
    const sendWithEffect = async (phase: CallFault['phase'], { delay, ...effect }: Effect): Promise<Response> => {
      const wait = async () => delay && (await sleep(life, delay.milliseconds))
      if (phase === 'before') await wait()
      const headers = new Headers(request.headers)
      if (Object.keys(effect).length > 0) {
        headers.set(header, '')
        // A rate limit also counts the calls that follow.
        const match = effect.rateLimit === undefined ? { headers: { [header]: '' } } : {}
        const { id } = await core.client.call('addFault', { body: { match, phase, effect } })
        if (effect.rateLimit === undefined) ownFaults.add(id)
      }
      const response = await send(headers)
      if (phase === 'after') await wait()
      return response
    }
    const response = turns.wait(life, { call }, async (fault): Promise<Response> => {
      await look()
      if (fault === undefined) return send()
      const { phase, link = 1 } = fault
      const effect = effects[fault.effect]!
      if (typeof effect === 'object') return sendWithEffect(phase, effect)
      if (effect === 'crash') {
        // The response of a dead client goes nowhere.
        isDead = true
        if (phase === 'after') await send()
        crash(life)
        return new Response()
      }
      const event = await customers.act(effect, life.actor, link)
      if (event !== undefined) onEvent(life, event)
      return send()
    })
    return turns.holdOpen(life, signal, endWithSignal(request, response))
  }

  /** A client of the control API whose commands wait for their turn. */
  const orderCommands = (life: Life, client: ControlClient, prefix = ''): ControlClient => ({
    ...client,
    call: (id, sent) => {
      const { call, send } = recordCommand(prefix, id, sent, () => client.call(id, sent))
      return turns.wait(life, { call }, send)
    },
  })

  const startTimeout = (life: Life, milliseconds: number): AbortSignal => {
    const controller = new AbortController()
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    void sleep(life, milliseconds, controller.signal).then(() => controller.abort(reason))
    return controller.signal
  }

  const createClient = (life: Life): Client => {
    /** The signal of the call of `fetch` in progress: that of its `Request` is another object. */
    let signal: AbortSignal | undefined
    const own: Core = { ...core, handleRequest: (request) => sendRequest(life, request, signal) }
    const { fetch } = buildPublicMock(own)
    const createOrderedCore = (): Core => {
      const client = orderCommands(life, core.client)
      const getSandboxClient: Core['getSandboxClient'] = (sandbox) =>
        orderCommands(life, core.getSandboxClient(sandbox), `/@${sandbox}`)
      return { ...own, client, control: createControl(client), getSandboxClient }
    }
    let mock: Mock | undefined
    return {
      fetch: (input, init) => {
        signal = init?.signal ?? undefined
        const response = fetch(input, init)
        signal = undefined
        return response
      },
      // Built on first use: most actors only fetch.
      get mock() {
        return (mock ??= buildPublicMock(createOrderedCore()))
      },
      sleep: (milliseconds) => sleep(life, milliseconds),
      now: () => {
        turns.note(clockRead)
        return core.now()
      },
    }
  }
  return { createClient, startTimeout }
}

const readBody = async (request: Request): Promise<ArrayBuffer | undefined> =>
  request.body === null ? undefined : request.arrayBuffer()

/** Returns a response that ends for the client when its signal aborts: the call rejects, or the rest of the body. */
const endWithSignal = ({ signal }: Request, response: Promise<Response>): Promise<Response> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    response.then((received) => resolve(endBodyWithSignal(signal, received)), reject)
  })

const endBodyWithSignal = (signal: AbortSignal, response: Response): Response => {
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream(
    {
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (signal.aborted) return
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    // Nothing is read before the client reads it.
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

/** Describes a fault that an actor has added. */
const describeAddedFault = (core: Core, id: string): string => {
  const { effect } = core.listFaults().find((fault) => fault.id === id) ?? {}
  return effect === undefined ? id : `${id}: ${JSON.stringify(effect)}`
}

const toText = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** The mock of a run, as a user sees it. */
export const buildPublicMock = (core: Core): Mock => buildMock(core, { close: async () => core.stop(), listen })

const listen = () =>
  Promise.reject(
    new Error(
      'Failed to listen: calls over a socket cannot be ordered. Give the client the `fetch` of its actor. For a client that ' +
        'takes none, use paylinkHandlers({ ...mock, fetch }, baseUrl) of paylink-mock/msw.',
    ),
  )
