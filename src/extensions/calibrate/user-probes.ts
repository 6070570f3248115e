import { type Fields, isRecord, hasSameJson } from '../../schema/json-value.ts'
import { askTwice, createObserved, createUnknown, type ProbeContext, type Probes } from './probe.ts'
import {
  createInconclusiveError,
  type Exchange,
  getFields,
  getIds,
  InconclusiveError,
  isContentRejected,
  isOk,
  requireIds,
} from './service.ts'

/** The probes of spec §4.1 and of the metadata of spec §2.2, in the order of a run. */
export const userProbes = {
  searchMatch: {
    uses: ['user'],
    requests: [
      'POST /users/search for the email of the user, for the same in capitals, and for a part of it, each twice',
    ],
    run: async (context) => {
      const { id } = await context.user()
      const email = context.ids.createEmail(1)
      // From the middle, which a search by prefix does not find.
      const emails = [email, email.toUpperCase(), email.slice(8, -4)]
      const isFound = (exchange: Exchange) => includesUser(exchange, id)
      const exchanges = await askTwice(
        emails.map((text) => () => context.searchUsers({ email: text })),
        isFound,
      )
      await requireFound(context, ...exchanges)
      const [byWhole, byCapitals, byPart] = exchanges.map(isFound)
      if (!byWhole) throw new InconclusiveError(newUserMissing, ...exchanges)
      if (!byPart) return createObserved(byCapitals ? 'ignoreCase' : 'exact', ...exchanges)
      if (byCapitals) return createObserved('contains', ...exchanges)
      return createUnknown('a part is found, and capitals are not', ...exchanges)
    },
  },
  searchWithoutEmail: {
    uses: ['user'],
    requests: ['POST /users/search with a null email, and without one, each twice', 'POST /users/search for the user'],
    run: async (context) => {
      // The search needs a user to find.
      await context.user()
      const count = (exchange: Exchange) => (isOk(exchange) ? getIds(exchange)?.length : undefined)
      const exchanges = await askTwice(
        [() => context.searchUsers({ email: null }), () => context.searchUsers({})],
        // Others may create users in the meantime.
        (exchange) => `${exchange.status} ${Math.min(count(exchange) ?? -1, 1)}`,
      )
      const counts = exchanges.map(count)
      if (counts.every((count) => count !== undefined && count > 0)) return createObserved('all', ...exchanges)
      await requireFound(context, ...exchanges)
      if (counts.every((count) => count === 0)) return createObserved('none', ...exchanges)
      const [byNull, byNothing] = exchanges.map(({ status }, index) => `${status} with ${counts[index] ?? 'no'} users`)
      return createUnknown(`a null email returns ${byNull}, and a missing one ${byNothing}`, ...exchanges)
    },
  },
  duplicateEmail: {
    uses: ['user'],
    requests: ['POST /users with the email of the user', 'POST /users with another email, if it is rejected'],
    users: 1,
    run: async ({ createOtherUser, createUser, ids, user }) => {
      const { created } = await user()
      const { exchange, record } = await createUser(ids.createEmail(1))
      if (record !== undefined) return createObserved('allow', created, exchange)
      if (exchange.status !== 409)
        return createUnknown(`a second user with the same email returns ${exchange.status}`, created, exchange)
      // Only this proves that the email was the reason.
      await createOtherUser('other')
      return createObserved('conflict', created, exchange)
    },
  },
  deletedCursor: {
    uses: ['user'],
    requests: [
      'POST /users, twice',
      'DELETE /users/{user} of the first of them, and GET, which must not find it',
      'GET /users after it, twice, and after the second of them',
    ],
    users: 2,
    run: async ({ created, createOtherUser, listUsers, user }) => {
      const older = await user()
      const { id: cursor } = await createOtherUser(2)
      const { id: newer } = await createOtherUser(3)
      const deleted = await created.change('users', cursor, { method: 'DELETE', returns: 'user' })
      if (!isOk(deleted)) throw createInconclusiveError('the user could not be deleted', deleted)
      const gone = await created.retrieve('users', cursor)
      if (isOk(gone)) throw createInconclusiveError('the deleted user can still be retrieved', gone)
      const listAfter = (id: string) => () => listUsers(`after=${encodeURIComponent(id)}&limit=10`)
      const [listed, control] = await askTwice([listAfter(cursor), listAfter(newer)])
      const [ids, live] = [getIds(listed), getIds(control)]
      if (!isOk(control) || live === undefined || live.length === 0 || live.includes(cursor))
        throw createInconclusiveError('a cursor that exists does not lead to the older users', control)
      if (listed.status === 400) return createObserved('reject', deleted, listed)
      if (!isOk(listed) || ids === undefined)
        return createUnknown(`a deleted cursor returns ${listed.status}`, deleted, listed)
      if (ids.includes(newer)) return createUnknown('a deleted cursor restarts the list', deleted, listed)
      if (ids.includes(older.id)) return createObserved('resume', deleted, listed)
      if (ids.length === 0) return createObserved('empty', deleted, listed)
      const why = 'the records of others are in the way: neither neighbour is on the page'
      throw new InconclusiveError(why, deleted, listed)
    },
  },
  emailVerifiedOnCreate: {
    uses: ['user'],
    run: async (context) => {
      const { created, retrieved } = await context.user()
      const { emailVerified } = getFields(created)
      requireSameField('emailVerified', created, retrieved)
      if (typeof emailVerified === 'boolean') return createObserved(emailVerified, created)
      return createUnknown('a new user has no emailVerified that is true or false', created)
    },
  },
  // After the searches by email.
  emailVerifiedOnChange: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with another email', 'GET /users/{user}'],
    run: async (context) => {
      const { created } = await context.user()
      const needsVerified = 'needs a verified user: a new one is not, so a reset would not show'
      if (getFields(created).emailVerified !== true) throw new InconclusiveError(needsVerified, created)
      const email = context.ids.createEmail('changed')
      const changed = await context.patchUser({ email }, 'user')
      const { email: newEmail, emailVerified } = getFields(changed)
      if (!isOk(changed) || newEmail !== email) throw createInconclusiveError('the email was not changed', changed)
      requireSameField('emailVerified', changed, await context.retrieveUser())
      if (typeof emailVerified === 'boolean') return createObserved(emailVerified ? 'keep' : 'reset', created, changed)
      return createUnknown('the changed user has no emailVerified', created, changed)
    },
  },
  metadataUpdate: {
    uses: ['user'],
    requests: [
      'PATCH /users/{user} with one key of its metadata',
      'GET /users/{user}',
      'PATCH /users/{user} with the other key as null',
    ],
    run: async (context) => {
      const updated = await context.patchUser({ metadata: { changed: 'after' } }, 'user')
      if (!isOk(updated) || getMetadata(updated).changed !== 'after')
        throw createInconclusiveError('the metadata was not updated', updated)
      requireSameField('metadata', updated, await context.retrieveUser())
      if (!('calibrate' in getMetadata(updated))) return createObserved('replace', updated)
      const removed = await context.patchUser({ metadata: { calibrate: null } }, 'user')
      const metadata = getMetadata(removed)
      if (isOk(removed) && !('calibrate' in metadata) && 'changed' in metadata)
        return createObserved('merge', updated, removed)
      return createUnknown('keys are merged, and null does not remove one', updated, removed)
    },
  },
  // After `metadataUpdate`, since it fills the metadata.
  metadataLimits: {
    uses: ['user'],
    requests: [
      'PATCH /users/{user} with metadata that holds a number, an object, a long value, a long key, and 11 keys',
      'PATCH /users/{user} with metadata at the limits, if some of these are rejected',
    ],
    run: async (context) => {
      const exchanges: Exchange[] = []
      const kept: string[] = []
      for (const [what, metadata] of Object.entries(beyondLimits)) {
        const exchange = await context.patchUser({ metadata }, 'user')
        exchanges.push(exchange)
        if (isOk(exchange) && hasMetadata(exchange, metadata)) kept.push(what)
        else if (isOk(exchange)) return createUnknown(`${what} in metadata is kept as something else`, exchange)
        else if (!isContentRejected(exchange)) throw createInconclusiveError('neither kept nor rejected', exchange)
      }
      if (kept.length === exchanges.length) return createObserved('none', ...exchanges)
      const last = await context.patchUser({ metadata: atLimits }, 'user')
      if (kept.length > 0)
        return createUnknown(`metadata accepts ${kept.join(', ')}, but not the rest`, ...exchanges, last)
      if (isOk(last)) return createObserved('strings', ...exchanges, last)
      return createUnknown('10 keys, a key of 40 and a value of 255 characters are rejected', ...exchanges, last)
    },
  },
} satisfies Probes

