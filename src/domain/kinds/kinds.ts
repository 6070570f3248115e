import type { ErrorCode } from '../../schema/error.ts'
import type { Kind, RecordKind } from './kind.ts'
import { paymentLinkKind } from './payment-link-kind.ts'
import { userKind } from './user-kind.ts'

/** The kinds of records. */
export const kinds: { readonly [K in RecordKind]: Kind<K> } = { users: userKind, paymentLinks: paymentLinkKind }

/** The names of the kinds, in the order of documents. */
export const recordKinds = Object.keys(kinds) as readonly RecordKind[]

/** The number of records of each kind. */
export type RecordCounts = Record<RecordKind, number>

/** Returns an object with a value for each kind. The caller names its type, because that of each value depends on its kind. */
export const mapKinds = <V extends Record<RecordKind, unknown>>(map: <K extends RecordKind>(kind: K) => unknown): V =>
  Object.fromEntries(recordKinds.map((kind) => [kind, map(kind)])) as V

/** Returns the kind whose records are missing when there is this error. */
export const findMissingKind = (code: ErrorCode): Pick<Kind<RecordKind>, 'prefix'> | undefined =>
  Object.values(kinds).find(({ notFoundCode }) => notFoundCode === code)
