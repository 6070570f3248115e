import { toSortedJson } from '../core/schema/json-value.ts'
import { parseTime, type ServiceCall, type ShownRecord } from './recorded-calls.ts'

/** How far lists lag with `listFreshness=delayed`, in milliseconds. */
const delayedListLag = 2000

/** The list that showed a change soonest. It proves that lists lag by at most `age`. */
export interface Freshness {
  /** The time from the start of the changing call to the end of the list call, in milliseconds. */
  readonly age: number
  readonly callNumber: number
}

/** Finds the list that showed a create or update soonest. Returns undefined if none beats the lag of `listFreshness=delayed`. */
export const findFreshness = (
  calls: readonly ServiceCall[],
  overlapping: ReadonlyMap<ServiceCall, readonly ServiceCall[]>,
): Freshness | undefined => {
  const updatedIds = new Set(calls.filter(({ isWrite, isCreate }) => isWrite && !isCreate).map(({ id }) => id))
  /** The start of the call that created a record (by its id) or wrote a version of it (by its JSON). `-Infinity` if unknown. */
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
      if (call.isList && age < (freshness?.age ?? delayedListLag)) freshness = { age, callNumber: call.number }
    }
  }
  return freshness
}

/** Returns false if the call may have replayed a create of an earlier run with the same `Idempotency-Key`. */
const isNewRecord = ({ key, end }: ServiceCall, { createdAt }: ShownRecord): boolean =>
  key === undefined || Math.abs(parseTime(createdAt) - end) < 5000
