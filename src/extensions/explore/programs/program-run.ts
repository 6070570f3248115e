// One run of a program: in a sandbox of its own, with the faults of a schedule, and a record of its calls.
import { ignoreError } from '../../../client/call.ts'
import { exportAll } from '../../../domain/documents.ts'
import type { RequestContext } from '../../../http/request-context.ts'
import type { Core } from '../../../mock/mock.ts'
import type { OperationId } from '../../../schema/operation-routes.ts'
import type { Seed } from '../../../schema/seed.ts'
import { getTarget } from '../../../schema/url.ts'
import { splitSandboxPath } from '../../../mock/sandboxes.ts'
import type { Effects, FaultableCall, FaultSchedule } from '../explored-faults.ts'
import { describeFault } from '../result.ts'
import type { CallFault } from '../schedule-text.ts'
import type { ProgramFailure, ProgramRequest } from './program-result.ts'

/** How a program ended. */
export type ProgramEnd = Pick<ProgramFailure, 'exitCode' | 'signal' | 'output'> & { readonly isTimedOut: boolean }

/** Runs a program to its end, or until the signal ends it. `isShown`: its output goes to the terminal instead of the result. */
export type RunProgram = (start: {
  /** The address of the sandbox. */
  readonly url: string
  readonly signal: AbortSignal
  readonly isShown: boolean
}) => Promise<ProgramEnd>

/** What a search needs to run a program, and to judge its runs. */
export interface ProgramRunOptions {
  readonly run: RunProgram
  readonly check: RunProgram | undefined
  readonly signal: AbortSignal
  /** The effects under which the program must exit with 0. */
  readonly mustSucceed: readonly string[]
  readonly maxCalls: number
  /** How long a run may take, in milliseconds. */
  readonly timeout: number
  /** The variables that have the address of the sandbox. */
  readonly variables: readonly string[]
}

/** The projects of a state. */
export type ProjectRecords = NonNullable<Seed['projects']>

/** A program that ran to its end. */
export interface FinishedProgram {
  readonly end: ProgramEnd
  /** Undefined without a check, and if the program had to be ended. */
  readonly check: ProgramEnd | undefined
  readonly calls: readonly FaultableCall[]
  readonly requests: ProgramRequest[]
  readonly firstRequest: string | undefined
  readonly hasTooManyCalls: boolean
  /** The records at the end. */
  readonly projects: ProjectRecords
  readonly schedule: FaultSchedule
  /** How many faults of the schedule applied. */
  readonly applied: number
  /** The index of the last call with such a fault. -1: none. */
  readonly lastFault: number
}

/** The observer of a running program. */
interface Recording {
  /** The first request, also if it called no operation, such as `GET /v2/users`. */
  first?: string
  /** Is called before a call is handled. */
  readonly onCall: (context: RequestContext) => void
}

