import { type Fields, isRecord } from '../../schema/is-record.ts'
import {
  type Exchange,
  getFields,
  getIds,
  createInconclusiveError,
  InconclusiveError,
  isOk,
  isContentRejected,
} from './exchange.ts'
import { createObserved, type ProbeContext, type Probes, createUnknown } from './probe.ts'

/** The probes of spec §4.1 and of the metadata of spec §2.2, in the order of a run. */
export const userProbes = {
  searchMatch: {
    uses: ['user'],
    requests: ['POST /users/search for the email of the user, for the same in capitals, and for a part of it'],
    run: async (context) => {
      const { id } = await context.user()
      const email = context.ids.createEmail(1)
      const whole = await search(context, { email })
      const capitals = await search(context, { email: email.toUpperCase() })
      // From the middle, which a search by prefix does not find.
      const part = await search(context, { email: email.slice(8, -4) })
      const exchanges = [whole, capitals, part]
      const [byWhole, byCapitals, byPart] = exchanges.map((exchange) => includesUser(exchange, id))
      if (!byWhole) throw new InconclusiveError('the search does not find a user that was just created', ...exchanges)
      if (!byPart) return createObserved(byCapitals ? 'ignoreCase' : 'exact', ...exchanges)
      if (byCapitals) return createObserved('contains', ...exchanges)
      return createUnknown('a part is found, and capitals are not', ...exchanges)
    },
  },
  searchWithoutEmail: {
    uses: ['user'],
    requests: ['POST /users/search with a null email, and without one'],
    run: async (context) => {
      // The search needs a user to find.
      await context.user()
      const exchanges = [await search(context, { email: null }), await search(context, {})]
      const counts = exchanges.map((exchange) => (isOk(exchange) ? getIds(exchange)?.length : undefined))
      if (counts.every((count) => count !== undefined && count > 0)) return createObserved('all', ...exchanges)
      if (counts.every((count) => count === 0)) return createObserved('none', ...exchanges)
      const [byNull, byNothing] = exchanges.map(({ status }, index) => `${status} with ${counts[index] ?? 'no'} users`)
      return createUnknown(`a null email returns ${byNull}, and a missing one ${byNothing}`, ...exchanges)
    },
  },
  duplicateEmail: {
    uses: ['user'],
    requests: ['POST /users with the email of the user'],
    users: 1,
    run: async (context) => {
      const { created } = await context.user()
      const { exchange, id } = await context.createUser(context.ids.createEmail(1))
      if (id !== undefined) return createObserved('allow', created, exchange)
      if (exchange.status === 409) return createObserved('conflict', created, exchange)
      return createUnknown(`a second user with the same email returns ${exchange.status}`, created, exchange)
    },
  },
  deletedCursor: {
    uses: ['user'],
    requests: ['POST /users, twice', 'DELETE /users/{user} of the first of them', 'GET /users after it'],
    users: 2,
    run: async (context) => {
      const older = await context.user()
      const cursor = await createUser(context, 2)
      const newer = await createUser(context, 3)
      const path = `/users/${encodeURIComponent(cursor)}`
      const deleted = await context.send({ method: 'DELETE', path, returns: 'user' })
      if (!isOk(deleted)) throw createInconclusiveError('the user could not be deleted', deleted)
      context.created.markUndone(cursor)
      const after = `/users?after=${encodeURIComponent(cursor)}&limit=10`
      const listed = await context.send({ method: 'GET', path: after, returns: 'users' })
      const ids = getIds(listed)
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
      const { created } = await context.user()
      const { emailVerified } = getFields(created)
      if (typeof emailVerified === 'boolean') return createObserved(emailVerified, created)
      return createUnknown('a new user has no emailVerified that is true or false', created)
    },
  },
  // After the searches by email.
  emailVerifiedOnChange: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with another email'],
    run: async (context) => {
      const { created } = await context.user()
      const needsVerified = 'needs a verified user: a new one is not, so a reset would not show'
      if (getFields(created).emailVerified !== true) throw new InconclusiveError(needsVerified, created)
      const email = context.ids.createEmail('changed')
      const changed = await context.patchUser({ email }, 'user')
      const { email: newEmail, emailVerified } = getFields(changed)
      if (!isOk(changed) || newEmail !== email) throw createInconclusiveError('the email was not changed', changed)
      if (typeof emailVerified === 'boolean') return createObserved(emailVerified ? 'keep' : 'reset', created, changed)
      return createUnknown('the changed user has no emailVerified', created, changed)
    },
  },
  metadataUpdate: {
    uses: ['user'],
    requests: ['PATCH /users/{user} with one key of its metadata', 'PATCH /users/{user} with the other key as null'],
    run: async (context) => {
      const updated = await context.patchUser({ metadata: { changed: 'after' } }, 'user')
      if (!isOk(updated) || getMetadata(updated).changed !== 'after')
        throw createInconclusiveError('the metadata was not updated', updated)
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
      'PATCH /users/{user} with metadata at the limits, if all of these are rejected',
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
      if (kept.length > 0) return createUnknown(`metadata accepts ${kept.join(', ')}, but not the rest`, ...exchanges)
      const last = await context.patchUser({ metadata: atLimits }, 'user')
      if (isOk(last)) return createObserved('strings', ...exchanges, last)
      return createUnknown('10 keys, a key of 40 and a value of 255 characters are rejected', ...exchanges, last)
    },
  },
} satisfies Probes

const search = (context: ProbeContext, body: object): Promise<Exchange> =>
  context.send({ method: 'POST', path: '/users/search', body, returns: 'users' })

/** Whether a search finds the user. A rejected one finds nothing: a service may accept whole addresses only. */
const includesUser = (exchange: Exchange, id: string): boolean => {
  if (isContentRejected(exchange)) return false
  const ids = getIds(exchange)
  if (!isOk(exchange) || ids === undefined) throw createInconclusiveError('the search has no result', exchange)
  return ids.includes(id)
}

const createUser = async (context: ProbeContext, n: number): Promise<string> => {
  const { exchange, id } = await context.createUser(context.ids.createEmail(n))
  if (id === undefined) throw createInconclusiveError('needs another user', exchange)
  return id
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
  return Object.entries(metadata).every(([key, value]) => JSON.stringify(kept[key]) === JSON.stringify(value))
}
