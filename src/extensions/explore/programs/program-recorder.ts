// Records the calls of each program: a mock whose sandboxes are watched.
import type { RequestContext } from '../../../http/request-context.ts'
import type { Core } from '../../../mock/mock.ts'
import type { OperationId } from '../../../schema/operation-routes.ts'
import { splitSandboxPath } from '../../../wire/sandbox-path.ts'
import type { FaultableCall } from '../explored-faults.ts'
import type { ProgramRequest } from './program-result.ts'
import { getTarget } from '../../../schema/url.ts'

/**
 * A call of a program, which is read at the end of its run, when its response is known. Its id is the project, the operation
 * and the occurrence as JSON: what it has in common with a call of another run.
 */
interface RecordedCall extends FaultableCall {
  /** `fault` is the id of the fault that applied. */
  readonly read: () => Omit<ProgramRequest, 'fault'> & { readonly fault: string | undefined }
}

/** The requests of one run. */
interface RecordedTraffic {
  readonly calls: readonly RecordedCall[]
  /** The first request, also if it called no operation, such as `GET /v2/users`. */
  readonly getFirst: () => string | undefined
}

/** Watches a mock. `core` is for its server. */
export interface ProgramRecorder {
  readonly core: Core
  /** Records the calls to a sandbox. */
  readonly start: (sandbox: string, onCall: OnProgramCall) => RecordedTraffic
  readonly stop: (sandbox: string) => void
  /** The first call to the mock outside of all sandboxes, such as `GET /projects/acme/users`. */
  readonly getRootCall: () => string | undefined
}

/** Is called before a call is handled, with the calls before it. */
type OnProgramCall = (earlier: readonly RecordedCall[], context: RequestContext) => void

/** A recorded run. */
interface Recording {
  readonly calls: RecordedCall[]
  /** The numbers of calls to an operation of a project, by their JSON. */
  readonly occurrences: Map<string, number>
  first: string | undefined
  readonly onCall: OnProgramCall
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
      if (recording === undefined) return
      recording.onCall(recording.calls, context)
      recording.calls.push(createCall(context, recording.occurrences))
    })
  }
  return {
    core: { ...core, respond },
    start: (sandbox, onCall) => {
      const recording: Recording = { calls: [], occurrences: new Map(), first: undefined, onCall }
      recordings.set(sandbox, recording)
      return { calls: recording.calls, getFirst: () => recording.first }
    },
    stop: (sandbox) => void recordings.delete(sandbox),
    getRootCall: () => rootCall,
  }
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
