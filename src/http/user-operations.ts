import * as z from 'zod/mini'
import { findCursors, listPage } from '../domain/pagination.ts'
import { deleteRecord, requireRecord } from '../domain/transaction.ts'
import { createUser, searchUsers, updateUser } from '../domain/users.ts'
import type { Behaviors } from '../schema/behavior.ts'
import { buildListSchema, ListQuery } from '../schema/list.ts'
import { User, UserCreate, UserSearch, UserUpdate } from '../schema/user.ts'
import { documentation } from '../schema/zod-helpers.ts'
import { keyErrors } from './idempotency-keys.ts'
import { describeFreshness } from './list-freshness.ts'
import { defineOperation, type Operation } from './operation.ts'
import { viewList, viewUser } from './record-json.ts'

const UserList = buildListSchema(User)

const searches = { ignoreCase: 'case is ignored', exact: 'case matters', contains: 'a part of an email matches' }
const updates = {
  merge: '`metadata` is merged key by key, and null removes a key',
  replace: '`metadata` is replaced as a whole',
}

// The demo seed has neither this user nor the address of the minimal example, so that both can be created.
const katherine = {
  email: 'katherine@example.com',
  birthday: '1990-12-31',
  fullName: 'Katherine Johnson',
  metadata: { customer: 'c-1918' },
  preferredLocale: 'en-GB',
}

/** The operations of spec §4.1. */
export const userOperations: readonly Operation[] = [
  defineOperation({
    id: 'createUser',
    spec: '§4.1',
    summary: 'Create a user',
    describe: () =>
      'Creates a user (§4.1). Only `email` is required. `preferredLocale` defaults to that of the project.',
    listExamples: () => [
      {
        name: 'minimal',
        sent: 'Only required fields',
        received: 'The user, with defaults',
        body: { email: 'hedy@example.com' },
      },
      { name: 'complete', sent: 'All fields', received: 'The user', body: katherine },
    ],
    creates: true,
    body: UserCreate,
    documentBody: (behaviors) => limitMetadata(UserCreate, behaviors),
    response: User,
    errors: ['invalidQuery', 'invalidBody', 'emailTaken', ...keyErrors],
    handle: (tx, { body }) => createUser(tx, body),
    view: viewUser,
  }),
  defineOperation({
    id: 'listUsers',
    spec: '§4.1',
    summary: 'List users',
    describe: (behaviors) =>
      `Returns the users of the project in batches, newest first (§4.1). Assumed: it ${describeFreshness(behaviors)}.`,
    listExamples: () => [{ name: 'all', received: 'A batch of users' }],
    query: ListQuery,
    lists: 'users',
    response: UserList,
    errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted'],
    handle: (tx, { query }) => listPage(tx, 'users', query),
    view: (page, settings) => viewList(page, viewUser, settings),
  }),
  defineOperation({
    id: 'searchUsers',
    spec: '§4.1',
    summary: 'Search users',
    describe: (behaviors) =>
      `Returns the users with this email (§4.1). Assumed: ${searches[behaviors.searchMatch]}, a search is paged like a list, and it ${describeFreshness(behaviors)}.`,
    listExamples: () => [
      { name: 'found', sent: 'An email', received: 'The matching users', body: { email: katherine.email } },
    ],
    query: ListQuery,
    body: UserSearch,
    lists: 'users',
    response: UserList,
    errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted', 'invalidBody'],
    checkQuery: (tx, query) => void findCursors(tx, 'users', query),
    handle: (tx, { query, body }) => searchUsers(tx, body, query),
    view: (page, settings) => viewList(page, viewUser, settings),
  }),
  defineOperation({
    id: 'retrieveUser',
    spec: '§4.1',
    summary: 'Retrieve a user',
    describe: () => 'Returns one user by its id (§4.1).',
    listExamples: () => [{ name: 'found', received: 'The user' }],
    response: User,
    errors: ['userNotFound', 'invalidQuery'],
    handle: (tx, { params }) => requireRecord(tx, 'users', params.user),
    view: viewUser,
  }),
  defineOperation({
    id: 'updateUser',
    spec: '§4.1',
    summary: 'Update a user',
    describe: ({ metadataUpdate }) =>
      `Sets the fields that are sent (§4.1). Other fields keep their values. Assumed: ${updates[metadataUpdate]}, and a null \`email\` changes nothing.`,
    listExamples: () => [
      {
        name: 'change',
        sent: 'A new locale and another metadata key',
        received: 'The updated user',
        body: { metadata: { plan: 'family' }, preferredLocale: 'pt-BR' },
      },
    ],
    body: UserUpdate,
    documentBody: (behaviors) => limitMetadata(UserUpdate, behaviors),
    response: User,
    errors: ['userNotFound', 'invalidQuery', 'invalidBody', 'emailTaken'],
    handle: (tx, { params, body }) => updateUser(tx, params.user, body),
    view: viewUser,
  }),
  defineOperation({
    id: 'deleteUser',
    spec: '§4.1',
    summary: 'Delete a user',
    describe: () => 'Deletes a user and returns it (§4.1). Assumed: nothing else is deleted.',
    listExamples: () => [{ name: 'deleted', received: 'The deleted user' }],
    response: User,
    errors: ['userNotFound', 'invalidQuery'],
    handle: (tx, { params }) => deleteRecord(tx, 'users', params.user),
    view: viewUser,
  }),
]

/** Adds the limits of `metadataLimits=strings` to a documented body. */
function limitMetadata(body: typeof UserCreate | typeof UserUpdate, { metadataLimits }: Behaviors): z.ZodMiniType {
  if (metadataLimits === 'none') return body
  // A key whose value is null is not stored, so it is neither counted nor limited.
  const metadata = z
    .optional(z.record(z.string(), z.nullable(z.string().check(z.maxLength(255)))))
    .register(documentation, {
      description:
        'Key-value pairs of the client (§2.2): at most 10, with keys of 1 to 40 characters. A null value is never stored.',
      patternProperties: { '^[\\s\\S]{1,40}$': { type: ['string', 'null'], maxLength: 255 } },
      additionalProperties: { type: 'null' },
    })
  return z.extend(body, { metadata })
}
