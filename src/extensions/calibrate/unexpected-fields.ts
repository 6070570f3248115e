import * as z from 'zod/mini'
import { buildListSchema } from '../../schema/list.ts'
import { buildPaymentLinkSchema } from '../../schema/payment-link.ts'
import { parse } from '../../schema/problem.ts'
import { findUnknownFields } from '../../schema/unknown-fields.ts'
import { User } from '../../schema/user.ts'
import { type Exchange, isOk, type ShownExchange } from './exchange.ts'

/** A difference between a response and the specification, and the first exchange that shows it. */
export interface UnexpectedField {
  readonly what: string
  readonly seen: ShownExchange
}

/** Collects the differences between responses and their schemas, without duplicates. */
export const createUnexpectedFields = (provider: string) => {
  // The records of a list may belong to others: only its envelope is checked.
  const list = { name: 'a list', schema: buildListSchema(z.unknown()) }
  const kinds = {
    user: { name: 'a user', schema: User },
    paymentLink: { name: 'a payment link', schema: buildPaymentLinkSchema(provider) },
    users: list,
    paymentLinks: list,
  }
  const found = new Map<string, UnexpectedField>()
  return {
    check: (exchange: Exchange): void => {
      const { returns } = exchange.request
      if (returns === undefined || !isOk(exchange)) return
      const { name, schema } = kinds[returns]
      for (const what of findUnexpected(name, schema, exchange.body))
        if (!found.has(what)) found.set(what, { what, seen: exchange.shown })
    },
    list: (): readonly UnexpectedField[] => [...found.values()],
  }
}

const findUnexpected = (name: string, schema: z.ZodMiniType, body: unknown): string[] => {
  const parsed = parse(schema, body)
  const problems = parsed.ok ? [] : parsed.problems
  return [
    ...findUnknownFields(schema, body).map(
      ({ path }) => `${name} has the field '${path}', which the specification does not show`,
    ),
    // Without the invalid value, which differs from record to record.
    ...problems.map(({ message }) => `in ${name}, ${message.replace(/ \(got [^]*\)\.$|\.$/, '')}`),
  ]
}
