import { type OptionChecks, checkBoolean, checkOptions } from '../schema/check-options.ts'
import { errors, hasCode } from '../schema/error.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import { pluralize } from '../schema/problem.ts'
import { createForAllOrOne, getItems, ignoreError, type ScopedCall, withCallerStack } from './call.ts'
import { createRequestControl, type RequestControl } from './request-control.ts'

/** A fault that was created. `remove` or the end of an `await using` block removes it. */
export interface FaultHandle extends Fault, AsyncDisposable {
  /** Returns the fault with its current `hits` and `remaining`. */
  refresh(): Promise<Fault>
  /** Removes the fault, and releases the requests that it holds. */
  remove(): Promise<void>
  /**
   * Waits until the fault holds at least `held` requests, and returns it.
   *
   * @param held @default 1
   * @param options how long to wait
   * @throws MockError `verificationFailed` if it holds fewer after that time, `invalidBody` without the effect `hold`
   */
  waitForHeld(held?: number, options?: WaitOptions): Promise<Fault>
  /**
   * Releases the oldest requests that the fault holds now.
   *
   * @param count @default all of them
   * @throws MockError `invalidBody` without the effect `hold`
   */
  release(count?: number): Promise<Fault>
}

interface WaitOptions {
  /** How long to wait, in milliseconds: at most 3600000. @default 2000 */
  readonly within?: number | undefined
}

/** The faults of one project or of all. */
export interface FaultControl {
  /** The faults of the project, or of all projects. */
  readonly faults: {
    /**
     * Creates a fault.
     *
     * @param options `required`: whether the end of its `await using` block rejects with `verificationFailed` if the fault never
     *   applied. A fault that was removed before, also by a reset, is not checked. @default false
     * @throws MockError `invalidBody` if it has no effect or can never apply, `invalidOptions` for an invalid option
     * @example
     * await using fault = await acme.faults.add({ match: { operation: 'createUser' }, effect: { status: 503 } })
     */
    add(rule: FaultRule, options?: FaultOptions): Promise<FaultHandle>
    /** Lists the faults, oldest first. */
    list(): Promise<readonly Fault[]>
    /** Removes a fault. @default all faults @throws MockError `faultNotFound` */
    remove(id?: string): Promise<void>
  }
}

interface FaultOptions {
  /** Whether the end of its `await using` block rejects if the fault never applied. @default false */
  readonly required?: boolean | undefined
}

const faultChecks: OptionChecks<FaultOptions> = { required: checkBoolean }

// The mock validates the value.
const waitChecks: OptionChecks<WaitOptions> = { within: () => undefined }

export const createFaultControl = (call: ScopedCall): FaultControl => ({
  faults: {
    add: async (body, options = {}) => {
      const { required } = checkOptions<FaultOptions>('faults.add', '{ required: true }', faultChecks, options)
      return createFaultHandle(call, await call('addFault', { body }), required)
    },
    list: () => call('listFaults').then(getItems),
    remove: createForAllOrOne(call, 'removeFaults', 'removeFault', 'fault'),
  },
})

const createFaultHandle = (call: ScopedCall, fault: Fault, required = false): FaultHandle => {
  const params = { fault: fault.id }
  const refresh = () => call('retrieveFault', { params })
  const remove = () => call('removeFault', { params })
  const verify = async () => verifyFaults([await refresh()], createRequestControl(call).requests)
  const methods: Omit<FaultHandle, keyof Fault> = {
    waitForHeld: async (minHeld, options = {}) => {
      const { within } = checkOptions<WaitOptions>('waitForHeld', '{ within: 2000 }', waitChecks, options)
      return call('waitForHeld', { params, body: { held: minHeld, within } })
    },
    release: (count) => call('releaseFault', { params, body: { count } }),
    refresh,
    remove,
    // A reset may have removed it.
    [Symbol.asyncDispose]: () => (required ? verify().finally(remove) : remove()).catch(ignoreError('faultNotFound')),
  }
  return { ...fault, ...withCallerStack(methods) }
}

type Requests = Pick<RequestControl['requests'], 'verify'>

/** Rejects with `verificationFailed` if a fault never applied. The message names each, and the nearest request. */
export const verifyFaults = async (faults: readonly Fault[], requests: Requests): Promise<void> => {
  const unusedFaults = faults.filter(({ hits }) => hits === 0)
  if (unusedFaults.length === 0) return
  throw errors.verificationFailed({
    unusedFaults: await Promise.all(unusedFaults.map((fault) => describeUnusedFault(fault, requests))),
  })
}

const describeUnusedFault = async ({ id, match, project, effect }: Fault, requests: Requests): Promise<string> => {
  const faultSubject = `A fault with ${JSON.stringify(effect)} never applied`
  try {
    const { actual } = await requests.verify({ match: { ...match, ...(project !== null && { project }) } })
    return `${faultSubject}, although the journal has ${pluralize(actual, 'request')} that ${actual === 1 ? 'matches' : 'match'}. They came before it, a newer fault applied, or its skip, probability, from or until excluded them (${id}).`
  } catch (error) {
    if (!hasCode(error, 'verificationFailed', 'journalTruncated')) throw error
    return `${faultSubject}: ${error.message} (${id})`
  }
}

/** Prints a warning if a fault never applied: at the end of a test, that is often a mistake in its match. */
export const warnOfUnusedFaults = async ({
  faults,
  requests,
}: Pick<FaultControl & RequestControl, 'faults' | 'requests'>): Promise<void> =>
  verifyFaults(await faults.list(), requests).catch((error: unknown) => {
    if (!hasCode(error, 'verificationFailed')) throw error
    console.warn(error.message)
  })
