import { type ErrorCode, MockError } from '../schema/error.ts'
import type { RecordKind } from './projects.ts'
import type { Transaction } from './transaction.ts'

/** A kind of record, and its names in ids, messages, paths and errors. */
export interface Kind {
  readonly prefix: 'usr' | 'pml'
  readonly text: string
  readonly path: RecordKind
  readonly notFoundCode: ErrorCode
}

export const userKind: Kind = { prefix: 'usr', text: 'user', path: 'users', notFoundCode: 'userNotFound' }
export const paymentLinkKind: Kind = {
  prefix: 'pml',
  text: 'payment link',
  path: 'paymentLinks',
  notFoundCode: 'paymentLinkNotFound',
}

/**
 * Returns the hint for an id without a record: it was deleted, is the id of another kind of record, or belongs to another
 * project. Undefined if none of these is true.
 */
export const explainUnknownId = (tx: Transaction, kind: Kind, id: string): string | undefined => {
  if (tx.state[kind.path].getEntry(id) !== undefined) return `The ${kind.text} was deleted.`
  const other = kind === userKind ? paymentLinkKind : userKind
  if (id.startsWith(`${other.prefix}_`))
    return `An id that starts with '${other.prefix}_' belongs to a ${other.text}: see /projects/${tx.project}/${other.path}.`
  const project = tx.findProjectWith(id)
  if (project !== undefined) return `It belongs to project '${project}'.`
  if (!id.startsWith(`${kind.prefix}_`)) return `Ids of ${kind.text}s start with '${kind.prefix}_'.`
  return undefined
}

export const recordNotFound = (tx: Transaction, kind: Kind, id: string): MockError =>
  new MockError(kind.notFoundCode, `No ${kind.text} '${id}' in project '${tx.project}'.`, {
    hint: explainUnknownId(tx, kind, id),
  })
