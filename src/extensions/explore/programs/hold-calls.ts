// The calls of the programs of a run: the server holds each until it is chosen, and then lets it pass, with its fault.
import { type Core, type OnArrival, splitSandboxPath } from '../../../mock/extension.ts'
import { getTarget } from '../../../schema/url.ts'
import type { Customers } from '../customers.ts'
import { getEffect } from '../explored-faults.ts'
import {
  ActorCall,
  faultHeader,
  isForeignFault,
  listAccesses,
  noteAccess,
  type SentRequest,
  type Step,
} from '../steps.ts'
import { describeRequest } from './mask-ids-and-times.ts'
import type { ProgramParts } from './program-types.ts'
import type { Graces } from './program-turns.ts'
import type { Member, RunState } from './run-state.ts'

/** A request of a program. Its path is without that of the sandbox, and its body is null if it could not be read. */
interface ProgramRequest extends SentRequest {
  /** Aborts if the program disconnects before the response is sent. */
  readonly signal: AbortSignal
}

/** Handles a request. Resolves when that is done. `header` is added to the request. */
type Pass = (onArrival?: OnArrival, header?: string) => Promise<void>

/** The mock of a run, which is a sandbox to its programs. */
export interface RunServer {
  readonly core: Core
  /**
   * Is called with each request, and with the rest of its address: `run-1.a` has the suffix `a`. Calls `pass` to handle it. If the
   * promise never settles, there is no response.
   */
  readonly onRequest: (request: ProgramRequest, suffix: string, pass: Pass) => Promise<void>
}

/**
 * Returns a handler of requests. `servers` are those of the runs in progress, by the name of their sandbox, such as `run-1`. Other
 * requests are for the root, and are reported with `onRootCall`.
 */
export const holdCalls = (
  root: Core,
  servers: ReadonlyMap<string, RunServer>,
  onRootCall: (call: string) => void,
): Core['respond'] => {
  const respond: Core['respond'] = async (request, env) => {
    const { method, signal } = request
    const { name, url } = splitUrl(request.url)
    const [sandbox = '', suffix = ''] = name.split('.')
    const run = servers.get(sandbox)
    if (run === undefined) {
      const onArrival = () => onRootCall(`${method} ${getTarget(request.url)}`)
      return root.respond(request, { ...env, onArrival })
    }
    const hasBody = method !== 'GET' && method !== 'HEAD'
    // A program may end while it sends the body. Nobody waits for the response then.
    const body = hasBody ? await request.arrayBuffer().catch(() => undefined) : undefined
    let response = new Response()
    const pass: Pass = async (onArrival, header) => {
      const headers = new Headers(request.headers)
      if (header !== undefined) headers.set(header, '')
      // The mock reads headers as the socket received them.
      const { rawHeaders = [], socket } = env.incoming ?? {}
      const incoming = socket && { rawHeaders: [...rawHeaders, ...(header === undefined ? [] : [header, ''])], socket }
      const passed = new Request(url, { method, headers, body: body ?? null, signal })
      response = await run.core.respond(passed, { ...env, incoming, onArrival })
    }
    const text = body === undefined || body.byteLength === 0 ? null : new TextDecoder().decode(body)
    await run.onRequest({ method, path: getTarget(url), body: text, signal }, suffix, pass)
    return response
  }
  return respond
}

const splitUrl = (url: string): { readonly name: string; readonly url: string } => {
  const none = { name: '', url }
  try {
    const path = splitSandboxPath(url)
    return path === undefined || path.isBare ? none : path
  } catch {
    // The root responds with the error of the invalid name.
    return none
  }
}

/** The parts that all calls of a run share. */
interface CallParts extends Pick<ProgramParts, 'effects' | 'maxCalls'> {
  readonly graces: Graces
  readonly state: RunState
  readonly customers: Customers
  readonly core: Core
}

