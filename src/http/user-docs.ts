import type { RouteDocs } from '../wire/openapi.ts'

const tag = 'Users'

const grace = {
  object: 'user',
  id: 'usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ',
  metadata: {},
  birthday: null,
  createdAt: '2025-01-01T12:00:00.000Z',
  email: 'grace@example.com',
  emailVerified: true,
  fullName: null,
  preferredLocale: 'en-US',
}

const adaSent = {
  email: 'ada@example.com',
  birthday: '1990-12-31',
  fullName: 'Ada Lovelace',
  metadata: { customer: 'c-1815' },
  preferredLocale: 'en-GB',
}

const ada = {
  object: 'user',
  id: 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0',
  createdAt: '2025-01-01T12:01:00.000Z',
  emailVerified: true,
  ...adaSent,
}

const change = { metadata: { plan: 'family' }, preferredLocale: 'pt-BR' }
const changed = { ...ada, preferredLocale: 'pt-BR', metadata: { ...ada.metadata, plan: 'family' } }

const listOf = (...items: unknown[]) => ({ object: 'list', items, moreItemsAfter: null, moreItemsBefore: null })

/** What the document says of the operations of spec §4.1, with examples that follow each other. */
export const userDocs = {
  createUser: {
    tag,
    description:
      'Adds a user to the project (§4.1). Only `email` is needed; without `preferredLocale` the user gets that of the project. Answers 200 with `createStatus=200`.',
    answer: 'The created user.',
    requests: {
      minimal: { summary: 'What is needed, and no more', value: { email: grace.email } },
      complete: { summary: 'All that can be said of a user', value: adaSent },
    },
    responses: {
      minimal: { summary: 'The created user, with what was left out filled in', value: grace },
      complete: { summary: 'The created user', value: ada },
    },
  },
  listUsers: {
    tag,
    description: 'The users of the project in batches, the latest first (§4.1).',
    answer: 'A batch of users.',
    responses: { all: { summary: 'A batch of users', value: listOf(ada, grace) } },
  },
  searchUsers: {
    tag,
    description:
      'The users with this email (§4.1). Assumed: case makes no difference, and a search has the batches of a list.',
    answer: 'A batch of the users that were found.',
    requests: { found: { summary: 'An address', value: { email: 'Ada@example.com' } } },
    responses: { found: { summary: 'A batch of the users that were found', value: listOf(ada) } },
  },
  retrieveUser: {
    tag,
    description: 'One user by its id (§4.1).',
    answer: 'The user.',
    responses: { found: { summary: 'The user', value: ada } },
  },
  updateUser: {
    tag,
    description:
      'Sets the fields that are sent and leaves the others (§4.1). Assumed: `metadata` is merged key by key, where null takes a key away, and a null `email` changes nothing.',
    answer: 'The user with the change.',
    requests: { change: { summary: 'Another locale, and one more key', value: change } },
    responses: { change: { summary: 'The user with the change', value: changed } },
  },
  deleteUser: {
    tag,
    description: 'Takes a user away and answers it as it was (§4.1). Assumed: nothing else goes with it.',
    answer: 'The user as it was.',
    responses: { gone: { summary: 'The user as it was', value: changed } },
  },
} satisfies Record<string, RouteDocs>
