import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { PaymentLinkRowsQuery, UserRowsQuery } from '../../src/schema/list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, Provider } from '../../src/schema/payment-link.ts'
import { parse } from '../../src/schema/problem.ts'
import { parseStrict } from '../../src/schema/unknown-fields.ts'
import { UserPatch, UserSeed } from '../../src/schema/user.ts'

const time = '2025-01-01T00:00:00.000Z'

describe('a user in a document', () => {
  it('needs no more than an email', () => {
    expect(parseStrict(UserSeed, { email: 'a@b' })).toMatchObject({ ok: true })
    expect(messagesOf(UserSeed, { fullName: 'Ada' })).toEqual(['email is required.'])
  })

  it('may have each of its fields', () => {
    const user = {
      object: 'user',
      id: 'usr_1',
      metadata: {},
      birthday: null,
      createdAt: time,
      email: 'a@b',
      emailVerified: false,
      fullName: null,
      preferredLocale: 'en-US',
    }

    expect(parseStrict(UserSeed, user)).toEqual({ ok: true, value: user })
  })
})

describe('a payment link in a document', () => {
  it('needs no more than an invoice', () => {
    expect(parseStrict(PaymentLinkSeed, { invoice: 'inv_1' })).toMatchObject({ ok: true })
    expect(messagesOf(PaymentLinkSeed, { status: 'active' })).toEqual(['invoice is required.'])
  })

  it.each([null, {}, { redirectUrl: null }, { redirectUrl: 'https://shop.example/' }])(
    'may have %j as partner',
    (partner) => {
      const link = { invoice: 'inv_1', type: 'partner', partner }

      expect(parseStrict(PaymentLinkSeed, link)).toEqual({ ok: true, value: link })
    },
  )

  it.each([
    [{ type: 'other' }, "type must be 'partner' (got 'other')."],
    [{ partner: 'shop' }, "partner must be an object (got 'shop')."],
    [
      { partner: { redirectUrl: 'shop' } },
      "partner.redirectUrl must be an absolute http or https URL such as 'https://shop.example/done' (got 'shop').",
    ],
    [
      { partner: { redirectURL: 'https://shop.example/' } },
      "partner.redirectURL is not a field here; did you mean 'redirectUrl'?",
    ],
    [{ canceledAt: time }, `canceledAt must be null while the status is not 'canceled' (got '${time}').`],
    [
      { status: 'canceled', completedAt: time },
      `completedAt must be null while the status is not 'completed' (got '${time}').`,
    ],
  ])('is refused with %j', (fields, message) => {
    expect(messagesOf(PaymentLinkSeed, { invoice: 'inv_1', ...fields })).toEqual([message])
  })
})

describe('a patch of a row', () => {
  it.each([
    ['user', UserPatch, { id: 'usr_1', object: 'user', createdAt: time }],
    ['payment link', PaymentLinkPatch, { id: 'pml_1', object: 'paymentLink', createdAt: time }],
  ])('may set all of a %s but what it is', (_, schema, patch) => {
    expect(parse(schema, {})).toEqual({ ok: true, value: {} })
    expect(parse(schema, patch)).toEqual({ ok: true, value: { createdAt: time } })
    expect(messagesOf(schema, patch).map((message) => message.split(';')[0])).toEqual([
      'id is not a field here',
      'object is not a field here',
    ])
  })
})

describe('the word of the provider', () => {
  it.each([
    ['1a', "The value must be a name of letters, digits, - and _, such as partner (got '1a')."],
    ['status', "The value must not be the name of another field (got 'status')."],
  ])('is not %s', (name, message) => {
    expect(messagesOf(Provider, name)).toEqual([message])
  })
})

describe('a query of the control plane for rows', () => {
  it.each(['0', '201', '999999999'])('takes limit=%s', (limit) => {
    expect(parse(UserRowsQuery, { limit })).toEqual({ ok: true, value: { limit: Number(limit) } })
  })

  it('has no limit unless it is given one', () => {
    expect(parse(UserRowsQuery, {})).toEqual({ ok: true, value: {} })
  })

  it.each(['', '-1', '1.5', 'ten', '5x', 'x5', '1000000000'])('refuses limit=%s', (limit) => {
    expect(messagesOf(UserRowsQuery, { limit })).toEqual([`limit must be an integer from 0 (got '${limit}').`])
  })

  it.each([
    [UserRowsQuery, 'limit', 'must be an integer'],
    [UserRowsQuery, 'email', 'must be given once'],
    [UserRowsQuery, 'after', 'must be given once'],
    [PaymentLinkRowsQuery, 'before', 'must be given once'],
    [PaymentLinkRowsQuery, 'invoice', 'must be given once'],
    [PaymentLinkRowsQuery, 'status', 'must be given once'],
  ])('refuses what stands in it twice: %#', (schema, name, message) => {
    expect(messagesOf(schema, { [name]: ['1', '2'] })).toEqual([`${name} ${message} (got an array).`])
  })

  it('filters users by email, and links by invoice and status', () => {
    expect(parseStrict(UserRowsQuery, { email: 'a@b' })).toEqual({ ok: true, value: { email: 'a@b' } })
    expect(parseStrict(PaymentLinkRowsQuery, { invoice: 'inv_1', status: 'active,canceled' })).toEqual({
      ok: true,
      value: { invoice: 'inv_1', status: ['active', 'canceled'] },
    })
  })
})

/** What is wrong with a value, unknown fields included. */
function messagesOf(schema: z.ZodType, value: unknown): string[] {
  const result = parseStrict(schema, value)
  return result.ok ? [] : result.problems.map(({ message }) => message)
}
