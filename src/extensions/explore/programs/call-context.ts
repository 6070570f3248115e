// The view of the mock on a request of a program: whether it is a call of the API, how it ended, and its reads and writes.
import type { Core, ObservedRequest } from '../../../mock/extension.ts'
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
  observed: ObservedRequest | undefined,
  isDead: boolean,
) => ({
  method,
  path,
  body,
  status: isDead ? null : (observed?.response?.status ?? null),
  response: isDead ? null : (observed?.response?.text ?? null),
})

export const describeProgramStep = ({ actor, call, fault, time }: Step) => {
  const { fault: found, ...request } = call!.read()
  return { actor: toActor(actor), ...request, time, fault: fault === undefined ? found : describeFault(fault) }
}

/** Returns true if a program has created one of these faults. */
export const hasFaultOfProgram = (faults: ReturnType<Core['listFaults']>): boolean =>
  faults.some(({ match }) => !Object.keys(match?.headers ?? {}).some((name) => name.startsWith(faultHeader)))
