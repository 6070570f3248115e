// The calls of the programs of a run: the server holds each until it is chosen, and then lets it pass, with its fault.
import { type Core, type OnArrival, splitSandboxPath } from '../../core/mock/extension.ts'
import { getTarget } from '../../core/schema/url.ts'
import { type SendToMock, sendWithFault } from '../send-with-fault.ts'
import { waitForWake } from '../run.ts'
import { ActorCall, isApiCall, type SentRequest, waitsForOthers } from '../steps.ts'
import { nameProgram } from './describe-end.ts'
import { describeRequest } from './describe-request.ts'
import { noteReturn, type RunInSandbox } from './run-programs.ts'

/** A request of a program. Its path is without that of the sandbox, and its body is null if it could not be read. */
interface ProgramRequest extends SentRequest {
  /** Aborts if the program disconnects before the response is sent. */
  readonly signal: AbortSignal
}

/**
 * Returns a handler of requests. `runs` are those in progress, by the name of their sandbox, such as `run-1`. Other requests are
 * for the root, or for a run that has ended, and are reported with `onRootCall` and `onLateCall`.
 */
export const holdCalls =
  (
    root: Core,
    runs: ReadonlyMap<string, RunInSandbox>,
    { onRootCall, onLateCall }: Readonly<Record<'onRootCall' | 'onLateCall', (call: string) => void>>,
  ): Core['respond'] =>
  async (request, env) => {
    const { method, signal } = request
    const { name, url } = splitUrl(request.url)
    // The address of a program in an order has its name, and that of its service says so: `run-1.a`, `run-1.a.service`.
    const [, sandbox = '', suffix = '', service] = /^([^.]*)(?:\.([a-d]))?(\.service)?$/.exec(name) ?? []
    const state = runs.get(sandbox) ?? (name === '' ? findFixedAddress(runs) : undefined)
    if (state === undefined) {
      const isLate = /^run-\d+$/.test(sandbox)
      const onArrival = () => {
        const report = isLate ? onLateCall : onRootCall
        report(`${method} ${getTarget(request.url)}`)
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
    const { services, hasFixedAddress } = state.options
    const isOfDriver = service === undefined && (services.has(suffix) || (hasFixedAddress && name !== ''))
    return handleRequest(state, { method, path: getTarget(url), body: text, signal }, suffix, isOfDriver, send)
  }

/** Finds the run of a service that runs already: it calls the root. */
const findFixedAddress = (runs: ReadonlyMap<string, RunInSandbox>): RunInSandbox | undefined =>
  [...runs.values()].find(({ options }) => options.hasFixedAddress)

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

/**
 * Handles a request in a run. `suffix` is the name of its program, if its address has one. `isOfDriver`: it comes from a program
 * that has a service.
 */
const handleRequest = async (
  state: RunInSandbox,
  request: ProgramRequest,
  suffix: string,
  isOfDriver: boolean,
  send: (...args: Partial<Parameters<SendToMock>>) => Promise<Response>,
): Promise<Response> => {
  const { run, options, programs, notes, ending, giveUp } = state
  const program = programs.get(suffix)
  const life = isOfDriver ? program?.ownLife : run.lives.get(suffix)
  if (programs.size > 0) notes.firstRequest ??= `${request.method} ${request.path}`
  if (program === undefined || life === undefined) return send()
  if (options.isOrdered && waitsForOthers(request)) {
    options.omissions.addCaveat(describeWaiting(suffix), `the waiting commands of ${suffix}`)
    return send()
  }
  const { openCalls } = program
  if (openCalls.size > 0 && !life.isKilled) options.concurrent.add(suffix)
  const noteArrival = () => {
    openCalls.add(request)
    program.active = performance.now()
    program.arrivals.push(program.active)
  }
  // Without an order, faults and crashes are for calls of the mocked API alone.
  if (!options.isOrdered && !isApiCall(request)) {
    noteArrival()
    // In a probe, it waits like a call of the mocked API.
    const hold = options.holds?.get(suffix)?.[program.arrivals.length - 1]
    if (hold !== undefined) await waitForWake(() => {}, hold)
    return send().finally(() => openCalls.delete(request))
  }
  // The process that sent it is dead.
  if (life.isKilled) return neverResponse
  // A check may have the address of the program.
  if (run.isOver || (options.isOrdered && program.hasEnded())) {
    giveUp('a call came from a program that had ended')
    return send()
  }
  if (run.steps.length + run.listWaiting().length >= options.maxCalls) {
    notes.hasTooManyCalls = true
    ending.abort()
    return neverResponse
  }
  if (program.service?.isAlone) {
    notes.unawaitedCall ??= `${request.method} ${request.path}`
    giveUp(
      'the service sent a call after its program had ended with exit code 0, so the program must wait for that work',
    )
  }
  noteReturn(state, program)
  noteArrival()
  const call = new ActorCall(request, {
    description: describeRequest(request, run.core.getRecords),
    findOperation: run.core.findOperation,
    isOfDriver,
  })
  let isChosen = false
  request.signal.addEventListener('abort', () => {
    openCalls.delete(request)
    if (options.isOrdered && !isChosen && !life.isKilled) giveUp('a program gave up a call while it waited')
  })
  return run
    .wait(life, { call }, (step) => {
      isChosen = true
      return sendWithFault(run, life, step, call, send)
    })
    .finally(() => openCalls.delete(request))
}

/** A request without a response: its program is dead. */
const neverResponse = new Promise<never>(() => {})

const describeWaiting = (program: string): string =>
  `${nameProgram(program)} uses a stream of events or a command that waits. It passed at once, and other orders were not tried.`
