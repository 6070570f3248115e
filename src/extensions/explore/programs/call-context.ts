// The view of the mock on a request of a program: whether it is a call of the API, how it ended, and its reads and writes.
import type { RequestContext } from '../../../api/request-context.ts'
import type { Access } from '../../../domain/projects.ts'
import { describeFault } from '../result.ts'
import type { Step } from '../steps.ts'
import type { ProgramRequest } from './held-calls.ts'
import { toActor } from './run-state.ts'

// Only a call with a fault has this header, with the number of the call at its end.
export const faultHeader = 'mock-explored-call'

/** Whether a request is a call of the mocked API. */
export const isApiCall = ({ path }: ProgramRequest): boolean =>
  /^(?:\/[^/?]+)*?\/projects\//.test(path) && !path.startsWith('/__admin')

export const describeContext = (
  { method, path, body }: ProgramRequest,
  context: RequestContext | undefined,
  isDead: boolean,
) => ({
  method,
  path,
  body,
  status: isDead ? null : (context?.response?.status ?? null),
  response: isDead ? null : (context?.response?.text ?? null),
})

export const describeProgramStep = ({ actor, call, fault, time }: Step) => {
  const { fault: found, ...request } = call!.read()
  return { actor: toActor(actor), ...request, time, fault: fault === undefined ? found : describeFault(fault) }
}

/** Notes what a request reads and writes besides its transactions. */
export const noteRequest = ({ project, options, req }: RequestContext, note: (access: Access) => void): void => {
  const isKeyed = req.header('idempotency-key') !== undefined
  note({ project, part: isKeyed ? '*' : 'behaviors', isWrite: isKeyed })
  // A fault counts requests.
  if (options.traffic.faults.list().some(({ match }) => !isOwnMatch(match)))
    note({ project: '*', part: '*', isWrite: true })
}

const isOwnMatch = (match: { readonly headers?: Readonly<Record<string, unknown>> | undefined } = {}): boolean =>
  Object.keys(match.headers ?? {}).some((name) => name.startsWith(faultHeader))
