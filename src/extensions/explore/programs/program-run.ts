// One run of a program: in a sandbox of its own, with the faults of a schedule, and a record of its calls.
import { ignoreError } from '../../../client/errors.ts'
import { exportAll } from '../../../domain/documents.ts'
import type { RequestContext } from '../../../http/request-context.ts'
import type { Core } from '../../../mock/mock.ts'
import type { OperationId } from '../../../schema/operation-routes.ts'
import { getTarget } from '../../../schema/url.ts'
import { splitSandboxPath } from '../../../wire/sandbox-path.ts'
import type { Effects, FaultableCall, FaultSchedule } from '../explored-faults.ts'
import { type ProjectRecords, raisePeaks, type RecordPeaks } from '../record-difference.ts'
import { describeFault } from '../result.ts'
import type { CallFault } from '../schedule-text.ts'
import type { ProgramRequest } from './program-result.ts'

/** How a program ended. */
export interface ProgramEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  /** The name of that signal. */
  readonly signal: string | null
  readonly isTimedOut: boolean
  /** The last lines of its output. Empty if it was shown. */
  readonly output: string[]
}

interface ProgramStart {
  /** The address of the sandbox. */
  readonly url: string
  /** Ends the program. */
  readonly signal: AbortSignal
  /** Whether its output goes to the terminal instead of the result. */
  readonly isShown: boolean
}

/** Runs a program to its end. */
export type RunProgram = (start: ProgramStart) => Promise<ProgramEnd>

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

export interface ProgramRunOptions {
  readonly recorder: ProgramRecorder
  /** The address of the mock. */
  readonly url: string
  readonly effects: Effects
  readonly maxCalls: number
  readonly run: RunProgram
  readonly check: RunProgram | undefined
  readonly signal: AbortSignal
}

export interface RunChoice {
  readonly schedule: FaultSchedule
  /** @default false */
  readonly isShown?: boolean
  /** Is raised to the numbers of records that the run has at the same time. */
  readonly peaks?: RecordPeaks | undefined
}

/** Returns a function that runs the program once. It resolves with undefined if the signal ended the run. */
export const createProgramRunner = (core: Core, options: ProgramRunOptions) => {
  const { recorder, url, effects, maxCalls, signal } = options
  let runs = 0
  return async ({ schedule, isShown = false, peaks }: RunChoice): Promise<FinishedProgram | undefined> => {
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
    const calls: RecordedCall[] = []
    const occurrences = new Map<string, number>()
    const onCall = (context: RequestContext) => {
      if (peaks !== undefined) raisePeaks(peaks, exportAll(context.options.store).projects ?? {})
      if (calls.length === maxCalls) {
        hasTooManyCalls = true
        end()
      }
      calls.push(createCall(context, occurrences))
    }
    const recording: Recording = { first: undefined, onCall }
    recorder.recordings.set(sandbox, recording)
    const start = { url: `${url}/@${sandbox}`, signal: ending.signal, isShown }
    try {
      const ended = await options.run(start)
      if (signal.aborted) return undefined
      const { projects = {} } = await client.call('exportState')
      if (peaks !== undefined) raisePeaks(peaks, projects)
      const requests = calls.map(({ read }) => {
        const { fault, ...request } = read()
        const own = fault === undefined ? undefined : added.get(fault)
        return { ...request, fault: own === undefined ? (fault ?? null) : describeFault(own) }
      })
      const applied = calls.map(({ read }) => added.has(read().fault ?? ''))
      // A fault that did not apply is not for the check.
      await client.call('removeFaults')
      const check = ended.isTimedOut || hasTooManyCalls ? undefined : await options.check?.(start)
      if (signal.aborted) return undefined
      return {
        end: ended,
        check,
        calls: calls.map(({ id, operation }) => ({ id, operation })),
        requests,
        firstRequest: recording.first,
        hasTooManyCalls,
        projects,
        schedule,
        applied: applied.filter(Boolean).length,
        lastFault: applied.lastIndexOf(true),
      }
    } finally {
      signal.removeEventListener('abort', end)
      recorder.recordings.delete(sandbox)
      // It does not exist if nothing called it.
      await core.client.call('deleteSandbox', { params: { sandbox } }).catch(ignoreError('sandboxNotFound'))
    }
  }
}

/**
 * A call of a program, which is read at the end of its run, when its response is known. Its id is the project, the operation
 * and the occurrence as JSON: what it has in common with a call of another run.
 */
interface RecordedCall extends FaultableCall {
  /** `fault` is the id of the fault that applied. */
  readonly read: () => Omit<ProgramRequest, 'fault'> & { readonly fault: string | undefined }
}

/** The observer of a running program. */
interface Recording {
  /** The first request, also if it called no operation, such as `GET /v2/users`. */
  first: string | undefined
  /** Is called before a call is handled. */
  readonly onCall: (context: RequestContext) => void
}

/** Watches a mock. */
export interface ProgramRecorder {
  /** The mock for the server. */
  readonly core: Core
  /** The recordings of the running programs, by sandbox. */
  readonly recordings: Map<string, Recording>
  /** The first call to the mock outside of all sandboxes, such as `GET /projects/acme/users`. */
  readonly getRootCall: () => string | undefined
}

export const createProgramRecorder = (core: Core): ProgramRecorder => {
  const recordings = new Map<string, Recording>()
  let rootCall: string | undefined
  const respond: Core['respond'] = (request, connection, transport) => {
    const path = splitUrl(request.url)
    const recording = path === undefined ? undefined : recordings.get(path.name)
    if (path !== undefined && recording !== undefined) recording.first ??= describeRequest(request.method, path.url)
    return core.respond(request, connection, transport, (context) => {
      if (path === undefined) rootCall ??= describeRequest(request.method, request.url)
      recording?.onCall(context)
    })
  }
  return { core: { ...core, respond }, recordings, getRootCall: () => rootCall }
}

/** Returns the parts of a call's id. */
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

const describeRequest = (method: string, url: string): string => `${method} ${getTarget(url)}`

/** `occurrences` has the numbers of earlier calls to an operation of a project, by their JSON. */
const createCall = (context: RequestContext, occurrences: Map<string, number>): RecordedCall => {
  const { project, req } = context
  const operation = context.operation?.id
  const key = JSON.stringify([project, operation])
  const occurrence = (occurrences.get(key) ?? 0) + 1
  occurrences.set(key, occurrence)
  return {
    id: JSON.stringify([project, operation, occurrence]),
    operation,
    read: () => ({
      operation: operation ?? null,
      method: req.method,
      path: getTarget(req.url),
      body: context.text ?? null,
      status: context.response?.status ?? null,
      response: context.response?.text ?? null,
      time: new Date(context.receivedAt).toISOString(),
      fault: context.fault,
    }),
  }
}
