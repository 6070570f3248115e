// Handles calls from programs: holds each call until the search chooses it, then sends it to the mock, possibly with a fault.
import { type Core, type OnArrival, splitSandboxPath } from '../../core/mock/extension.ts'
import { getTarget } from '../../core/schema/url.ts'
import { codeHeader, type SendToMock, sendWithFault } from '../send-with-fault.ts'
import { waitForWake } from '../run.ts'
import type { Omissions } from '../omissions.ts'
import { ActorCall, isApiCall, type SentRequest, waitsForOthers } from '../steps.ts'
import { nameProgram } from './describe-exit.ts'
import { describeRequest } from './describe-request.ts'
import { checkSuffix, type RunInSandbox, type SharedState } from './run-in-sandbox.ts'
import { reportReturn } from './silent-programs.ts'

/** A request whose path does not include the sandbox prefix, such as `/@run-1`. */
interface ProgramRequest extends SentRequest {
  /** Aborts if the program disconnects before it receives the response. */
  readonly signal: AbortSignal
}

/** Returns a handler that routes each request to the run that it belongs to, or to the root mock if there is no such run. */
export const createCallHandler =
  (root: Core, { running, omissions, rootCalls }: SharedState, hasFixedAddress: boolean): Core['respond'] =>
  async (request, env) => {
    const { method, signal } = request
    const { name, url } = splitUrl(request.url)
    // The sandbox name is `run-1` in `explore` and `run-1.a` in `interleave`. For a service, it ends with `.service`.
    const [, sandbox = '', suffix = '', service] = /^([^.]*)(?:\.([a-d]|check))?(\.service)?$/.exec(name) ?? []
    const state = running.get(sandbox) ?? (name === '' ? findFixedAddressRun(running) : undefined)
    if (state === undefined) {
      const onArrival = () => {
        const call = `${method} ${getTarget(request.url)}`
        // With a fixed address, a service may call the mock between two runs. The search has a general caveat for this case.
        if (hasFixedAddress) return undefined
        if (/^run-\d+$/.test(sandbox)) addLateCall(omissions, call)
        else rootCalls.push(call)
        return undefined
      }
      return root.respond(request, { ...env, onArrival })
    }
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const body = hasBody ? await request.arrayBuffer().catch(() => null) : undefined
    // The program ended or disconnected while it was sending the body, so the mock must not handle the request.
    if (body === null) return neverResponse
    const { services } = state.options
    const isFromDriver = service === undefined && (services.has(suffix) || (hasFixedAddress && name !== ''))
    const send = async (onArrival?: OnArrival, header?: string) => {
      const headers = new Headers(request.headers)
      const addedHeaders = [header ?? [], state.run.hasDrivers && !isFromDriver ? codeHeader : []].flat()
      for (const name of addedHeaders) headers.set(name, '')
      // In Node, the mock also reads `rawHeaders`, so add the headers there, too.
      const { rawHeaders = [], socket } = env.incoming ?? {}
      const incoming = socket && { rawHeaders: [...rawHeaders, ...addedHeaders.flatMap((name) => [name, ''])], socket }
      const sandboxRequest = new Request(url, { method, headers, body: body ?? null, signal })
      return state.run.core.respond(sandboxRequest, { ...env, incoming, onArrival })
    }
    const text = body === undefined || body.byteLength === 0 ? null : new TextDecoder().decode(body)
    const sent = { method, path: getTarget(url), body: text, signal }
    return handleRequest(state, sent, suffix, isFromDriver, send)
  }

/** Finds the current run. A service that was running before the search does not know the sandbox, so it calls the root. */
const findFixedAddressRun = (running: ReadonlyMap<string, RunInSandbox>): RunInSandbox | undefined =>
  [...running.values()].find(
    ({ options, programs, run }) => options.hasFixedAddress && programs.size > 0 && !run.isOver,
  )

const splitUrl = (url: string): { readonly name: string; readonly url: string } => {
  const rootPath = { name: '', url }
  try {
    const path = splitSandboxPath(url)
    return path === undefined || path.isBare ? rootPath : path
  } catch {
    // The root mock responds with an error for the invalid name.
    return rootPath
  }
}

