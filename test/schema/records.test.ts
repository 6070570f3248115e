import { describe, expect, it } from 'vitest'
import type { z } from 'zod/mini'
import { PaymentLinkPatch, PaymentLinkSeed } from '../../src/schema/payment-link.ts'
import { parseStrict } from '../../src/schema/unknown-fields.ts'
import { UserPatch, UserSeed } from '../../src/schema/user.ts'

const noon = '2025-06-01T12:00:00.000Z'
const user = {
  object: 'user',
  id: 'usr_1',
  metadata: {},
  birthday: null,
  createdAt: noon,
  email: 'a@b.c',
  emailVerified: false,
  fullName: null,
  preferredLocale: 'en',
}
const link = {
  object: 'paymentLink',
  id: 'pml_1',
  canceledAt: null,
  completedAt: noon,
  createdAt: noon,
  partner: { redirectUrl: null },
  invoice: 'inv_1',
  status: 'completed',
  type: 'partner',
  payer: { fullName: 'Ada' },
}
const withoutNames = ({ object: _object, id: _id, ...rest }: Readonly<Record<string, unknown>>) => rest

describe('a record', () => {
  it.each<[string, z.ZodMiniType, object]>([
    ['a user in a seed', UserSeed, user],
    ['a user in a seed', UserSeed, { email: 'a@b.c' }],
    ['a change of a user', UserPatch, withoutNames(user)],
    ['a change of a user', UserPatch, {}],
    ['a payment link in a seed', PaymentLinkSeed, link],
    ['a payment link in a seed', PaymentLinkSeed, { invoice: 'inv_1' }],
    ['a payment link in a seed', PaymentLinkSeed, { invoice: 'inv_1', partner: null }],
    ['a payment link in a seed', PaymentLinkSeed, { invoice: 'inv_1', partner: {} }],
    ['a change of a payment link', PaymentLinkPatch, withoutNames(link)],
    ['a change of a payment link', PaymentLinkPatch, {}],
    ['a change of a payment link', PaymentLinkPatch, { partner: { redirectUrl: 'https://shop.example' } }],
  ])('is accepted unchanged as %s: %#', (_, schema, record) => {
    expect(parseStrict(schema, record)).toEqual({ ok: true, value: record })
  })

  const userFields = Object.keys(UserPatch.shape).join(', ')
  const linkFields = 'canceledAt, completedAt, createdAt, partner, invoice, status, type, payer'

  it.each<[string, z.ZodMiniType, object, string[]]>([
    ['a user in a seed', UserSeed, {}, ['email is required.']],
    [
      'a user in a seed',
      UserSeed,
      { object: 'person', email: null, emailVerified: 1, fullName: 1 },
      [
        "object must be 'user' (got 'person').",
        'email must be a string (got null).',
        'emailVerified must be true or false (got 1).',
        'fullName must be a string (got 1).',
      ],
    ],
    [
      'a change of a user',
      UserPatch,
      { object: 'user', id: 'usr_1' },
      [
        `object is not a field here; the fields are ${userFields}.`,
        `id is not a field here; the fields are ${userFields}.`,
      ],
    ],
    ['a payment link in a seed', PaymentLinkSeed, {}, ['invoice is required.']],
    [
      'a payment link in a seed',
      PaymentLinkSeed,
      { object: 'link', invoice: 1, partner: { redirectUrl: 1 }, type: 'acme', payer: 7 },
      [
        "object must be 'paymentLink' (got 'link').",
        'partner.redirectUrl must be a string (got 1).',
        'invoice must be a string (got 1).',
        "type must be 'partner' (got 'acme').",
        'payer must be an object (got 7).',
      ],
    ],
    ...[undefined, 'active', 'paid'].map((status): [string, z.ZodMiniType, object, string[]] => [
      'a payment link in a seed',
      PaymentLinkSeed,
      { invoice: 'inv_1', status, canceledAt: noon, completedAt: noon },
      [
        ...(status === 'paid' ? ["status must be 'active', 'canceled' or 'completed' (got 'paid')."] : []),
        `canceledAt must be null while the status is not 'canceled' (got '${noon}').`,
        `completedAt must be null while the status is not 'completed' (got '${noon}').`,
      ],
    ]),
    [
      'a change of a payment link',
      PaymentLinkPatch,
      { object: 'paymentLink', id: 'pml_1', partner: { redirectURL: null } },
      [
        `object is not a field here; the fields are ${linkFields}.`,
        `id is not a field here; the fields are ${linkFields}.`,
        "partner.redirectURL is not a field here; did you mean 'redirectUrl'?",
      ],
    ],
  ])('is rejected with these messages as %s: %#', (_, schema, record, messages) => {
    const result = parseStrict(schema, record)

    expect(result.ok || result.problems.map(({ message }) => message)).toEqual(messages)
  })
})
