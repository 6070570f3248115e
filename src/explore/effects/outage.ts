// An operation keeps failing for longer than an SDK keeps retrying.
import type { NamedEffect } from './effect.ts'

/** SDKs send a call at most six times. A program that retries forever must still come to an end. */
const times = 10

export const outage: NamedEffect = {
  // After the operation it would be `unavailable`, and then an outage before the next call.
  phases: ['before'],
  prolongs: 'unavailable',
  isDefault: true,
  summary: `503 for this call and the next ${times - 1} of its operation`,
  remedy: 'does not mistake a failed search for a missing record, and gives up without a result after its last attempt',
  act: async ({ operation, addFault, send }) => {
    await addFault({ match: { operation }, times, effect: { status: 503 } })
    return send()
  },
}
