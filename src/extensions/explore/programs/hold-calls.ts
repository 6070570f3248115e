// The calls of the programs of a run: the server holds each until it is chosen, and then lets it pass, with its fault.
import { type Core, type OnArrival, splitSandboxPath } from '../../../mock/extension.ts'
import { getTarget } from '../../../schema/url.ts'
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
import { type Member, minGrace, type RunState } from './run-state.ts'

/** A request of a program. Its path is without that of the sandbox, and its body is null if it could not be read. */
interface ProgramRequest extends SentRequest {
  /** Aborts if the program disconnects before the response is sent. */
  readonly signal: AbortSignal
}

/** Handles a request. `header` is added to it. */
type PassToMock = (onArrival?: OnArrival, header?: string) => Promise<Response>

/**
 * Returns a handler of requests. `runs` are those in progress, by the name of their sandbox, such as `run-1`. Other requests are
 * for the root, and are reported with `onRootCall`.
 */
export const holdCalls =
  (root: Core, runs: ReadonlyMap<string, RunState>, onRootCall: (call: string) => void): Core['respond'] =>
  async (request, env) => {
    const { method, signal } = request
    const { name, url } = splitUrl(request.url)
    // The address of a program in an order has its name: `run-1.a`.
    const [sandbox = '', suffix = ''] = name.split('.')
    const state = runs.get(sandbox)
    if (state === undefined) {
      const onArrival = () => onRootCall(`${method} ${getTarget(request.url)}`)
      return root.respond(request, { ...env, onArrival })
    }
    const hasBody = method !== 'GET' && method !== 'HEAD'
    // A program may end while it sends the body. Nobody waits for the response then.
    const body = hasBody ? await request.arrayBuffer().catch(() => undefined) : undefined
    const pass: PassToMock = async (onArrival, header) => {
      const headers = new Headers(request.headers)
      if (header !== undefined) headers.set(header, '')
      // The mock reads headers as the socket received them.
      const { rawHeaders = [], socket } = env.incoming ?? {}
      const incoming = socket && { rawHeaders: [...rawHeaders, ...(header === undefined ? [] : [header, ''])], socket }
      const sandboxRequest = new Request(url, { method, headers, body: body ?? null, signal })
      return state.core.respond(sandboxRequest, { ...env, incoming, onArrival })
    }
    const text = body === undefined || body.byteLength === 0 ? null : new TextDecoder().decode(body)
    return handleRequest(state, { method, path: getTarget(url), body: text, signal }, suffix, pass)
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
  state: RunState,
  request: ProgramRequest,
  suffix: string,
  pass: PassToMock,
): Promise<Response> => {
  const { members, steps, core, options } = state
  const member = members.get(suffix)
  if (members.size > 0) state.firstRequest ??= `${request.method} ${request.path}`
  if (member === undefined || !isApiCall(request)) {
    if (options.isOrdered && member !== undefined && request.method !== 'GET')
      state.giveUp('a program uses the control API or a payment page, whose requests have no order')
    return pass()
  }
  // The process that sent it is dead.
  if (member.isCrashing) return neverResponse
  // A check may have the address of the program.
  if (state.isOver || (options.isOrdered && member.end !== undefined)) {
    state.giveUp('a call came from a program that had ended')
    return pass()
  }
  if (steps.length + state.countWaiting() >= options.maxCalls) {
    state.hasTooManyCalls = true
    state.ending.abort()
    return neverResponse
  }
  const call = new ActorCall(request, { description: describeRequest(request, core.getRecords) })
  const step = await waitForTurn(state, member, request, call)
  const response = await passWithFault(state, member, step, call, pass).finally(() => {
    member.active = performance.now()
    member.last = Math.max(member.last, steps.indexOf(step))
    state.inFlight--
    state.wake()
  })
  // Its program was killed.
  return call.isDead ? neverResponse : response
}

/** A request without a response: its program is dead. */
const neverResponse = new Promise<never>(() => {})

/** Whether a request is a call of the mocked API. */
const isApiCall = ({ path }: ProgramRequest): boolean =>
  /^(?:\/[^/?]+)*?\/projects\//.test(path) && !path.startsWith('/__admin')

/** Waits until a call is chosen. */
const waitForTurn = async (
  state: RunState,
  member: Member,
  request: ProgramRequest,
  call: ActorCall,
): Promise<Step> => {
  const { customers, options } = state
  const { name, waiting } = member
  member.active = performance.now()
  member.isPassedOver = false
  const isLate = waiting.some(({ wasOffered }) => wasOffered)
  let isChosen = false
  if (options.isOrdered) {
    if (isLate) {
      state.isWorthRepeating = true
      state.giveUp('a call came late')
    }
    request.signal.addEventListener('abort', () => {
      if (!isChosen && !member.isCrashing) state.giveUp('a program gave up a call while it waited')
    })
  }
  const step = await new Promise<Step>((proceed) => {
    const description = call.describe()
    const id = JSON.stringify([name, description, member.countOccurrence(description)])
    waiting.push({ choice: { id, actor: name, created: member.last, call }, wasOffered: false, proceed })
    if (waiting.length > 1) raiseGrace(state, name, isLate)
    state.wake()
  })
  isChosen = true
  call.links = customers.noteRequest(name, request)
  return step
}

/** Notes that a program sent several calls at the same time. `isLate`: one came after the choice of another. */
const raiseGrace = ({ options: { graces, settle } }: RunState, program: string, isLate: boolean): void => {
  const grace = graces.get(program) ?? minGrace
  graces.set(program, isLate ? Math.min(4 * grace, settle) : grace)
}

/** Lets a call pass, with its fault. Its program may be killed. */
const passWithFault = async (
  state: RunState,
  member: Member,
  step: Step,
  call: ActorCall,
  pass: PassToMock,
): Promise<Response> => {
  const { core, customers, options } = state
  const { fault } = step
  const passOn = async (header?: string): Promise<Response> => {
    const response = await pass((arrived) => {
      call.observed = arrived
      for (const access of listAccesses(arrived, core.listFaults().some(isForeignFault))) noteAccess(step, access)
    }, header)
    call.response = call.observed?.response
    await customers.noteResponse(step.actor, call.response?.text ?? null)
    return response
  }
  if (fault === undefined) return passOn()
  const effect = options.effects[fault.effect]!
  const number = state.steps.indexOf(step) + 1
  if (effect === 'crash') {
    call.isDead = true
    if (fault.phase === 'after') await passOn()
    await member.crash(number)
    return new Response()
  }
  if (typeof effect === 'string') {
    const event = await customers.act(effect, member.name, fault.link ?? 1)
    if (event !== undefined) state.addEvent(member.name, number - 1, event, step.time)
    return passOn()
  }
  const header = `${faultHeader}-${number}`
  await core.client.call('addFault', { body: { match: { headers: { [header]: '' } }, phase: fault.phase, effect } })
  return passOn(header)
}