/** `suffix` is `check`, or the name of a program. `isFromDriver` is true if the sender is a program that drives a service. */
const handleRequest = async (
  state: RunInSandbox,
  request: ProgramRequest,
  suffix: string,
  isFromDriver: boolean,
  send: (...args: Partial<Parameters<SendToMock>>) => Promise<Response>,
): Promise<Response> => {
  const { run, options, programs, notes, ending } = state
  const program = programs.get(suffix)
  const life = isFromDriver ? program?.driverLife : run.lives.get(suffix)
  if (programs.size > 0 && !isFromDriver && !notes.firstRequests.has(suffix))
    notes.firstRequests.set(suffix, `${request.method} ${request.path}`)
  if (program === undefined || life === undefined) {
    if (options.isOrdered && programs.size > 0 && suffix !== checkSuffix && !run.isOver)
      options.omissions.addCaveat(describeUnnamed(request), 'requests that name no program')
    return send()
  }
  if (options.isOrdered && waitsForOthers(request)) {
    options.omissions.addCaveat(describeWaiting(suffix), `the waiting commands of ${suffix}`)
    return send()
  }
  const { openCalls } = program
  if (openCalls.size > 0 && !life.isKilled) options.concurrent.add(suffix)
  const noteArrival = () => {
    openCalls.add(request)
    program.noteActivity()
    program.arrivals.push(program.active)
  }
  // In `explore`, only calls to the mocked API can get a fault, so the search does not choose other calls.
  if (!options.isOrdered && !isApiCall(request)) {
    // After the run, the check may open a paymentUrl, which contains the sandbox of the program. Such a request is not late.
    if (run.isOver && !request.path.startsWith('/pay/'))
      addLateCall(options.omissions, `${request.method} ${request.path}`)
    noteArrival()
    // A probe also holds calls that the search does not choose.
    const hold = options.holds?.get(suffix)?.[program.arrivals.length - 1]
    if (hold !== undefined) await waitForWake(() => {}, hold)
    return send()
      .finally(run.customers.noteCommand)
      .finally(() => openCalls.delete(request))
  }
  if (life.isKilled) return neverResponse
  const hasEnded = options.isOrdered && program.hasEnded()
  if (run.isOver) addLateCall(options.omissions, `${request.method} ${request.path}`)
  else if (hasEnded) notes.notTried ??= 'a call came from a program that had ended'
  if (run.isOver || hasEnded) return send()
  if (run.steps.length + run.listWaiting().length >= options.maxCalls) {
    notes.hasTooManyCalls = true
    ending.abort()
    return neverResponse
  }
  if (program.service?.isAlone || (options.hasFixedAddress && program.end?.exitCode === 0)) {
    notes.unawaitedCall ??= `${request.method} ${request.path}`
    notes.notTried ??=
      'the service sent a call after its program had ended with exit code 0, so the program must wait for that work'
  }
  reportReturn(state, program)
  noteArrival()
  const call = new ActorCall(request, {
    description: describeRequest(request, run.core.getRecords),
    findOperation: run.core.findOperation,
    isFromDriver,
  })
  let isChosen = false
  request.signal.addEventListener('abort', () => {
    openCalls.delete(request)
    if (options.isOrdered && !isChosen && !life.isKilled) notes.notTried ??= 'a program gave up a call while it waited'
  })
  return run
    .wait(life, { call }, (step) => {
      isChosen = true
      return sendWithFault(run, life, step, call, send)
    })
    .finally(() => openCalls.delete(request))
}

/** A response that never arrives, for example because the sender was killed or has disconnected. */
const neverResponse = new Promise<never>(() => {})

const describeUnnamed = ({ method, path }: SentRequest): string =>
  `A request names no program (${method} ${path}), such as one to a paymentUrl. It passed at once, and other orders were not tried.`

const describeWaiting = (program: string): string =>
  `${nameProgram(program)} uses a stream of events or a command that waits. It passed at once, and other orders were not tried.`

const addLateCall = (omissions: Omissions, call: string): void =>
  omissions.addCaveat(
    `A process sent a call after its run had ended (${call}). It left the process group of its program: let the program end it.`,
    'late calls',
  )
