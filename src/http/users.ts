import { cursorsOf } from '../domain/cursors.ts'
import { userKind } from '../domain/refusals.ts'
import { createUser, deleteUser, listUsers, searchUsers, updateUser, userOf } from '../domain/users.ts'
import { listOf, ListQuery } from '../schema/list.ts'
import { User, UserCreate, UserSearch, UserUpdate } from '../schema/user.ts'
import { defineOperation, type Operation } from './operation.ts'
import { viewList, viewUser } from './serialize.ts'

const UserList = listOf(User)

/** The operations of spec §4.1. */
export const userOperations: readonly Operation[] = [
  defineOperation({
    id: 'createUser',
    spec: '§4.1',
    summary: 'Create a user',
    creates: true,
    body: UserCreate,
    response: User,
    errors: ['invalidQuery', 'invalidBody', 'emailTaken'],
    handle: (work, { body }) => createUser(work, body),
    view: viewUser,
  }),
  defineOperation({
    id: 'listUsers',
    spec: '§4.1',
    summary: 'List users',
    query: ListQuery,
    response: UserList,
    errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted'],
    handle: (work, { query }) => listUsers(work, query),
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
    checkQuery: (work, query) => cursorsOf(work, userKind, query),
    handle: (work, { query, body }) => searchUsers(work, body, query),
    view: (page, settings) => viewList(page, viewUser, settings),
  }),
  defineOperation({
    id: 'retrieveUser',
    spec: '§4.1',
    summary: 'Retrieve a user',
    response: User,
    errors: ['userNotFound', 'invalidQuery'],
    handle: (work, { params }) => userOf(work, params.user!),
    view: viewUser,
  }),
  defineOperation({
    id: 'updateUser',
    spec: '§4.1',
    summary: 'Update a user',
    body: UserUpdate,
    response: User,
    errors: ['userNotFound', 'invalidQuery', 'invalidBody', 'emailTaken'],
    handle: (work, { params, body }) => updateUser(work, params.user!, body),
    view: viewUser,
  }),
  defineOperation({
    id: 'deleteUser',
    spec: '§4.1',
    summary: 'Delete a user',
    response: User,
    errors: ['userNotFound', 'invalidQuery'],
    handle: (work, { params }) => deleteUser(work, params.user!),
    view: viewUser,
  }),
]
