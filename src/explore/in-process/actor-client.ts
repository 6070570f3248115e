// The client of an in-process actor. The functions named `order...` make each request and command wait for its turn.
import { createControl } from '../../core/client/control.ts'
import {
  buildMock,
  type Call,
  type CommandId,
  commands,
  type ControlClient,
  type Core,
  getCommandPath,
  type Mock,
} from '../../core/mock/extension.ts'
import { MockError } from '../../core/schema/error.ts'
import { getTarget } from '../../core/schema/url.ts'
import type { Client } from '../options.ts'
import { clockRead, type Life, type Run } from '../run.ts'
import { type SendToMock, sendWithFault } from '../send-with-fault.ts'
import { ActorCall, anyAccess, noteAccess, type SentRequest } from '../steps.ts'
import type { SignalTimeouts } from './signal-timeouts.ts'

export const createActorClient = (life: Life, run: Run, timeouts: SignalTimeouts): Client => {
  let mock: Mock | undefined
  const core = orderRequests(life, run, timeouts)
  const { fetch } = buildPublicMock(core)
  return {
    fetch: (input, init) => timeouts.send(init?.signal ?? undefined, () => fetch(input, init)),
    get mock() {
      // Build the mock on first use, because most actors only call `fetch`.
      return (mock ??= buildPublicMock(orderControl(life, run, core)))
    },
    sleep: (milliseconds) => run.sleep(life, milliseconds),
    now: () => {
      run.note(clockRead)
      return run.core.now()
    },
  }
}

const orderControl = (life: Life, run: Run, core: Core): Core => {
  const client = orderCommands(life, run, core.client)
  const getSandboxClient: Core['getSandboxClient'] = (sandbox) =>
    orderCommands(life, run, core.getSandboxClient(sandbox), `/@${sandbox}`)
  return { ...core, client, control: createControl(client), getSandboxClient }
}

const orderRequests = (life: Life, run: Run, timeouts: SignalTimeouts): Core => {
  const order = async (request: Request, handle: Core['handleRequest']): Promise<Response> => {
    request.signal.throwIfAborted()
    const response = orderRequest(life, run, request, handle)
    return timeouts.trackOpenCall(life, endWithSignal(life, request.signal, response, timeouts.createReadListener()))
  }
  const { core } = run
  return {
    ...core,
    handleRequest: (request) => order(request, core.handleRequest),
    respondToServer: (request, env) => order(request, (sent, onArrival) => core.respondToServer(sent, env, onArrival)),
  }
}

const orderRequest = async (
  life: Life,
  run: Run,
  request: Request,
  handle: Core['handleRequest'],
): Promise<Response> => {
  const { url, method } = request
  // Get the id before reading the body, so that concurrent calls are numbered in sending order.
  const { id } = life.participant.identify(undefined)
  const steps = run.steps.length
  const body = request.body === null ? null : await readBody(life, run, request)
  // If the client gave up while it sent the body, there is no call. `endWithSignal` has already rejected the request.
  if (request.signal.aborted && run.steps.length > steps) return new Promise<never>(() => {})
  const text = body && new TextDecoder().decode(body)
  const call = new ActorCall({ method, path: getTarget(url), body: text }, { findOperation: run.core.findOperation })
  const sendToMock: SendToMock = async (onArrival, header) => {
    const headers = new Headers(request.headers)
    if (header !== undefined) headers.set(header, '')
    // Omit the client's signal, because a real service does not notice that the client has given up.
    return handle(new Request(url, { method, headers, body }), onArrival)
  }
  return run.wait(life, { call, id }, (step) => sendWithFault(run, life, step, call, sendToMock))
}

/** Reads the whole body before the call waits for its turn, because a stream may need the response to another call. */
const readBody = (life: Life, { openBodies, wake }: Run, request: Request): Promise<ArrayBuffer> => {
  const openBody = { life }
  const close = () => {
    openBodies.delete(openBody)
    wake()
  }
  openBodies.add(openBody)
  request.signal.addEventListener('abort', close)
  return request.arrayBuffer().finally(close)
}

/** Applies the client's signal. An abort rejects the call or, if the response has arrived, makes its body fail. */
const endWithSignal = (
  life: Life,
  signal: AbortSignal,
  response: Promise<Response>,
  noteRead: () => void,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    // Killed code must not continue, even if another actor aborts the signal.
    signal.addEventListener('abort', () => life.isKilled || reject(signal.reason))
    response.then((response) => resolve(endBodyWithSignal(signal, response, noteRead)), reject)
  })

const endBodyWithSignal = (signal: AbortSignal, response: Response, noteRead: () => void): Response => {
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream(
    {
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
      pull: async (controller) => {
        noteRead()
        const { done, value } = await reader.read()
        if (signal.aborted) return
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    // Buffer nothing, so that `noteRead` is called only when the client reads.
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

const recordPath = /^\/(?:users|paymentLinks|scheduledPayments)/

/** @param prefix the path prefix of a sandbox, such as `/@name` */
const orderCommands = (life: Life, run: Run, client: ControlClient, prefix = ''): ControlClient => ({
  ...client,
  follow: (...sent) => {
    run.subscribers.add(life.participant.name)
    return client.follow(...sent)
  },
  call: (id, sent) => {
    const call = createCommandCall(prefix, id, sent)
    return run.wait(life, { call }, (step) => {
      const project = sent?.params?.project
      // Commands for records access state only in transactions, which report each access. Other commands may access any state.
      const isTracked = prefix === '' && recordPath.test(commands[id].path) && project !== undefined
      noteAccess(step, isTracked ? { project, part: 'behaviors', isWrite: false } : anyAccess)
      const { noteCommand } = run.customers
      if (noteCommand !== undefined) noteAccess(step, { project: '*', part: 'paymentLinks', isWrite: false })
      const response = client.call(id, sent).finally(noteCommand)
      response.then(
        (value) => (call.response = { status: 200, text: toText(value) }),
        (error: unknown) =>
          error instanceof MockError && (call.response = { status: error.status, text: toText(error) }),
      )
      return response
    })
  },
})

/** Creates a call with getters for `path` and `body`, because formatting them may throw for invalid arguments. */
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

export const buildPublicMock = (core: Core): Mock => buildMock(core, { close: async () => core.stop(), listen })

const listen = () =>
  Promise.reject(
    new Error(
      'Failed to listen: calls over a socket cannot be ordered. Give the client the `fetch` of its actor. For a client that ' +
        'takes none, use paylinkHandlers({ ...mock, fetch }, baseUrl) of paylink-mock/msw.',
    ),
  )
