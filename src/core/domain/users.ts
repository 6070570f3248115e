import { errors } from '../schema/error.ts'
import type { Metadata } from '../schema/field.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import { type Problem, quote } from '../schema/problem.ts'
import { cut } from '../schema/text.ts'
import type { User, UserCreate, UserSearch, UserUpdate } from '../schema/user.ts'
import { filterScan, listPage, type Scan, scanAll } from './pagination.ts'
import { foldEmail, omitNulls } from './kinds.ts'
import type { Transaction } from './transaction.ts'
import { isRecord, omitUndefined } from '../schema/json-value.ts'

/** Spec §4.1, create. If `preferredLocale` is null or omitted, it defaults to the project's. */
export const createUser = (tx: Transaction, body: UserCreate): User => {
  rejectTakenEmail(tx, body.email)
  const emailVerified = tx.getBehavior('emailVerifiedOnCreate')
  // The copied fields come last: in Node 20, each field that is added to a copy costs more than a microsecond.
  const seed = { emailVerified, ...body, preferredLocale: body.preferredLocale ?? undefined }
  return tx.insert('users', seed)
}

/** Spec §4.1, update: only the parameters passed are set. Assumed: a null `email` changes nothing. */
export const updateUser = (tx: Transaction, id: string, body: UserUpdate): User => {
  const user = tx.require('users', id)
  const email = body.email ?? user.email
  const metadata =
    body.metadata === undefined ? user.metadata : omitNulls({ ...getKeptMetadata(tx, user.metadata), ...body.metadata })
  if (email !== user.email) rejectTakenEmail(tx, email, id)
  const emailVerified =
    user.emailVerified && (email === user.email || tx.getBehavior('emailVerifiedOnChange') === 'keep')
  const { preferredLocale = user.preferredLocale } = body
  return tx.put('users', {
    ...user,
    ...omitUndefined(body),
    metadata,
    email,
    emailVerified,
    preferredLocale: preferredLocale ?? tx.state.preferredLocale,
  })
}

/** Spec §4.1, search. Assumed: it pages like a list. */
export const searchUsers = (tx: Transaction, body: UserSearch, query: ListQuery): Page<User> =>
  listPage(tx, 'users', query, searchScan(tx, body.email ?? null))

const searchScan = (tx: Transaction, email: string | null): Scan<User> => {
  const { users } = tx.state
  const allUsers = scanAll(tx, 'users')
  if (email === null) return tx.getBehavior('searchWithoutEmail') === 'all' ? allUsers : () => []
  const usersWithEmail: Scan<User> = (direction, from) =>
    users.scan(direction, from, { by: 'email', key: foldEmail(email) })
  switch (tx.getBehavior('searchMatch')) {
    case 'ignoreCase':
      return usersWithEmail
    case 'exact':
      return filterScan(usersWithEmail, (user) => user.email === email)
    case 'contains':
      return filterScan(allUsers, (user) => foldEmail(user.email).includes(foldEmail(email)))
  }
}

const getKeptMetadata = (tx: Transaction, oldMetadata: Metadata): Metadata =>
  Object.keys(oldMetadata).length > 0 && tx.getBehavior('metadataUpdate') === 'merge' ? oldMetadata : {}

/** Assumed: the case of emails is ignored. The user with the id `ownId` does not conflict. */
const rejectTakenEmail = (tx: Transaction, email: string, ownId?: string) => {
  const { users } = tx.state
  for (const { value } of users.scan('asc', undefined, { by: 'email', key: foldEmail(email) })) {
    if (value.id === ownId) continue
    if (tx.getBehavior('duplicateEmail') === 'allow') return
    throw errors.emailTaken({ id: value.id, project: tx.project, email: value.email, sent: email })
  }
}

/** Returns the problems of a body under `metadataLimits`. The body may violate its schema. `id` is the user that it updates. */
export const findUserProblems = (tx: Transaction, body: unknown, id?: string): Problem[] => {
  const sentMetadata = isRecord(body) ? body.metadata : undefined
  if (!isRecord(sentMetadata)) return []
  const oldMetadata = id === undefined ? {} : tx.require('users', id).metadata
  const problems = findMetadataProblems(sentMetadata, getKeptMetadata(tx, oldMetadata))
  return problems.length === 0 || tx.getBehavior('metadataLimits') === 'none' ? [] : problems
}

/** Sent and stored metadata must meet the limits together. */
const findMetadataProblems = (sentMetadata: Metadata, storedMetadata: Metadata): Problem[] => {
  const metadata = omitNulls({ ...storedMetadata, ...sentMetadata })
  const metadataKeys = Object.keys(metadata)
  const getKeyPath = (key: string) => `metadata.${cut(key, 40)}`
  const isSent = (key: string) => Object.hasOwn(sentMetadata, key)
  const createMetadataProblem = (path: string, rule: string, key: string) => ({
    path,
    message: `${rule}${isSent(key) ? '' : ' (it is stored, and was not sent)'}.`,
  })
  const countText = `${metadataKeys.length}${metadataKeys.every(isSent) ? '' : ' with those that are stored'}`
  return [
    ...(metadataKeys.length > 10
      ? [{ path: 'metadata', message: `metadata must have at most 10 keys (got ${countText}).` }]
      : []),
    ...metadataKeys
      .filter((key) => key === '' || isLonger(key, 40))
      .map((key) => {
        const rule = `metadata key ${quote(key)} must have 1 to 40 characters (got ${countCharacters(key)})`
        return createMetadataProblem('metadata', rule, key)
      }),
    ...metadataKeys
      .filter((key) => typeof metadata[key] !== 'string' || isLonger(metadata[key], 255))
      .map((key) =>
        createMetadataProblem(getKeyPath(key), `${getKeyPath(key)} must be a string of at most 255 characters`, key),
      ),
  ]
}

/** Most texts are so short that no characters need to be counted. */
const isLonger = (text: string, max: number): boolean => text.length > max && countCharacters(text) > max

// As in JSON Schema, a character outside the basic plane counts once.
const countCharacters = (text: string): number => Array.from(text).length