/** Creates the handler of the requests of a run. */
export const createRequestHandler = (parts: CallParts): RunServer['onRequest'] => {
  const { state } = parts
  const { isOrdered, members, steps } = state
  return async (request, suffix, pass) => {
    const member = members.get(suffix)
    if (members.size > 0) state.firstRequest ??= `${request.method} ${request.path}`
    if (member === undefined || !isApiCall(request)) {
      if (isOrdered && member !== undefined && request.method !== 'GET')
        state.giveUp('a program uses the control API or a payment page, whose requests have no order')
      return pass()
    }
    // The process that sent it is dead.
    if (member.isCrashing) return never
    if (state.isOver || (isOrdered && member.end !== undefined)) {
      state.giveUp('a call came from a program that had ended')
      return pass()
    }
    if (steps.length + state.countWaiting() >= parts.maxCalls) {
      state.hasTooManyCalls = true
      state.ending.abort()
      return never
    }
    const description = describeRequest(request, parts.core.getRecords)
    const call = new ActorCall(request, { description })
    const step = await waitForTurn(parts, member, request, call)
    await passWithFault(parts, member, { step, call, pass }).finally(() => {
      member.active = performance.now()
      member.last = Math.max(member.last, steps.indexOf(step))
      state.inFlight--
      state.wake()
    })
    // Its program was killed.
    if (call.isDead) await never
  }
}

/** A request without a response: its program is dead. */
const never = new Promise<never>(() => {})

/** Whether a request is a call of the mocked API. */
const isApiCall = ({ path }: ProgramRequest): boolean =>
  /^(?:\/[^/?]+)*?\/projects\//.test(path) && !path.startsWith('/__admin')

/** Waits until a call is chosen. */
const waitForTurn = async (
  { state, customers, graces }: CallParts,
  member: Member,
  request: ProgramRequest,
  call: ActorCall,
): Promise<Step> => {
  member.active = performance.now()
  member.isPassedOver = false
  const isLate = member.waiting.some(({ wasOffered }) => wasOffered)
  let isChosen = false
  if (state.isOrdered) {
    if (isLate) {
      state.hasLateCall = true
      state.giveUp('a call came late')
    }
    request.signal.addEventListener('abort', () => {
      if (!isChosen && !member.isCrashing) state.giveUp('a program gave up a call while it waited')
    })
  }
  const step = await new Promise<Step>((proceed) => {
    const description = call.describe()
    const id = JSON.stringify([member.name, description, member.countOccurrence(description)])
    const choice = { id, actor: member.name, created: member.last, call }
    member.waiting.push({ choice, wasOffered: false, proceed })
    if (member.waiting.length > 1) graces.raise(member.name, isLate)
    state.wake()
  })
  isChosen = true
  customers.noteRequest(member.name, request)
  call.links = customers.countLinks(member.name)
  return step
}

/** A call that has its turn. */
interface ChosenCall {
  readonly step: Step
  readonly call: ActorCall
  readonly pass: Pass
}

/** Lets a call pass, with its fault. Its program may be killed. */
const passWithFault = async (parts: CallParts, member: Member, chosen: ChosenCall): Promise<void> => {
  const { state, effects, customers, core } = parts
  const { step, call } = chosen
  const { fault } = step
  if (fault === undefined) return passOn(parts, chosen)
  const effect = getEffect(effects, fault.effect)
  const number = state.steps.indexOf(step) + 1
  if (effect === 'crash') {
    call.isDead = true
    if (fault.phase === 'after') await passOn(parts, chosen)
    await member.crash(number)
  } else if (typeof effect === 'string') {
    const event = await customers.act(effect, member.name, fault.link ?? 1)
    if (event !== undefined) state.addEvent(member.name, number - 1, event, step.time)
    await passOn(parts, chosen)
  } else {
    const header = `${faultHeader}-${number}`
    await core.client.call('addFault', { body: { match: { headers: { [header]: '' } }, phase: fault.phase, effect } })
    await passOn(parts, chosen, header)
  }
}

const passOn = async ({ customers, core }: CallParts, chosen: ChosenCall, header?: string): Promise<void> => {
  const { step, call, pass } = chosen
  await pass((arrived) => {
    call.observed = arrived
    for (const access of listAccesses(arrived, core.listFaults().some(isForeignFault))) noteAccess(step, access)
  }, header)
  call.response = call.observed?.response
  customers.noteResponse(step.actor, call.response?.text ?? null)
  await customers.scheduleNew()
}
