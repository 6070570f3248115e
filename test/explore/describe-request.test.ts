import { expect, it } from 'vitest'
import { describeRequest } from '../../src/explore/programs/describe-request.ts'

const records = {
  acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
}
const describe = (method: string, path: string, body: string | null = null) =>
  describeRequest({ method, path, body }, () => records)

it.each([
  ['names a user by the email', '/users/usr_1', null, '/users/(the user with ada@example.com)'],
  ['names a link by the invoice', '/paymentLinks/pml_1', null, '/paymentLinks/(a link of inv_1)'],
  ['does not show an unknown id', '/users/usr_9', null, '/users/(an id)'],
  [
    'sorts the fields of the body',
    '/users',
    '{"b":1,"a":"usr_1"}',
    '/users {"a":"(the user with ada@example.com)","b":1}',
  ],
  ['keeps a body that is not JSON', '/users', '{"b', '/users {"b'],
])('the text of a request %s', (_, path, body, expected) => {
  expect(describe('PATCH', path, body)).toBe(`PATCH ${expected}`)
})