/** Creates the runner of a program. `listen` opens a socket for the watched mock, and returns its address. */
export const createProgramRunner = async (
  core: Core,
  listen: (core: Core) => Promise<string>,
  effects: Effects,
  { run, check, signal, maxCalls }: ProgramRunOptions,
) => {
  /** By sandbox. */
  const recordings = new Map<string, Recording>()
  let rootCall: string | undefined
  const respond: Core['respond'] = (request, env) => {
    const path = splitUrl(request.url)
    const recording = path && recordings.get(path.name)
    if (recording !== undefined) recording.first ??= describeCall(request.method, path!.url)
    const onContext = (context: RequestContext) => {
      if (path === undefined) rootCall ??= describeCall(request.method, request.url)
      recording?.onCall(context)
    }
    return core.respond(request, { ...env, onContext })
  }
  const url = await listen({ ...core, respond })
  let runs = 0
  /** Runs the program once. Resolves with undefined if the signal ended it. `onRecords` gets the records after each call. */
  const runOnce = async (
    schedule: FaultSchedule,
    isShown: boolean,
    onRecords?: (projects: ProjectRecords) => void,
  ): Promise<FinishedProgram | undefined> => {
    const sandbox = `run-${++runs}`
    const client = core.getSandboxClient(sandbox)
    const added = new Map<string, CallFault>()
    // If several faults match a call, only the newest counts it. Faults for later calls are therefore added last.
    for (const [id, { phase, effect }] of [...schedule].toSorted(([a], [b]) => parseCallId(a)[2] - parseCallId(b)[2])) {
      const [project, operation, occurrence] = parseCallId(id)
      const body = { match: { project, operation }, skip: occurrence - 1, phase, effect: effects[effect]! }
      added.set((await client.call('addFault', { body })).id, { phase, effect })
    }
    let hasTooManyCalls = false
    const ending = new AbortController()
    const end = () => ending.abort()
    signal.addEventListener('abort', end)
    const calls: { readonly id: string; readonly context: RequestContext }[] = []
    const occurrences = new Map<string, number>()
    const onCall = (context: RequestContext) => {
      onRecords?.(exportAll(context.options.store).projects ?? {})
      if (calls.length === maxCalls) {
        hasTooManyCalls = true
        end()
      }
      const called = [context.project, context.operation?.id]
      const key = JSON.stringify(called)
      const occurrence = (occurrences.get(key) ?? 0) + 1
      occurrences.set(key, occurrence)
      calls.push({ id: JSON.stringify([...called, occurrence]), context })
    }
    const recording: Recording = { onCall }
    recordings.set(sandbox, recording)
    const start = { url: `${url}/@${sandbox}`, signal: ending.signal, isShown }
    try {
      const ended = await run(start)
      if (signal.aborted) return undefined
      const { projects = {} } = await client.call('exportState')
      onRecords?.(projects)
      // The responses are known only now.
      const faults = calls.map(({ context }) => added.get(context.fault ?? ''))
      const requests = calls.map(({ context }, index) => describeContext(context, faults[index]))
      // A fault that did not apply is not for the check.
      await client.call('removeFaults')
      const checked = ended.isTimedOut || hasTooManyCalls ? undefined : await check?.(start)
      if (signal.aborted) return undefined
      return {
        end: ended,
        check: checked,
        calls: calls.map(({ id, context }) => ({ id, operation: context.operation?.id })),
        requests,
        firstRequest: recording.first,
        hasTooManyCalls,
        projects,
        schedule,
        applied: faults.filter((fault) => fault !== undefined).length,
        lastFault: faults.findLastIndex((fault) => fault !== undefined),
      }
    } finally {
      signal.removeEventListener('abort', end)
      recordings.delete(sandbox)
      // It does not exist if nothing called it.
      await core.client.call('deleteSandbox', { params: { sandbox } }).catch(ignoreError('sandboxNotFound'))
    }
  }
  /** `getRootCall` returns the first call outside of all sandboxes, such as `GET /projects/acme/users`. */
  return { url, runOnce, getRootCall: () => rootCall }
}

/** Parses the id of a call: what it has in common with a call of another run, as JSON. */
export const parseCallId = (
  id: string,
): readonly [project: string, operation: OperationId | null, occurrence: number] => JSON.parse(id)

const splitUrl = (url: string): { readonly name: string; readonly url: string } | undefined => {
  try {
    return splitSandboxPath(url)
  } catch {
    // The mock responds with the error of the invalid name.
    return { name: '', url }
  }
}

const describeCall = (method: string, url: string): string => `${method} ${getTarget(url)}`

const describeContext = (context: RequestContext, own: CallFault | undefined): ProgramRequest => ({
  operation: context.operation?.id ?? null,
  method: context.req.method,
  path: getTarget(context.req.url),
  body: context.text ?? null,
  status: context.response?.status ?? null,
  response: context.response?.text ?? null,
  time: new Date(context.receivedAt).toISOString(),
  fault: own === undefined ? (context.fault ?? null) : describeFault(own),
})
