import type { Snapshot } from '../schema/summaries.ts'
import { getItems, getSummary, type ScopedCall } from './call.ts'

/**
 * The state of one project or of all.
 *
 * @typeParam D the document of the state
 * @typeParam C a change of the state
 * @typeParam S the summary
 */
export interface StateControl<D, C, S> {
  /** The whole state: records, clock, behaviors and scheduled payments. */
  readonly state: {
    /** Returns the state as a seed document, which `put` accepts. */
    get(): Promise<D>
    /**
     * Replaces the state.
     *
     * @throws MockError `invalidBody` with all problems of an invalid document, which changes nothing
     * @example
     * await acme.state.put({ users: [{ email: 'ada@example.com' }] })
     */
    put(document: D): Promise<S>
    /** Adds records, and overwrites existing ones with the same ids. */
    patch(change: C): Promise<S>
  }
  /**
   * Restores records, counters, clock, scheduled payments, behaviors and tokens from the seed. Deletes all faults and
   * recorded requests. Keeps snapshots.
   */
  reset(): Promise<S>
  /** Named copies of the state. They survive a reset, and are deleted with their project. Saving under an existing name replaces that copy. */
  readonly snapshots: {
    /**
     * Saves the state under a name.
     *
     * @example
     * await acme.snapshots.save('empty')
     * await acme.users.create({ email: 'ada@example.com' })
     * await acme.snapshots.restore('empty')
     */
    save(name: string): Promise<Snapshot>
    /** Lists the snapshots. */
    list(): Promise<readonly Snapshot[]>
    /** Replaces the state with the copy. @throws MockError `snapshotNotFound` */
    restore(name: string): Promise<S>
    /** Deletes a snapshot. @throws MockError `snapshotNotFound` */
    delete(name: string): Promise<void>
  }
}

export const createStateControl = <D, C, S>(call: ScopedCall): StateControl<D, C, S> => ({
  state: {
    get: () => call('exportState') as Promise<D>,
    put: (body) => call('loadState', { body }).then(getSummary<S>),
    patch: (body) => call('patchState', { body }).then(getSummary<S>),
  },
  reset: () => call('reset').then(getSummary<S>),
  snapshots: {
    save: (name) => call('saveSnapshot', { body: { name } }),
    list: () => call('listSnapshots').then(getItems),
    restore: (name) => call('restoreSnapshot', { params: { name } }).then(getSummary<S>),
    delete: (name) => call('deleteSnapshot', { params: { name } }),
  },
})
