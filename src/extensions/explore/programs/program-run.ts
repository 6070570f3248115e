// One run of a program: in a sandbox of its own, with the faults of a schedule.
import { ignoreError } from '../../../client/errors.ts'
import { exportAll } from '../../../domain/documents.ts'
import type { Core } from '../../../mock/mock.ts'
import type { Effects, FaultSchedule, FaultableCall } from '../explored-faults.ts'
import { type ProjectRecords, raisePeaks, type RecordPeaks } from '../record-difference.ts'
import { describeFault } from '../result.ts'
import type { CallFault } from '../schedule-text.ts'
import { parseCallId, type ProgramRecorder } from './program-recorder.ts'
import type { ProgramRequest } from './program-result.ts'

/** How a program ended. */
export interface ProgramEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  /** The name of that signal. */
  readonly signal: string | null
  readonly isTimedOut: boolean
  /** The last lines of its output. Empty if it was shown. */
  readonly output: readonly string[]
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
  readonly requests: readonly ProgramRequest[]
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
    const traffic = recorder.start(sandbox, ({ length }, { options: { store } }) => {
      if (peaks !== undefined) raisePeaks(peaks, exportAll(store).projects ?? {})
      if (length < maxCalls) return
      hasTooManyCalls = true
      end()
    })
    const start = { url: `${url}/@${sandbox}`, signal: ending.signal, isShown }
    try {
      const ended = await options.run(start)
      if (signal.aborted) return undefined
      const { projects = {} } = await client.call('exportState')
      if (peaks !== undefined) raisePeaks(peaks, projects)
      const { calls } = traffic
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
        firstRequest: traffic.getFirst(),
        hasTooManyCalls,
        projects,
        schedule,
        applied: applied.filter(Boolean).length,
        lastFault: applied.lastIndexOf(true),
      }
    } finally {
      signal.removeEventListener('abort', end)
      recorder.stop(sandbox)
      // It does not exist if nothing called it.
      await core.client.call('deleteSandbox', { params: { sandbox } }).catch(ignoreError('sandboxNotFound'))
    }
  }
}
