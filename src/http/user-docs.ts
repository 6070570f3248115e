import type { Behaviors } from '../schema/behavior.ts'
import type { RouteDocs } from '../wire/openapi.ts'
import { formatTime } from './serialize.ts'

const tag = 'Users'

const adaSent = {
  email: 'ada@example.com',
  birthday: '1990-12-31',
  fullName: 'Ada Lovelace',
  metadata: { customer: 'c-1815' },
  preferredLocale: 'en-GB',
}
const change = { metadata: { plan: 'family' }, preferredLocale: 'pt-BR' }

const searches: Readonly<Record<Behaviors['searchMatch'], string>> = {
  ignoreCase: 'case is ignored',
  exact: 'case matters',
  contains: 'a part of an email matches',
}
const updates: Readonly<Record<Behaviors['metadataUpdate'], string>> = {
  merge: '`metadata` is merged key by key, and null removes a key',
  replace: '`metadata` is replaced as a whole',
}

const createList = (...items: unknown[]) => ({ object: 'list', items, moreItemsAfter: null, moreItemsBefore: null })

/** Describes the operations of spec §4.1 for OpenAPI. Each example continues the previous one. */
export const describeUsers = (behaviors: Behaviors) => {
  const emailVerified = behaviors.emailVerifiedOnCreate
  const grace = {
    object: 'user',
    id: 'usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ',
    metadata: {},
    birthday: null,
    createdAt: formatTime('2025-01-01T12:00:00.000Z', behaviors),
    email: 'grace@example.com',
    emailVerified,
    fullName: null,
    preferredLocale: 'en-US',
  }
  const ada = {
    object: 'user',
    id: 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0',
    createdAt: formatTime('2025-01-01T12:01:00.000Z', behaviors),
    emailVerified,
    ...adaSent,
  }
  const kept = behaviors.metadataUpdate === 'merge' ? ada.metadata : {}
  const changed = { ...ada, ...change, metadata: { ...kept, ...change.metadata } }
  return {
    createUser: {
      tag,
      description:
        'Creates a user (§4.1). Only `email` is required. `preferredLocale` defaults to that of the project.',
      success: 'The created user.',
      requests: {
        minimal: { summary: 'Only required fields', value: { email: grace.email } },
        complete: { summary: 'All fields', value: adaSent },
      },
      responses: {
        minimal: { summary: 'The created user, with defaults', value: grace },
        complete: { summary: 'The created user', value: ada },
      },
    },
    listUsers: {
      tag,
      description: 'Returns the users of the project in batches, newest first (§4.1).',
      success: 'A batch of users.',
      responses: { all: { summary: 'A batch of users', value: createList(ada, grace) } },
    },
    searchUsers: {
      tag,
      description: `Returns the users with this email (§4.1). Assumed: ${searches[behaviors.searchMatch]}, and a search is paged like a list.`,
      success: 'A batch of the matching users.',
      requests: { found: { summary: 'An email', value: { email: adaSent.email } } },
      responses: { found: { summary: 'A batch of the matching users', value: createList(ada) } },
    },
    retrieveUser: {
      tag,
      description: 'Returns one user by its id (§4.1).',
      success: 'The user.',
      responses: { found: { summary: 'The user', value: ada } },
    },
    updateUser: {
      tag,
      description: `Sets the fields that are sent (§4.1). Other fields keep their values. Assumed: ${updates[behaviors.metadataUpdate]}, and a null \`email\` changes nothing.`,
      success: 'The updated user.',
      requests: { change: { summary: 'A new locale and another metadata key', value: change } },
      responses: { change: { summary: 'The updated user', value: changed } },
    },
    deleteUser: {
      tag,
      description: 'Deletes a user and returns it (§4.1). Assumed: nothing else is deleted.',
      success: 'The deleted user.',
      responses: { deleted: { summary: 'The deleted user', value: changed } },
    },
  } satisfies Record<string, RouteDocs>
}