const newUserMissing = 'the search does not find a user that was just created'

/** Whether a search finds the user. A rejected one finds nothing: a service may accept whole addresses only. */
const includesUser = (exchange: Exchange, id: string): boolean =>
  !isContentRejected(exchange) && requireIds(exchange, 'the search has no result').includes(id)

/** Throws unless the search finds the shared user: what it did not find before proves nothing otherwise. */
const requireFound = async (context: ProbeContext, ...exchanges: readonly Exchange[]): Promise<void> => {
  const { id } = await context.user()
  const control = await context.searchUsers({ email: context.ids.createEmail(1) })
  if (!includesUser(control, id)) throw new InconclusiveError(newUserMissing, ...exchanges, control)
}

/** Throws if the service returned another value of the field when the user was read afterwards. */
const requireSameField = (name: string, first: Exchange, again: Exchange): void => {
  if (JSON.stringify(getFields(first)[name]) === JSON.stringify(getFields(again)[name])) return
  throw new InconclusiveError(`the user has another ${name} when it is read again`, first, again)
}

const getMetadata = (exchange: Exchange): Fields => {
  const { metadata } = getFields(exchange)
  return isRecord(metadata) ? metadata : {}
}

const createText = (length: number) => 'x'.repeat(length)
const createKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']))

/** Metadata that `metadataLimits=strings` rejects, each for another reason. */
const beyondLimits: Readonly<Record<string, object>> = {
  'a number': { changed: 7 },
  'an object': { changed: { nested: [true] } },
  'a value of 256 characters': { changed: createText(256) },
  'a key of 41 characters': { [createText(41)]: 'x' },
  '11 keys': createKeys(11),
}

/** It has ten keys even when it is merged into the metadata of the shared user. */
const atLimits = { calibrate: createText(255), changed: 'x', [createText(40)]: 'x', ...createKeys(7) }

const hasMetadata = (exchange: Exchange, metadata: object): boolean => {
  const kept = getMetadata(exchange)
  return Object.entries(metadata).every(([key, value]) => hasSameJson(kept[key], value))
}
