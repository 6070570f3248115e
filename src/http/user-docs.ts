import type { Behaviors } from '../schema/behavior.ts'
import type { RouteDocs } from '../wire/openapi.ts'
import { timeOf } from './serialize.ts'

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
  ignoreCase: 'case makes no difference',
  exact: 'case makes a difference',
  contains: 'part of an email is enough',
}
const updates: Readonly<Record<Behaviors['metadataUpdate'], string>> = {
  merge: '`metadata` is merged key by key, and null removes a key',
  replace: '`metadata` is replaced as a whole',
}

const listOf = (...items: unknown[]) => ({ object: 'list', items, moreItemsAfter: null, moreItemsBefore: null })

/** What the document says of the operations of spec §4.1 under these behaviors, with examples that follow each other. */
export const userDocs = (behaviors: Behaviors) => {
  const emailVerified = behaviors.emailVerifiedOnCreate
  const grace = {
    object: 'user',
    id: 'usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ',
    metadata: {},
    birthday: null,
    createdAt: timeOf('2025-01-01T12:00:00.000Z', behaviors),
    email: 'grace@example.com',
    emailVerified,
    fullName: null,
    preferredLocale: 'en-US',
  }
  const ada = {
    object: 'user',
    id: 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0',
    createdAt: timeOf('2025-01-01T12:01:00.000Z', behaviors),
    emailVerified,
    ...adaSent,
  }
  const kept = behaviors.metadataUpdate === 'merge' ? ada.metadata : {}
  const changed = { ...ada, ...change, metadata: { ...kept, ...change.metadata } }
  return {
    createUser: {
      tag,
      description:
        'Creates a user in the project (§4.1). Only `email` is required. Without `preferredLocale` the user gets that of the project.',
      answer: 'The created user.',
      requests: {
        minimal: { summary: 'Only what is required', value: { email: grace.email } },
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
      answer: 'A batch of users.',
      responses: { all: { summary: 'A batch of users', value: listOf(ada, grace) } },
    },
    searchUsers: {
      tag,
      description: `Returns the users with this email (§4.1). Assumed: ${searches[behaviors.searchMatch]}, and a search has the batches of a list.`,
      answer: 'A batch of the users that were found.',
      requests: { found: { summary: 'An email', value: { email: adaSent.email } } },
      responses: { found: { summary: 'A batch of the users that were found', value: listOf(ada) } },
    },
    retrieveUser: {
      tag,
      description: 'Returns one user by its id (§4.1).',
      answer: 'The user.',
      responses: { found: { summary: 'The user', value: ada } },
    },
    updateUser: {
      tag,
      description: `Sets the fields that are sent and leaves the others (§4.1). Assumed: ${updates[behaviors.metadataUpdate]}, and a null \`email\` changes nothing.`,
      answer: 'The updated user.',
      requests: { change: { summary: 'Another locale, and one more key', value: change } },
      responses: { change: { summary: 'The updated user', value: changed } },
    },
    deleteUser: {
      tag,
      description: 'Deletes a user and returns it as it was (§4.1). Assumed: nothing else is deleted with it.',
      answer: 'The user as it was.',
      responses: { gone: { summary: 'The user as it was', value: changed } },
    },
  } satisfies Record<string, RouteDocs>
}
