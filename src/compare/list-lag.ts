// How soon the lists of a service show a change, as far as the calls prove it.
import { toSortedJson } from '../core/schema/json-value.ts'
import { parseTime, type ServiceCall, type ShownRecord } from './recorded-calls.ts'

/** The lag of `listFreshness=delayed`, in milliseconds. */
const delayedListLag = 2000

/** The list that shows the most recent change. It is proof that no list lags behind for longer than `age`. */
export interface Freshness {
  /** The age of the change, in milliseconds. */
  readonly age: number
  /** The number of the call. */
  readonly number: number
}

/**
 * Finds the list that shows the most recent change, if that is more recent than the lag of `listFreshness=delayed`. A change is a
 * record that a create returned, or a version of a record that no earlier call has shown.
 */
export const findFreshness = (
  calls: readonly ServiceCall[],
  overlapping: ReadonlyMap<ServiceCall, readonly ServiceCall[]>,
): Freshness | undefined => {
  const updatedIds = new Set(calls.filter(({ isWrite, isCreate }) => isWrite && !isCreate).map(({ id }) => id))
  /**
   * The start of the call that created a record, by id, or a version of it, by JSON. `-Infinity` if it may be older than the run.
   */
  const starts = new Map<string, number>()
  const noteStart = (key: string, firstStart: number): number => {
    const start = starts.get(key) ?? firstStart
    starts.set(key, start)
    return start
  }
  let freshness: Freshness | undefined
  for (const call of calls) {
    const { isCreate, isWrite, start } = call
    const isUpdate = isWrite && !isCreate && overlapping.get(call)?.length === 0
    for (const record of call.shownRecords) {
      const { id } = record
      const wasShown = starts.has(id)
      const creation = noteStart(id, isCreate && isNewRecord(call, record) ? start : -Infinity)
      const update = updatedIds.has(id)
        ? noteStart(toSortedJson(record), isUpdate && wasShown ? start : -Infinity)
        : -Infinity
      const age = call.end - Math.max(creation, update)
      if (call.isList && age < (freshness?.age ?? delayedListLag)) freshness = { age, number: call.number }
    }
  }
  return freshness
}

/** The response to a create with an `Idempotency-Key` may be a replay from an earlier run. */
const isNewRecord = ({ key, end }: ServiceCall, { createdAt }: ShownRecord): boolean =>
  key === undefined || Math.abs(parseTime(createdAt) - end) < 5000
