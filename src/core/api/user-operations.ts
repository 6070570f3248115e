import * as z from 'zod/mini'
import { listPage } from '../domain/pagination.ts'
import { createUser, findUserProblems, searchUsers, updateUser } from '../domain/users.ts'
import type { Behaviors } from '../schema/behavior.ts'
import { ListQuery } from '../schema/list.ts'
import { User, UserCreate, UserSearch, UserUpdate } from '../schema/user.ts'
import { documentation } from '../schema/zod-helpers.ts'
import { defineOperationsOf, freshnessTexts, type Operation } from './operation.ts'

const searchTexts = { ignoreCase: 'case is ignored', exact: 'case matters', contains: 'a part of an email matches' }
const metadataUpdateTexts = {
  merge: '`metadata` is merged key by key, and null removes a key',
  replace: '`metadata` is replaced as a whole',
}

// The demo seed has neither this user nor the address of the minimal example, so that both can be created.
export const exampleUser = {
  email: 'katherine@example.com',
  birthday: '1990-12-31',
  fullName: 'Katherine Johnson',
  metadata: { customer: 'c-1918' },
  preferredLocale: 'en-GB',
}

const defineOperation = defineOperationsOf('users', '§4.1', User)

export const userOperations: readonly Operation[] = [
  defineOperation({
    id: 'createUser',
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
      { name: 'complete', sent: 'All fields', received: 'The user', body: exampleUser },
    ],
    creates: true,
    body: UserCreate,
    documentBody: (behaviors) => limitMetadata(UserCreate, behaviors),
    errors: ['emailTaken'],
    findProblems: (tx, body) => findUserProblems(tx, body),
    handle: (tx, { body }) => createUser(tx, body),
  }),
  defineOperation({
    id: 'listUsers',
    summary: 'List users',
    describe: ({ listFreshness }) =>
      `Returns the users of the project in batches, newest first (§4.1). Assumed: it ${freshnessTexts[listFreshness]}.`,
    listExamples: () => [{ name: 'all', received: 'A batch of users' }],
    query: ListQuery,
    handle: (tx, { query }) => listPage(tx, 'users', query),
  }),
  defineOperation({
    id: 'searchUsers',
    summary: 'Search users',
    describe: ({ searchMatch, listFreshness }) =>
      `Returns the users with this email (§4.1). Assumed: ${searchTexts[searchMatch]}, a search is paged like a list, and it ${freshnessTexts[listFreshness]}.`,
    listExamples: () => [
      { name: 'found', sent: 'An email', received: 'The matching users', body: { email: exampleUser.email } },
    ],
    query: ListQuery,
    body: UserSearch,
    handle: (tx, { query, body }) => searchUsers(tx, body, query),
  }),
  defineOperation({
    id: 'retrieveUser',
    summary: 'Retrieve a user',
    describe: () => 'Returns one user by its id (§4.1).',
    listExamples: () => [{ name: 'found', received: 'The user' }],
    handle: (tx, { params }) => tx.require('users', params.user),
  }),
  defineOperation({
    id: 'updateUser',
    summary: 'Update a user',
    describe: ({ metadataUpdate }) =>
      `Sets the fields that are sent (§4.1). Other fields keep their values. Assumed: ${metadataUpdateTexts[metadataUpdate]}, and a null \`email\` changes nothing.`,
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
    errors: ['emailTaken'],
    findProblems: (tx, body, { user }) => findUserProblems(tx, body, user),
    handle: (tx, { params, body }) => updateUser(tx, params.user, body),
  }),
  defineOperation({
    id: 'deleteUser',
    summary: 'Delete a user',
    describe: () => 'Deletes a user and returns it (§4.1). Assumed: nothing else is deleted.',
    listExamples: () => [{ name: 'deleted', received: 'The deleted user' }],
    handle: (tx, { params }) => tx.delete('users', params.user),
  }),
]

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
