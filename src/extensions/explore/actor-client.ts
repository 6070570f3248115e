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
  type OnArrival,
  splitSandboxPath,
} from '../../mock/extension.ts'
import { MockError } from '../../schema/error.ts'
import { getTarget } from '../../schema/url.ts'
import type { Customers } from './customers.ts'
import type { Client, ParsedSearch } from './options.ts'
import type { CallFault } from './schedule-text.ts'
import { ActorCall, anything, faultHeader, isForeignFault, listAccesses, type SentRequest } from './steps.ts'
import type { Life, Turns } from './turns.ts'

/** What the clients of a run have in common. */
export interface ClientParts {
  readonly given: ParsedSearch
  readonly core: Core
  readonly turns: Turns
  readonly customers: Customers
  /** Ends the code of an actor, and starts it again. */
  readonly crash: (life: Life) => void
  readonly onEvent: (life: Life, text: string) => void
}

const clockRead: Access = { project: '*', part: 'clock', isWrite: false }

/** Creates the client of an actor, for one start of its code. */
export const createActorClient = (life: Life, parts: ClientParts): Client => {
  const { core, turns } = parts
  /** The signal of the call of `fetch` in progress: that of its `Request` is another object. */
  let signal: AbortSignal | undefined
  const orderedCore: Core = { ...core, handleRequest: (request) => orderRequest(life, parts, request, signal) }
  const { fetch } = buildPublicMock(orderedCore)
  const createOrderedCore = (): Core => {
    const client = orderCommands(life, turns, core.client)
    const getSandboxClient: Core['getSandboxClient'] = (sandbox) =>
      orderCommands(life, turns, core.getSandboxClient(sandbox), `/@${sandbox}`)
    return { ...orderedCore, client, control: createControl(client), getSandboxClient }
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
    sleep: (milliseconds) => sleep(life, parts, milliseconds),
    now: () => {
      turns.note(clockRead)
      return core.now()
    },
  }
}

const sleep = (
  life: Life,
  { core, turns }: ClientParts,
  milliseconds: number,
  timeout?: AbortSignal,
): Promise<void> => {
  turns.note(clockRead)
  // As for a timer, an invalid number means zero.
  const until = core.now() + Math.max(0, Math.ceil(milliseconds) || 0)
  return turns.wait(life, { until, timeout }, async () => {
    await core.client.call('advanceClock', { body: { milliseconds: Math.max(0, until - core.now()) } })
  })
}

/** Returns a signal like `AbortSignal.timeout`, by the clock of the run. */
export const startTimeout = (life: Life, parts: ClientParts, milliseconds: number): AbortSignal => {
  const controller = new AbortController()
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  void sleep(life, parts, milliseconds, controller.signal).then(() => controller.abort(reason))
  return controller.signal
}

type StartTimeout = (milliseconds: number) => AbortSignal

const originalTimeout = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') ?? {}
const startOriginalTimeout = AbortSignal.timeout.bind(AbortSignal)

let currentTimeout: StartTimeout | undefined
let runsInProgress = 0

/** Replaces `AbortSignal.timeout` until the end of the run. `enter` sets the function of the actor that continues. */
export const replaceSignalTimeouts = () => {
  if (runsInProgress++ === 0)
    AbortSignal.timeout = (milliseconds) => (currentTimeout ?? startOriginalTimeout)(milliseconds)
  return {
    enter: (start: StartTimeout | undefined) => void (currentTimeout = start),
    [Symbol.dispose]: () => {
      currentTimeout = undefined
      if (--runsInProgress === 0) Object.defineProperty(AbortSignal, 'timeout', originalTimeout)
    },
  }
}

