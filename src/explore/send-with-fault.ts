// Sends a chosen call with its effect, if any: a fault in the mock, a crash, or a third party who pays or cancels a link first.
import { type Core, type OnArrival, splitSandboxPath } from '../core/mock/extension.ts'
import type { Effect, FaultRule } from '../core/schema/fault.ts'
import type { EffectContext } from './effects/effect.ts'
import { canFaultApply } from './fault-schedules.ts'
import type { Life, Run } from './run.ts'
import type { CallFault } from './schedule-text.ts'
import { type ActorCall, anyAccess, noteAccess, type Step } from './steps.ts'

export type SendToMock = (onArrival: OnArrival, header?: string) => Promise<Response>

export const sendWithFault = async (
  run: Run,
  life: Life,
  step: Step,
  call: ActorCall,
  sendToMock: SendToMock,
): Promise<Response> => {
  if (run.customers.readsLinks) noteAccess(step, { project: '*', part: 'paymentLinks', isWrite: false })
  call.links = run.customers.noteRequest(step.actor, call.request)
  // Ignore the planned fault if it cannot apply to the call that the run actually made.
  const fault = step.fault && canFaultApply(run.effects, step.fault, call) ? step.fault : undefined
  const send = (header?: string) => sendAndNote(run, step, call, sendToMock, header)
  return fault === undefined
    ? send()
    : run.effects[fault.effect]!.act(createEffectContext(run, life, step, call, fault, send))
}

const createEffectContext = (
  run: Run,
  life: Life,
  step: Step,
  call: ActorCall,
  fault: CallFault,
  send: (header?: string) => Promise<Response>,
): EffectContext => {
  const { phase, link = 1 } = fault
  const { core } = run
  /** Adds a fault. Counts as a write, because the code under test can list the faults. */
  const addRule = async (rule: FaultRule) => {
    noteAccess(step, { project: '*', part: 'faults', isWrite: true })
    const added = await core.client.call('addFault', { body: rule })
    run.addedFaults.add(added.id)
    return added
  }
  const sendWithEffect = async (effect: Effect): Promise<Response> => {
    if (Object.keys(effect).length === 0) return send()
    // A fault's id is derived from its content, including this header. The number of the call would make the id depend on the
    // order of independent steps, so use the number of the fault instead.
    const header = `${faultHeader}-${core.listFaults().length + 1}`
    // A rate limit must also count later calls, so match all calls.
    const match = effect.rateLimit !== undefined ? {} : { headers: { [header]: '' } }
    await addRule({ match, phase, effect })
    return send(header)
  }
  return {
    phase,
    operation: call.getOperation(),
    send: async ({ delay, ...otherEffects } = {}) => {
      const wait = async () => delay && (await run.sleep(life, delay.milliseconds))
      if (phase === 'before') await wait()
      const response = await sendWithEffect(otherEffects)
      if (phase === 'after') await wait()
      return response
    },
    addFault: async ({ match, ...rule }) => {
      const headers = run.hasDrivers ? { headers: { [codeHeader]: '' } } : {}
      const { id } = await addRule({ ...rule, match: { ...match, ...headers } })
      run.faultNames.set(id, fault.effect)
    },
    kill: () => {
      call.isDead = true
      return run.crash(life, step)
    },
    actOnLink: async (action) => {
      const event = await run.customers.act(action, step.actor, link)
      if (event !== undefined) run.addEvent(step, event, step.time)
    },
  }
}

const sendAndNote = async (
  { core, customers, faultNames }: Run,
  step: Step,
  call: ActorCall,
  sendToMock: SendToMock,
  header: string | undefined,
): Promise<Response> => {
  const onArrival: OnArrival = (observedRequest) => {
    call.observed = observedRequest
    const { project, idempotencyKey } = observedRequest
    const isKeyed = idempotencyKey !== undefined
    noteAccess(step, { project, part: isKeyed ? '*' : 'behaviors', isWrite: isKeyed })
    // A fault that the code under test added may count requests. The faults of a sandbox are unknown here, so assume one.
    const isInSandbox = splitSandboxPath(new URL(call.request.path, 'http://mock').href) !== undefined
    if (isInSandbox || core.listFaults().some(isGeneralFault)) noteAccess(step, anyAccess)
    return (outcome) => void (call.outcome = outcome)
  }
  try {
    const response = await sendToMock(onArrival, header)
    call.response = call.observed === undefined ? { status: response.status, text: null } : call.outcome?.response
    await customers.noteResponse(step.actor, call.response?.text ?? null)
    return response
  } finally {
    if (call.observed === undefined) noteAccess(step, anyAccess)
    const id = call.outcome?.fault?.id
    const fault = core.listFaults().find((one) => one.id === id)
    const isGeneral = fault !== undefined && isGeneralFault(fault)
    call.isDelayed = isGeneral && fault.effect.delay !== undefined
    // Show nothing for a fault that the search added, because the step shows it. If a fault was removed, only its id is known.
    const text = isGeneral ? `${id}: ${JSON.stringify(fault.effect)}` : null
    call.fault = faultNames.get(id ?? '') ?? (fault === undefined ? (id ?? null) : text)
  }
}

const faultHeader = 'mock-explored-call'

/** Marks all calls except those by programs that drive a service, so that an outage does not affect these programs. */
export const codeHeader = 'mock-explored-code'

/** Whether the fault may apply to any call: the code under test added it, or it is a rate limit or an outage. */
const isGeneralFault = ({ match }: ReturnType<Core['listFaults']>[number]): boolean =>
  !Object.keys(match?.headers ?? {}).some((name) => name.startsWith(faultHeader))
