import { describe, expect, it } from 'vitest'
import { toHonoPath, listMethods, findNearestRoutes, type Route } from '../../src/core/openapi/route.ts'
import { createCore } from '../../src/core/mock/core.ts'
import { findOperation } from '../../src/core/schema/operation-routes.ts'
import { countDistinct } from '../support/read.ts'

const users = '/projects/{project}/users'
const user = `${users}/{user}`
const links = '/projects/{project}/paymentLinks'
const link = `${links}/{paymentLink}`

const routes = [
  route('createUser', 'POST', users),
  route('listUsers', 'GET', users),
  route('searchUsers', 'POST', `${users}/search`),
  route('retrieveUser', 'GET', user),
  route('updateUser', 'PATCH', user),
  route('deleteUser', 'DELETE', user),
  route('createPaymentLink', 'POST', links),
  route('listPaymentLinks', 'GET', links),
  route('retrievePaymentLink', 'GET', link),
  route('cancelPaymentLink', 'POST', `${link}/cancel`),
]

describe('listMethods', () => {
  it.each([
    ['/projects/acme/users', ['POST', 'GET', 'HEAD', 'OPTIONS']],
    ['/projects/acme/users/usr_1', ['GET', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']],
    // The path of the search is also the path of a user with that id.
    ['/projects/acme/users/search', ['POST', 'GET', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']],
    ['/projects/acme/paymentLinks', ['POST', 'GET', 'HEAD', 'OPTIONS']],
    ['/projects/acme/paymentLinks/pml_1', ['GET', 'HEAD', 'OPTIONS']],
    ['/projects/acme/paymentLinks/pml_1/cancel', ['POST', 'OPTIONS']],
    ['/projects/a%2Fb/users', ['POST', 'GET', 'HEAD', 'OPTIONS']],
    ['/projects/ü.+*?[$^/users', ['POST', 'GET', 'HEAD', 'OPTIONS']],
  ])('lists the methods of %s', (pathname, methods) => {
    expect(listMethods(routes, pathname).toSorted()).toEqual(methods.toSorted())
    expect(countDistinct(listMethods(routes, pathname))).toBe(methods.length)
  })

  it.each([
    ...'/ /projects /projects/acme /projects/acme/ /projects//users /projects/acme/users/'.split(' '),
    ...'/projects/acme/users// /projects/acme/Users /projects/acme/user /projects/acme/users/usr_1/x'.split(' '),
    ...'/projects/acme/paymentLinks/pml_1/cancel/ /v1/projects/acme/users projects/acme/users'.split(' '),
    '',
    '/projects/acme/users\n',
  ])('finds no methods at %j', (pathname) => {
    expect(listMethods(routes, pathname)).toEqual([])
  })

  it('finds no methods without routes', () => {
    expect(listMethods([], '/projects/acme/users')).toEqual([])
  })
})

describe('findOperation', () => {
  it.each(routes)('finds $id', ({ id, method, path }) => {
    const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, `a%2F ${name}`]))
    const found = { id, params }
    const actualPath = path.replace(/\{(\w+)\}/g, 'a%2F $1')
    expect(findOperation(method, actualPath)).toEqual(found)
    if (method === 'GET') expect(findOperation('HEAD', actualPath)).toEqual(found)
    for (const wrongPath of [`/v1${actualPath}`, `${actualPath}/`])
      expect(findOperation(method, wrongPath)).toBeUndefined()
    expect(findOperation('PUT', actualPath)).toBeUndefined()
  })

  it.each([
    ['GET', '/api/v2/projects/acme/users?limit=1', 'listUsers'],
    ['HEAD', '/@one/api/v2/projects/acme/users/usr_1', 'retrieveUser'],
    ['GET', '/%40one/api/v2/projects/acme/users', 'listUsers'],
    ['GET', '/api/v2/api/v2/projects/acme/users', undefined],
    ['GET', '/projects/acme/users', undefined],
    ['GET', '/api/v2/@one/projects/acme/users', undefined],
  ])('finds that of a mock with a base path: %s %s', (method, target, id) => {
    expect(createCore({ basePath: '/api/v2' }).findOperation(method, target)).toBe(id)
  })
})

describe('findNearestRoutes', () => {
  it.each([
    ['GET', '/projects/acme/user', ['GET /users', 'GET /users/{user}']],
    ['POST', '/projects/acme/user', ['POST /users', 'GET /users/{user}']],
    ['GET', '/projects/acme/users/', ['GET /users', 'GET /users/{user}']],
    ['GET', '/projects/acme/paymentlinks', ['GET /paymentLinks', 'GET /paymentLinks/{paymentLink}']],
    ['GET', '/projects/acme/payment-links', ['GET /paymentLinks', 'GET /paymentLinks/{paymentLink}']],
    ['PUT', '/projects/users', ['POST /users', 'GET /users/{user}']],
  ])('of %s %s are the nearest paths, each once with the method if it has it', (method, pathname, first) => {
    const near = findNearestRoutes(routes, method, pathname).map((one) => one.replace('/projects/{project}', ''))
    expect(near.slice(0, first.length)).toEqual(first)
    expect(countDistinct(near.map((one) => one.split(' ')[1]))).toBe(near.length)
  })

  it.each([
    ['/project/acme/users', 'GET /projects/{project}/users'],
    ['/projects/acme/user/usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ', 'GET /projects/{project}/users/{user}'],
    ['/projects/acme/paymentLinks/pml_1/canel', 'POST /projects/{project}/paymentLinks/{paymentLink}/cancel'],
    ['/projects/acme/paymentLink/pml_1/cancel', 'POST /projects/{project}/paymentLinks/{paymentLink}/cancel'],
    [
      '/projects/acme/paymentLinks/pml_91utbUuWoZP9K3NHUDsfMRqGUCNJ/cancelled',
      'POST /projects/{project}/paymentLinks/{paymentLink}/cancel',
    ],
  ])('of %s are at most three, including the intended one', (pathname, meant) => {
    const near = findNearestRoutes(routes, 'GET', pathname)
    expect(near).toContain(meant)
    expect(near.length).toBeLessThanOrEqual(3)
  })

  it.each(['/', '', '//', '/entirely/elsewhere', '/x', `/${'x'.repeat(100_000)}`])('of %s are empty', (pathname) => {
    expect(findNearestRoutes(routes, 'GET', pathname)).toEqual([])
  })

  it('returns only existing routes, whatever the path', () => {
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    for (const pathname of ['/projects/{project}/user', '/projects/$&/user', '/projects/acme/__proto__', '/a/b/c'])
      for (const name of findNearestRoutes(routes, 'GET', pathname)) expect(known).toContain(name)
  })
})

it.each([
  ['/projects/{project}/users/{user}', '/projects/:project/users/:user'],
  ['/reset', '/reset'],
])('a route %s becomes %s for Hono', (path, expected) => {
  expect(toHonoPath(path)).toBe(expected)
})

function route(id: string, method: Route['method'], path: string): Route {
  return { id, method, path, summary: id, status: 200 }
}
