import { MockError } from '../schema/error.ts'
import type { Fault } from '../schema/fault.ts'
import { pluralize } from '../schema/problem.ts'
import type { TrafficControl } from './traffic.ts'

type Requests = Pick<TrafficControl['requests'], 'verify'>

/** Rejects with `verificationFailed` if a fault never applied. The message names each, and the nearest request. */
export const verifyFaults = async (faults: readonly Fault[], requests: Requests): Promise<void> => {
  const unused = faults.filter(({ hits }) => hits === 0)
  if (unused.length === 0) return
  const lines = await Promise.all(unused.map((fault) => describeUnused(fault, requests)))
  throw new MockError('verificationFailed', lines.join('\n'))
}

const describeUnused = async ({ id, match, project, effect }: Fault, requests: Requests): Promise<string> => {
  const subject = `Fault '${id}' with ${JSON.stringify(effect)} never applied`
  try {
    const { actual } = await requests.verify({ match: { ...match, ...(project !== null && { project }) } })
    return `${subject}, although the journal has ${pluralize(actual, 'request')} that ${actual === 1 ? 'matches' : 'match'}. They came before it, a newer fault applied, or its skip, probability, from or until excluded them.`
  } catch (error) {
    if (!(error instanceof MockError) || !['verificationFailed', 'journalTruncated'].includes(error.code)) throw error
    return `${subject}: ${error.message}`
  }
}

/** Prints a warning if a fault never applied: at the end of a test, that is often a mistake in its match. */
export const warnOfUnusedFaults = async ({
  faults,
  requests,
}: Pick<TrafficControl, 'faults' | 'requests'>): Promise<void> =>
  verifyFaults(await faults.list(), requests).catch((error: unknown) => {
    if (!(error instanceof MockError) || error.code !== 'verificationFailed') throw error
    console.warn(error.message)
  })
