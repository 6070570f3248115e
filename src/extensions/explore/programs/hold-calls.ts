// The calls of the programs of a run: the server holds each until it is chosen, and then lets it pass, with its fault.
import { type Core, type OnArrival, splitSandboxPath } from '../../../mock/extension.ts'
import { getTarget } from '../../../schema/url.ts'
import { type SendToMock, sendWithFault } from '../send-with-fault.ts'
import { ActorCall, type SentRequest } from '../steps.ts'
import { describeRequest } from './mask-ids-and-times.ts'
import { minGrace, type RunInSandbox, type RunOptions } from './run-programs.ts'

/** A request of a program. Its path is without that of the sandbox, and its body is null if it could not be read. */
interface ProgramRequest extends SentRequest {
  /** Aborts if the program disconnects before the response is sent. */
  readonly signal: AbortSignal
}

/**
 * Returns a handler of requests. `runs` are those in progress, by the name of their sandbox, such as `run-1`. Other requests are
 * for the root, and are reported with `onRootCall`.
 */
export const holdCalls =
  (root: Core, runs: ReadonlyMap<string, RunInSandbox>, onRootCall: (call: string) => void): Core['respond'] =>
  async (request, env) => {
    const { method, signal } = request
    const { name, url } = splitUrl(request.url)
    // The address of a program in an order has its name: `run-1.a`.
    const [sandbox = '', suffix = ''] = name.split('.')
    const state = runs.get(sandbox)
    if (state === undefined) {
      const onArrival = () => {
        onRootCall(`${method} ${getTarget(request.url)}`)
        return undefined
      }
      return root.respond(request, { ...env, onArrival })
    }
    const hasBody = method !== 'GET' && method !== 'HEAD'
    // A program may end while it sends the body. Nobody waits for the response then.
    const body = hasBody ? await request.arrayBuffer().catch(() => undefined) : undefined
    const send = async (onArrival?: OnArrival, header?: string) => {
      const headers = new Headers(request.headers)
      if (header !== undefined) headers.set(header, '')
      // The mock reads headers as the socket received them.
      const { rawHeaders = [], socket } = env.incoming ?? {}
      const incoming = socket && { rawHeaders: [...rawHeaders, ...(header === undefined ? [] : [header, ''])], socket }
      const sandboxRequest = new Request(url, { method, headers, body: body ?? null, signal })
      return state.run.core.respond(sandboxRequest, { ...env, incoming, onArrival })
    }
    const text = body === undefined || body.byteLength === 0 ? null : new TextDecoder().decode(body)
    return handleRequest(state, { method, path: getTarget(url), body: text, signal }, suffix, send)
  }

const splitUrl = (url: string): { readonly name: string; readonly url: string } => {
  const rootPath = { name: '', url }
  try {
    const path = splitSandboxPath(url)
    return path === undefined || path.isBare ? rootPath : path
  } catch {
    // The root responds with the error of the invalid name.
    return rootPath
  }
}

/** Handles a request in a run. `suffix` is the name of its program, if its address has one. */
const handleRequest = async (
  { run, options, programs, notes, ending, giveUp }: RunInSandbox,
  request: ProgramRequest,
  suffix: string,
  send: (...args: Partial<Parameters<SendToMock>>) => Promise<Response>,
): Promise<Response> => {
  const program = programs.get(suffix)
  const life = run.lives.get(suffix)
  if (programs.size > 0) notes.firstRequest ??= `${request.method} ${request.path}`
  if (program === undefined || life === undefined || !isApiCall(request)) {
    if (options.isOrdered && program !== undefined && request.method !== 'GET')
      giveUp('a program uses the control API or a payment page, whose requests have no order')
    return send()
  }
  // The process that sent it is dead.
  if (life.isKilled) return neverResponse
  // A check may have the address of the program.
  if (run.isOver || (options.isOrdered && program.hasEnded())) {
    giveUp('a call came from a program that had ended')
    return send()
  }
  if (run.steps.length + run.countWaiting() >= options.maxCalls) {
    notes.hasTooManyCalls = true
    ending.abort()
    return neverResponse
  }
  program.active = performance.now()
  program.isPassedOver = false
  const waiting = run.listWaiting(suffix)
  const isLate = waiting.some(({ wasOffered }) => wasOffered)
  if (waiting.length > 0) raiseGrace(options, suffix, isLate)
  let isChosen = false
  if (options.isOrdered) {
    if (isLate) {
      notes.isWorthRepeating = true
      giveUp('a call came late')
    }
    request.signal.addEventListener('abort', () => {
      if (!isChosen && !life.isKilled) giveUp('a program gave up a call while it waited')
    })
  }
  const call = new ActorCall(request, {
    description: describeRequest(request, run.core.getRecords),
    findOperation: run.core.findOperation,
  })
  return run.wait(life, { call }, (step) => {
    isChosen = true
    return sendWithFault(run, life, step, call, send)
  })
}

/** A request without a response: its program is dead. */
const neverResponse = new Promise<never>(() => {})

/** Whether a request is a call of the mocked API. */
const isApiCall = ({ path }: ProgramRequest): boolean =>
  /^(?:\/[^/?]+)*?\/projects\//.test(path) && !path.startsWith('/__admin')

/** Notes that a program sent several calls at the same time. `isLate`: one came after the choice of another. */
const raiseGrace = ({ graces, settle }: RunOptions, program: string, isLate: boolean): void => {
  const grace = graces.get(program) ?? minGrace
  graces.set(program, isLate ? Math.min(4 * grace, settle) : grace)
}
