// The calls of the programs of a run: each waits until it is chosen, and then passes, with its fault.
import type { ControlClient, Core, ObservedRequest, OnArrival } from '../../../mock/extension.ts'
import type { Customers, ProjectRecords } from '../customers.ts'
import { findOperation } from '../find-operation.ts'
import { type ActorCall, listAccesses, noteAccess, type Step } from '../steps.ts'
import { describeContext, faultHeader, hasFaultOfProgram, isApiCall } from './call-context.ts'
import { describeRequest } from './describe-request.ts'
import type { Pass, ProgramRequest, RunServer } from './held-calls.ts'
import { crashMember } from './program-life.ts'
import type { ProgramParts } from './program-parts.ts'
import type { Member, RunState } from './run-state.ts'

interface CallParts extends Pick<ProgramParts, 'effects' | 'maxCalls'> {
  readonly customers: Customers
  /** The control API of the sandbox. */
  readonly client: ControlClient
  readonly getRecords: () => ProjectRecords
  readonly listFaults: Core['listFaults']
  readonly onConcurrent: (program: string, isLate: boolean) => void
}

/** Creates the handler of the requests of a run. */
export const createRequestHandler = (
  state: RunState,
  { effects, maxCalls, customers, client, getRecords, listFaults, onConcurrent }: CallParts,
): RunServer['onRequest'] => {
  const { isOrdered, members, steps } = state
  const observed = new Map<Step, ObservedRequest>()

  const describeCall = (request: ProgramRequest, key: string) => {
    let links = 0
    let step: Step | undefined
    const getRequest = () => step && observed.get(step)
    const isDead = () => effects[step?.fault?.effect ?? ''] === 'crash'
    const getOperation: ActorCall['getOperation'] = () => {
      const arrived = getRequest()
      return arrived === undefined ? findOperation(request.method, request.path) : arrived.operation?.id
    }
    const call: ActorCall = {
      describe: () => key,
      getOperation,
      countLinks: () => links,
      read: () => ({
        ...describeContext(request, getRequest(), isDead()),
        operation: getOperation() ?? null,
        fault: getRequest()?.fault ?? null,
      }),
    }
    const noteStep = (found: Step): void => {
      step = found
      customers.noteRequest(step.actor, request)
      links = customers.countLinks(step.actor)
    }
    return { call, noteStep, wasChosen: () => step !== undefined }
  }

  /** Waits until the call is chosen. */
  const hold = async (member: Member, request: ProgramRequest): Promise<Step> => {
    const key = describeRequest(request, getRecords)
    const occurrence = (member.occurrences.get(key) ?? 0) + 1
    member.occurrences.set(key, occurrence)
    member.active = performance.now()
    member.isPassedOver = false
    const isLate = member.waiting.some(({ wasOffered }) => wasOffered)
    if (isOrdered && isLate) {
      state.hasLateCall = true
      state.giveUp('a call came late')
    }
    const { call, noteStep, wasChosen } = describeCall(request, key)
    if (isOrdered)
      request.signal.addEventListener('abort', () => {
        if (!wasChosen() && !member.isCrashing) state.giveUp('a program gave up a call while it waited')
      })
    const step = await new Promise<Step>((proceed) => {
      const id = JSON.stringify([member.name, key, occurrence])
      const choice = { id, actor: member.name, created: member.last, isSleep: false, call }
      member.waiting.push({ choice, wasOffered: false, proceed })
      if (member.waiting.length > 1) onConcurrent(member.name, isLate)
      state.wake()
    })
    noteStep(step)
    return step
  }

  const passOn = async (step: Step, pass: Pass, header?: string): Promise<void> => {
    const onArrival: OnArrival = (arrived) => {
      observed.set(step, arrived)
      for (const access of listAccesses(arrived, hasFaultOfProgram(listFaults()))) noteAccess(step, access)
    }
    await pass({ header, onArrival })
    customers.noteResponse(step.actor, observed.get(step)?.response?.text ?? null)
    await customers.scheduleNew()
  }

  /** Lets a call pass, with its fault. Returns false if the program was killed, and receives no response. */
  const passWithFault = async (member: Member, step: Step, pass: Pass): Promise<boolean> => {
    const { fault } = step
    const effect = effects[fault?.effect ?? '']
    const number = steps.indexOf(step) + 1
    if (fault === undefined || effect === undefined) await passOn(step, pass)
    else if (effect === 'crash') {
      if (fault.phase === 'after') await passOn(step, pass)
      await crashMember(state, member, number)
      return false
    } else if (typeof effect === 'string') {
      const event = await customers.act(effect, member.name, fault.link ?? 1)
      if (event !== undefined) state.addEvent(member, number - 1, event)
      await passOn(step, pass)
    } else {
      const header = `${faultHeader}-${number}`
      await client.call('addFault', { body: { match: { headers: { [header]: '' } }, phase: fault.phase, effect } })
      await passOn(step, pass, header)
    }
    return true
  }

  const noteResponse = (member: Member, step: Step): void => {
    member.active = performance.now()
    member.last = Math.max(member.last, steps.indexOf(step))
    state.inFlight--
    state.wake()
  }

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
    if (steps.length + state.countWaiting() >= maxCalls) {
      state.hasTooManyCalls = true
      state.ending.abort()
      return never
    }
    const step = await hold(member, request)
    const hasResponse = await passWithFault(member, step, pass).finally(() => noteResponse(member, step))
    if (!hasResponse) await never
  }
}

/** A request without a response: its program is dead. */
const never = new Promise<never>(() => {})
