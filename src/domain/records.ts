import { errors } from '../schema/error.ts'
import type { UnknownId } from '../schema/errors/http-errors.ts'
import { type RecordKind, type RecordSeed, type RecordTypes, type RecordValue, kinds, recordKinds } from './kinds.ts'
import type { Transaction } from './transaction.ts'

/** Returns the record. Throws the error of its kind for an unknown id, with a hint that explains the id. */
export const requireRecord = <K extends RecordKind>(tx: Transaction, kind: K, id: string): RecordValue<K> => {
  const record = tx.get(kind, id)
  if (record !== undefined) return record
  throw errors[kinds[kind].notFoundCode](explainUnknownId(tx, kind, id))
}

/** Returns why no record has the id: it was deleted, is the id of another kind of record, or belongs to another project. */
export const explainUnknownId = (tx: Transaction, kind: RecordKind, id: string): UnknownId => ({
  id,
  project: tx.project,
  text: kinds[kind].text,
  reason: findReason(tx, kind, id),
})

const findReason = (tx: Transaction, kind: RecordKind, id: string): UnknownId['reason'] => {
  const { prefix } = kinds[kind]
  if (tx.state[kind].getEntry(id) !== undefined) return { is: 'deleted' }
  const other = recordKinds
    .map((name) => kinds[name])
    .find((one) => one.path !== kind && id.startsWith(`${one.prefix}_`))
  if (other !== undefined) return { is: 'otherKind', prefix: other.prefix, text: other.text, path: other.path }
  const project = tx.findProjectWith(id)
  if (project !== undefined) return { is: 'otherProject', project }
  return id.startsWith(`${prefix}_`) ? undefined : { is: 'otherPrefix', prefix }
}

/** Adds a record with any fields, including read-only ones. Missing fields get their defaults. */
export const insertRecord = <K extends RecordKind>(tx: Transaction, kind: K, seed: RecordSeed<K>): RecordValue<K> => {
  if (seed.id !== undefined) rejectTakenId(tx, kind, seed.id)
  return putRecord(tx, kind, completeSeed(tx, kind, seed, { id: seed.id ?? tx.newId(kind), createdAt: tx.now }))
}

/** Sets the given fields, including read-only ones. */
export const patchRecord = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  id: string,
  patch: RecordTypes[K]['patch'],
): RecordValue<K> => putRecord(tx, kind, kinds[kind].update(requireRecord(tx, kind, id), patch, tx.now))

/** Adds the record, or replaces the one with its id. Missing fields get their defaults. */
export const overwriteRecord = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  seed: RecordSeed<K>,
): RecordValue<K> => {
  const old = seed.id === undefined ? undefined : tx.get(kind, seed.id)
  return old === undefined ? insertRecord(tx, kind, seed) : putRecord(tx, kind, completeSeed(tx, kind, seed, old))
}

/** Completes a seed with the defaults of its kind and project. */
export const completeSeed = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  seed: RecordSeed<K>,
  { id, createdAt }: { readonly id: string; readonly createdAt: string },
): RecordValue<K> => kinds[kind].defaults(seed, { id, createdAt, preferredLocale: tx.state.preferredLocale })

/** Stores a record. A payment link that is not active loses its scheduled payments. `at` is the time of the change. */
export const putRecord = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  record: RecordValue<K>,
  at?: string,
): RecordValue<K> => {
  if (kinds[kind].cancelsPayments?.(record) === true) removeScheduledPayments(tx, record.id)
  return tx.put(kind, record, at)
}

/** Deletes a record and its scheduled payments, and returns it. */
export const deleteRecord = <K extends RecordKind>(tx: Transaction, kind: K, id: string): RecordValue<K> => {
  removeScheduledPayments(tx, id)
  return tx.delete(kind, requireRecord(tx, kind, id))
}

const removeScheduledPayments = (tx: Transaction, id: string): void => {
  const { scheduledPayments } = tx.state
  if (scheduledPayments.length === 0) return
  tx.set(
    'scheduledPayments',
    scheduledPayments.filter(({ paymentLink }) => paymentLink !== id),
  )
}

const rejectTakenId = (tx: Transaction, kind: RecordKind, id: string) => {
  if (tx.get(kind, id) !== undefined) throw errors.idTaken({ id, text: kinds[kind].text, project: tx.project })
}
