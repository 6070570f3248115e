// The client of an actor in this process: each call and each sleep waits for its turn.
import { createControl } from '../../core/client/control.ts'
import type { Mock } from '../../core/mock/extension.ts'
import {
  buildMock,
  type Call,
  type CommandId,
  commands,
  type ControlClient,
  type Core,
  getCommandPath,
} from '../../core/mock/extension.ts'
import { MockError } from '../../core/schema/error.ts'
import { getTarget } from '../../core/schema/url.ts'
import type { Client } from '../options.ts'
import { clockRead, type Life, type Run } from '../run.ts'
import { type SendToMock, sendWithFault } from '../send-with-fault.ts'
import { ActorCall, anything, noteAccess, type SentRequest } from '../steps.ts'
import type { SignalTimeouts } from './signal-timeouts.ts'

/** Creates the client of an actor, for one start of its code. `getMock` returns the mock of all its starts. */
export const createActorClient = (life: Life, run: Run, timeouts: SignalTimeouts, getMock: () => Mock): Client => {
  /** The signal of the call of `fetch` in progress: that of its `Request` is another object. */
  let signal: AbortSignal | undefined
  const { fetch } = buildPublicMock(orderRequests(run, timeouts, () => ({ life, signal })))
  return {
    fetch: (input, init) => {
      signal = init?.signal ?? undefined
      const response = fetch(input, init)
      signal = undefined
      return response
    },
    get mock() {
      return getMock()
    },
    sleep: (milliseconds) => run.sleep(life, milliseconds),
    now: () => {
      run.note(clockRead)
      return run.core.now()
    },
  }
}

/** Creates the mock of an actor. Its requests and commands are calls of the last start of the actor. */
export const createActorMock = (getLife: () => Life, run: Run, timeouts: SignalTimeouts): Mock => {
  const { core } = run
  const client = orderCommands(getLife, run, core.client)
  const getSandboxClient: Core['getSandboxClient'] = (sandbox) =>
    orderCommands(getLife, run, core.getSandboxClient(sandbox), `/@${sandbox}`)
  const orderedCore = orderRequests(run, timeouts, () => ({ life: getLife(), signal: undefined }))
  return buildPublicMock({ ...orderedCore, client, control: createControl(client), getSandboxClient })
}

/** Returns the core of a run, in which a request waits for its turn. */
const orderRequests = (
  run: Run,
  timeouts: SignalTimeouts,
  getSender: () => { readonly life: Life; readonly signal: AbortSignal | undefined },
): Core => ({
  ...run.core,
  handleRequest: async (request) => {
    request.signal.throwIfAborted()
    const { life, signal } = getSender()
    return timeouts.holdOpen(life, signal, endWithSignal(request.signal, orderRequest(life, run, request)))
  },
})

/** Waits for the turn of a request, and then sends it with its fault. */
const orderRequest = (life: Life, run: Run, request: Request): Promise<Response> => {
  const { url, method } = request
  const sentRequest: SentRequest = { method, path: getTarget(url), body: null }
  const call = new ActorCall(sentRequest, { findOperation: run.core.findOperation })
  // Read at once, like by `fetch`: a client may abort the call and still be the one that sent it.
  const reading = readBody(request)
  reading.then(
    (body) => (sentRequest.body = body === undefined ? null : new TextDecoder().decode(body)),
    () => {},
  )
  const sendToMock: SendToMock = async (onArrival, header) => {
    const headers = new Headers(request.headers)
    if (header !== undefined) headers.set(header, '')
    // Without the signal of the client: a service does not know whether anybody still listens.
    return run.core.handleRequest(new Request(url, { method, headers, body: (await reading) ?? null }), onArrival)
  }
  return run.wait(life, { call }, async (step) => {
    await reading
    return sendWithFault(run, life, step, call, sendToMock)
  })
}

const readBody = async (request: Request): Promise<ArrayBuffer | undefined> =>
  request.body === null ? undefined : request.arrayBuffer()

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
const orderCommands = (getLife: () => Life, run: Run, client: ControlClient, prefix = ''): ControlClient => ({
  ...client,
  call: (id, sent) => {
    const call = createCommandCall(prefix, id, sent)
    return run.wait(getLife(), { call }, (step) => {
      const project = sent?.params?.project
      // The commands of records read and write only with transactions.
      const isTracked = prefix === '' && recordPath.test(commands[id].path) && project !== undefined
      noteAccess(step, isTracked ? { project, part: 'behaviors', isWrite: false } : anything)
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
