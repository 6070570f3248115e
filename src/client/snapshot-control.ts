import type { Snapshot } from '../schema/summaries.ts'
import { getItems, getSummary, type ScopedCall } from './call.ts'

/** The snapshots of one project or of all. @typeParam S the summary of the state */
export interface SnapshotControl<S> {
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

/** Creates the functions of snapshots. */
export const createSnapshotControl = <S>(call: ScopedCall): SnapshotControl<S> => ({
  snapshots: {
    save: (name) => call('saveSnapshot', { body: { name } }),
    list: () => call('listSnapshots').then(getItems),
    restore: (name) => call('restoreSnapshot', { params: { name } }).then(getSummary<S>),
    delete: (name) => call('deleteSnapshot', { params: { name } }),
  },
})
