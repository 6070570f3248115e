import { findCursors } from '../domain/pagination.ts'
import { createUser, deleteUser, listUsers, searchUsers, updateUser, requireUser } from '../domain/users.ts'
import { buildListSchema, ListQuery } from '../schema/list.ts'
import { User, UserCreate, UserSearch, UserUpdate } from '../schema/user.ts'
import { keyErrors } from './idempotency-keys.ts'
import { defineOperation, type Operation } from './operation.ts'
import { viewList, viewUser } from './serialize.ts'

const UserList = buildListSchema(User)

/** The operations of spec §4.1. */
export const userOperations: readonly Operation[] = [
  defineOperation({
    id: 'createUser',
    spec: '§4.1',
    summary: 'Create a user',
    creates: true,
    body: UserCreate,
    response: User,
    errors: ['invalidQuery', 'invalidBody', 'emailTaken', ...keyErrors],
    handle: (tx, { body }) => createUser(tx, body),
    view: viewUser,
  }),
  defineOperation({
    id: 'listUsers',
    spec: '§4.1',
    summary: 'List users',
    query: ListQuery,
    response: UserList,
    errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted'],
    handle: (tx, { query }) => listUsers(tx, query),
    view: (page, settings) => viewList(page, viewUser, settings),
  }),
  defineOperation({
    id: 'searchUsers',
    spec: '§4.1',
    summary: 'Search users',
    query: ListQuery,
    body: UserSearch,
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
    response: User,
    errors: ['userNotFound', 'invalidQuery'],
    handle: (tx, { params }) => requireUser(tx, params.user),
    view: viewUser,
  }),
  defineOperation({
    id: 'updateUser',
    spec: '§4.1',
    summary: 'Update a user',
    body: UserUpdate,
    response: User,
    errors: ['userNotFound', 'invalidQuery', 'invalidBody', 'emailTaken'],
    handle: (tx, { params, body }) => updateUser(tx, params.user, body),
    view: viewUser,
  }),
  defineOperation({
    id: 'deleteUser',
    spec: '§4.1',
    summary: 'Delete a user',
    response: User,
    errors: ['userNotFound', 'invalidQuery'],
    handle: (tx, { params }) => deleteUser(tx, params.user),
    view: viewUser,
  }),
]
