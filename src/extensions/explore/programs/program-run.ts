// One run of programs in a sandbox. Each of their calls waits until it is chosen; what then happens to it is part of the choice.
import { createControl } from '../../../client/control.ts'
import type { Access } from '../../../domain/projects.ts'
import type { RequestContext } from '../../../api/request-context.ts'
import { createCustomers } from '../customers.ts'
import { findOperation } from '../find-operation.ts'
import type { ExploredEvent } from '../result.ts'
import { type ActorCall, type Choice, type Decide, noteAccess, type Step } from '../steps.ts'
import { describeRequest } from './describe-request.ts'
import type { ProgramRequest, RunServer } from './held-calls.ts'
import {
  createMember,
  describeContext,
  describeProgramStep,
  type EndedProgram,
  hasApplied,
  faultHeader,
  type HeldCall,
  isApiCall,
  type Member,
  noteRequest,
  type ProgramEnd,
  type ProgramParts,
  type ProgramRun,
  ResetError,
  type RunOptions,
} from './program-parts.ts'

/** Runs the programs to their end. Resolves with undefined if the signal ended them. */
export const runPrograms = async (
  { programs, check, reset, effects, payAfterReads, signal, maxCalls, timeout, settle }: ProgramParts,
  { createCore, run, url, isShown, isOrdered, getGrace, onRecords, onConcurrent, serve }: RunOptions,
  decide: Decide,
): Promise<ProgramRun | undefined> => {
  const sandbox = `run-${run}`
  const steps: Step[] = []
  const core = createCore(isOrdered ? (access) => noteAccess(steps.at(-1), access) : undefined)
  const client = core.getSandboxClient(sandbox)
  const getRecords = () => core.getRecords(sandbox)
  const customers = createCustomers(getRecords, (project) => createControl(client).project(project), payAfterReads)
  const deadline = performance.now() + timeout
  const ending = new AbortController()
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  const contexts = new Map<Step, RequestContext>()
  const events: ExploredEvent[] = []
  const members = new Map<string, Member>()
  let inFlight = 0
  let firstRequest: string | undefined
  let hasTooManyCalls = false
  let isOver = false
  let notTried: string | undefined
  let wake = () => {}
  const giveUp = (why: string) => void (notTried ??= why)
  const nameActor = (name: string) => (name === '' ? null : name)
  const tell = (member: Member, calls: number, text: string) =>
    void events.push({ actor: nameActor(member.name), calls, time: new Date(core.now()).toISOString(), text })

  const startMember = (member: Member): void => {
    member.active = performance.now()
    member.running = member.start({
      url: isOrdered ? `${url}.${member.name}` : url,
      run,
      timeout: Math.max(1, deadline - performance.now()),
      signal: ending.signal,
      isShown,
    })
    const { running } = member
    const note = (ended: ProgramEnd | undefined) => {
      if (ended === undefined || member.running !== running || member.isCrashing) return
      member.end = { ...ended, output: [...member.before, ...ended.output] }
      if (isOrdered && member.waiting.length > 0) giveUp('a program ended while one of its calls waited')
    }
    void running.ended
      .catch(() => undefined)
      .then(note)
      .finally(() => wake())
  }

  /** Kills a program at its call, and starts it again when all of its processes are gone. */
  const crash = async (member: Member, number: number): Promise<void> => {
    member.isCrashing = true
    member.waiting = []
    member.running!.kill()
    const { output, escaped } = await member.running!.ended
    if (escaped.length > 0)
      giveUp(`a process left the group of the program, and outlived the crash: ${escaped.join(', ')}`)
    member.before = [...member.before, ...output, `(killed at call ${number}, and started again)`]
    tell(member, number, 'the program is killed, and starts again')
    member.isCrashing = false
    startMember(member)
  }

  /** Lets a call pass, with its fault. Returns false if the program was killed, and receives no response. */
  const passCall = async (
    member: Member,
    step: Step,
    pass: Parameters<RunServer['onRequest']>[2],
  ): Promise<boolean> => {
    const note = (access: Access) => noteAccess(step, access)
    const passOn = async (marker?: string) => {
      await pass({
        header: marker,
        onContext: (context) => {
          contexts.set(step, context)
          noteRequest(context, note)
        },
      })
      customers.noteResponse(member.name, contexts.get(step)?.response?.text ?? null)
      await customers.scheduleNew()
      return true
    }
    const number = steps.indexOf(step) + 1
    const { fault } = step
    const effect = fault && effects[fault.effect]!
    if (fault === undefined || effect === undefined) return passOn()
    if (effect === 'crash') {
      if (fault.phase === 'after') await passOn()
      await crash(member, number)
      return false
    }
    if (typeof effect === 'string') {
      const event = await customers.act(effect, member.name, fault.link ?? 1)
      if (event !== undefined) tell(member, number - 1, event)
      return passOn()
    }
    const marker = `${faultHeader}-${number}`
    const body = { match: { headers: { [marker]: '' } }, phase: fault.phase, effect }
    await client.call('addFault', { body })
    return passOn(marker)
  }

  const onRequest: RunServer['onRequest'] = async (request, suffix, pass) => {
    const member = members.get(suffix)
    if (members.size > 0) firstRequest ??= `${request.method} ${request.path}`
    if (member === undefined || !isApiCall(request)) {
      if (isOrdered && member !== undefined && request.method !== 'GET')
        giveUp('a program uses the control API or a payment page, whose requests have no order')
      return pass()
    }
    // The process that sent it is dead.
    if (member.isCrashing) return never
    if (isOver || (isOrdered && member.end !== undefined)) {
      giveUp('a call came from a program that had ended')
      return pass()
    }
    if (steps.length + countWaiting() >= maxCalls) {
      hasTooManyCalls = true
      end()
      return never
    }
    const { step, done } = await hold(member, request)
    const hasResponse = await passCall(member, step, pass).finally(done)
    if (!hasResponse) await never
  }

  const countWaiting = (): number => [...members.values()].reduce((sum, { waiting }) => sum + waiting.length, 0)

  /** Waits until the call is chosen. */
  const hold = async (member: Member, request: ProgramRequest): Promise<{ step: Step; done: () => void }> => {
    const key = describeRequest(request, getRecords)
    const occurrence = (member.occurrences.get(key) ?? 0) + 1
    member.occurrences.set(key, occurrence)
    member.active = performance.now()
    member.isPassedOver = false
    if (isOrdered && member.waiting.some(({ wasOffered }) => wasOffered)) giveUp('a call came late')
    let links = 0
    let found: Step | undefined
    let isDead = false
    const context = () => found && contexts.get(found)
    const call: ActorCall = {
      describe: () => key,
      getOperation: () => (context() ? context()!.operation?.id : findOperation(request.method, request.path)),
      countLinks: () => links,
      read: () => ({
        ...describeContext(request, context(), isDead),
        operation: call.getOperation() ?? null,
        fault: context()?.fault ?? null,
      }),
    }
    const step = await new Promise<Step>((resolve) => {
      const id = JSON.stringify([member.name, key, occurrence])
      const choice = { id, actor: member.name, created: member.last, isSleep: false, call }
      member.waiting.push({ choice, key, wasOffered: false, proceed: resolve })
      if (member.waiting.length > 1) onConcurrent(member.name)
      if (isOrdered)
        request.signal.addEventListener('abort', () => {
          if (found === undefined && !member.isCrashing) giveUp('a program gave up a call while it waited')
        })
      wake()
    })
    found = step
    customers.noteRequest(member.name, request)
    links = customers.countLinks(member.name)
    isDead = effects[step.fault?.effect ?? ''] === 'crash'
    const index = steps.indexOf(step)
    return {
      step,
      done: () => {
        member.active = performance.now()
        member.last = Math.max(member.last, index)
        inFlight--
        wake()
      },
    }
  }

  const listReady = (): { readonly choices: Choice[]; readonly held: HeldCall[] } => {
    const held = [...members.values()].flatMap(({ waiting }) =>
      waiting.toSorted((a, b) => (a.choice.id < b.choice.id ? -1 : 1)),
    )
    const choices = held.map(({ choice }) => {
      const position = held.filter((one) => one.choice.actor === choice.actor).findIndex((one) => one.choice === choice)
      return { ...choice, text: position === 0 ? choice.actor : `${choice.actor}:${position + 1}` }
    })
    return { choices, held }
  }

  /** How long to wait for a program before the next choice, in milliseconds. 0: not at all. Infinity: until something happens. */
  const getPause = (): number => {
    if (inFlight > 0) return Infinity
    const now = performance.now()
    let pause = 0
    for (const member of members.values()) {
      if (member.end !== undefined || member.isPassedOver) continue
      if (member.waiting.length > 0) pause = Math.max(pause, member.active + getGrace(member.name) - now)
      else if (member.active + settle > now) pause = Math.max(pause, member.active + settle - now)
      else {
        member.isPassedOver = true
        giveUp(`${member.name} sent no call for ${settle / 1000} s, so the others went on without it`)
      }
    }
    return pause
  }

  /** Chooses calls until all programs have ended. Returns false if `decide` gave up. */
  const takeSteps = async (): Promise<boolean> => {
    for (;;) {
      if (ending.signal.aborted) {
        await Promise.all([...members.values()].map(({ running }) => running!.ended))
        return true
      }
      const isDone = [...members.values()].every(({ end: ended }) => ended !== undefined)
      const waits = countWaiting()
      if (waits === 0 && isDone && inFlight === 0) return true
      const pause = isOrdered ? getPause() : 0
      if (waits === 0 || pause > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(isDone ? 10_000 : Math.max(pause, 1), 10_000))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        continue
      }
      onRecords?.(getRecords())
      const { choices, held } = listReady()
      // Without an order, calls pass as they come.
      const ready = isOrdered ? choices : choices.slice(0, 1)
      const decision = decide(ready, steps)
      if (decision === undefined) return false
      const { choice, fault } = decision
      for (const one of held) one.wasOffered = true
      const { proceed } = held.find((one) => one.choice.id === choice.id)!
      const member = members.get(choice.actor)!
      member.waiting = member.waiting.filter((one) => one.choice.id !== choice.id)
      const step: Step = { ...choice, fault, ready, accesses: new Map(), time: new Date(core.now()).toISOString() }
      steps.push(step)
      inFlight++
      proceed(step)
    }
  }

  const stopServing = serve({ core, sandbox, onRequest })
  const start = { url, run, timeout, signal, isShown }
  try {
    const prepared = await reset?.(start).ended
    if (signal.aborted) return undefined
    if (prepared !== undefined && prepared.exitCode !== 0) throw new ResetError(prepared)
    for (const [name, startProgram] of programs) members.set(name, createMember(name, startProgram))
    for (const member of members.values()) startMember(member)
    // A program that cannot be started rejects.
    const failed = [...members.values()].map(({ running }) => running!.ended.then(() => never))
    const isComplete = await Promise.race([takeSteps(), ...failed])
    isOver = true
    if (!isComplete) for (const { running } of members.values()) running!.kill()
    const ends = await Promise.all(
      [...members.values()].map(async ({ name, end: ended, before, running }): Promise<EndedProgram> => {
        const last = await running!.ended
        return { ...(ended ?? { ...last, output: [...before, ...last.output] }), name }
      }),
    )
    if (signal.aborted) return undefined
    const projects = getRecords()
    onRecords?.(projects)
    // A fault that did not apply is not for the check.
    await client.call('removeFaults')
    const hasEnded = isComplete && !hasTooManyCalls && ends.every(({ isTimedOut }) => !isTimedOut)
    const checked = hasEnded ? await check?.(start).ended : undefined
    if (signal.aborted) return undefined
    const withFaults = steps.map((step) =>
      step.fault !== undefined && hasApplied(effects, step) ? step : { ...step, fault: undefined },
    )
    return {
      ends,
      check: checked,
      steps: withFaults,
      requests: withFaults.map((step) => describeProgramStep(step, nameActor(step.actor))),
      events,
      firstRequest,
      hasTooManyCalls,
      projects,
      isComplete,
      notTried,
    }
  } finally {
    isOver = true
    for (const { running } of members.values()) running?.kill()
    signal.removeEventListener('abort', end)
    stopServing()
    core.stop()
  }
}

/** A request without a response: its program is dead. */
const never = new Promise<never>(() => {})
