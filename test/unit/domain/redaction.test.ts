import { expect, it } from 'vitest'
import { redactHeader } from '../../../src/domain/tokens.ts'

it('a header without a secret is unchanged', () => {
  expect(redactHeader('x-colour', 'Bearer tok_blue')).toBe('Bearer tok_blue')
})

it.each([
  ['authorization', 'Bearer tok_1', /^Bearer #[\da-f]{8}$/],
  ['authorization', 'tok_1', /^#[\da-f]{8}$/],
  ['authorization', 'tok_1 #0123abcd', /^#[\da-f]{8}$/],
  ['authorization', '#0123abcd tok_1', /^#[\da-f]{8}$/],
  ['authorization', 'Bearer tok_1#0123abcd', /^Bearer #[\da-f]{8}$/],
  ['proxy-authorization', 'Basic tok_1', /^#[\da-f]{8}$/],
  ['cookie', 'session=tok_1', /^#[\da-f]{8}$/],
  ['set-cookie', 'session=tok_1', /^#[\da-f]{8}$/],
  ['x-api-key', 'tok_1', /^#[\da-f]{8}$/],
  ['x-auth-token', 'tok_1', /^#[\da-f]{8}$/],
  ['api-key', 'tok_1', /^#[\da-f]{8}$/],
])('a secret in a header is replaced by a distinct hash: %s: %s', (name, value, shown) => {
  expect(redactHeader(name, value)).toMatch(shown)
  expect(redactHeader(name, value)).not.toBe(redactHeader(name, value.replace('tok_1', 'tok_2')))
})