/** Waits for the turn of a request, and then sends it with its fault. `signal` is that of `fetch`. */
const orderRequest = async (
  life: Life,
  parts: ClientParts,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<Response> => {
  request.signal.throwIfAborted()
  const { turns, customers } = parts
  const { url, method } = request
  const sentRequest: SentRequest = { method, path: getTarget(url), body: null }
  const call = new ActorCall(sentRequest)
  // Read at once, like by `fetch`: a client may abort the call and still be the one that sent it.
  const reading = readBody(request)
  reading.then(
    (body) => (sentRequest.body = body === undefined ? null : new TextDecoder().decode(body)),
    () => {},
  )
  const sendToMock = async (header?: string) => {
    const headers = new Headers(request.headers)
    if (header !== undefined) headers.set(header, '')
    // Without the signal of the client: a service does not know whether anybody still listens.
    const forwardedRequest = new Request(url, { method, headers, body: (await reading) ?? null })
    return handleRequest(life, parts, forwardedRequest, call)
  }
  const response = turns.wait(life, { call }, async (fault): Promise<Response> => {
    await reading
    call.links = customers.noteRequest(life.actor, sentRequest)
    return fault === undefined ? sendToMock() : sendWithFault(life, parts, call, fault, sendToMock)
  })
  return turns.holdOpen(life, signal, endWithSignal(request.signal, response))
}

const readBody = async (request: Request): Promise<ArrayBuffer | undefined> =>
  request.body === null ? undefined : request.arrayBuffer()

/** Lets the mock handle a request, and notes its end, and what it reads and writes besides its transactions. */
const handleRequest = async (
  { actor }: Life,
  { core, turns, customers }: ClientParts,
  request: Request,
  call: ActorCall,
): Promise<Response> => {
  const onArrival: OnArrival = (observedRequest) => {
    call.observed = observedRequest
    // A sandbox has faults of its own.
    const isInSandbox = splitSandboxPath(request.url) !== undefined
    listAccesses(observedRequest, isInSandbox || core.listFaults().some(isForeignFault)).forEach(turns.note)
  }
  try {
    const response = await core.handleRequest(request, onArrival)
    const text = call.observed?.response?.text ?? null
    call.response = { status: response.status, text }
    await customers.noteResponse(actor, text)
    return response
  } finally {
    if (call.observed === undefined) turns.note(anything)
    call.fault = describeAddedFault(core, call.observed?.fault)
  }
}

/** Describes the fault with an id, if an actor has added it. */
const describeAddedFault = (core: Core, id: string | undefined): string | null => {
  const fault = core.listFaults().find((one) => one.id === id)
  if (id === undefined || fault === undefined) return id ?? null
  return isForeignFault(fault) ? `${id}: ${JSON.stringify(fault.effect)}` : null
}

/** Sends a call with its fault. `send` adds a header to the request. */
const sendWithFault = async (
  life: Life,
  parts: ClientParts,
  call: ActorCall,
  { phase, effect: name, link = 1 }: CallFault,
  send: (header?: string) => Promise<Response>,
): Promise<Response> => {
  const { given, core, customers, crash, onEvent } = parts
  const effect = given.effects[name]!
  if (typeof effect === 'object') {
    const { delay, ...otherEffects } = effect
    const wait = async () => delay && (await sleep(life, parts, delay.milliseconds))
    if (phase === 'before') await wait()
    const hasFault = Object.keys(otherEffects).length > 0
    // A rate limit also counts the calls that follow.
    const match = otherEffects.rateLimit === undefined ? { headers: { [faultHeader]: '' } } : {}
    if (hasFault) await core.client.call('addFault', { body: { match, phase, effect: otherEffects } })
    const response = await send(hasFault ? faultHeader : undefined)
    if (phase === 'after') await wait()
    return response
  }
  if (effect === 'crash') {
    call.isDead = true
    if (phase === 'after') await send()
    crash(life)
    // The response of a dead client goes nowhere.
    return new Response()
  }
  const event = await customers.act(effect, life.actor, link)
  if (event !== undefined) onEvent(life, event)
  return send()
}

/** Returns a response that ends for the client when its signal aborts: the call rejects, or the rest of the body. */
const endWithSignal = (signal: AbortSignal, response: Promise<Response>): Promise<Response> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    response.then((response) => resolve(endBodyWithSignal(signal, response)), reject)
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

/** The paths of commands that read and write only records and payments. */
const recordPath = /^\/(?:users|paymentLinks|scheduledPayments)/

/** Returns a client of the control API whose commands wait for their turn. `prefix` is the path of its sandbox. */
const orderCommands = (life: Life, turns: Turns, client: ControlClient, prefix = ''): ControlClient => ({
  ...client,
  call: (id, sent) => {
    const call = createCommandCall(prefix, id, sent)
    return turns.wait(life, { call }, () => {
      const project = sent?.params?.project
      // The commands of records read and write only with transactions.
      const isTracked = prefix === '' && recordPath.test(commands[id].path) && project !== undefined
      turns.note(isTracked ? { project, part: 'behaviors', isWrite: false } : anything)
      const response = client.call(id, sent)
      response.then(
        (value) => (call.response = { status: 200, text: toText(value) }),
        (error: unknown) =>
          error instanceof MockError && (call.response = { status: error.status, text: toText(error) }),
      )
      return response
    })
  },
})

/** Returns a command as a call of an actor. Its values may be invalid, so the texts are built when they are read. */
const createCommandCall = (prefix: string, id: CommandId, { params = {}, body }: Call = {}): ActorCall => {
  const path = `${prefix}/__admin${getCommandPath(commands[id], params.project)}`
  const request: SentRequest = {
    method: commands[id].method,
    get path() {
      return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    },
    get body() {
      return toText(body)
    },
  }
  return new ActorCall(request, { command: id })
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
