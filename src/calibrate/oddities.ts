import { listOf } from '../schema/list.ts'
import { wirePaymentLinkOf } from '../schema/payment-link.ts'
import { parse } from '../schema/problem.ts'
import { unknownFields } from '../schema/unknown-fields.ts'
import { User } from '../schema/user.ts'
import { z } from 'zod'
import { type Exchange, isOk, type Shown } from './exchange.ts'

/** Something that the specification does not show, beside what the probes ask about. */
export interface Oddity {
  readonly what: string
  readonly seen: Shown
}

/** Collects what in the answers fits no known shape: each thing once, with the first exchange that shows it. */
export const createOddities = (provider: string) => {
  // The rows of a list may be those of others: only its envelope is looked at.
  const list = listOf(z.unknown())
  const schemas = { user: User, paymentLink: wirePaymentLinkOf(provider), users: list, paymentLinks: list }
  const found = new Map<string, Oddity>()
  return {
    look: (exchange: Exchange): void => {
      const { answers } = exchange.request
      if (answers === undefined || !isOk(exchange)) return
      for (const what of oddIn(schemas[answers], exchange.body, answers))
        if (!found.has(what)) found.set(what, { what, seen: exchange.shown })
    },
    all: (): readonly Oddity[] => [...found.values()],
  }
}

const names = { user: 'a user', paymentLink: 'a payment link', users: 'a list', paymentLinks: 'a list' }

const oddIn = (schema: z.ZodType, body: unknown, answers: keyof typeof names): string[] => {
  const parsed = parse(schema, body)
  return [
    ...unknownFields(schema, body).map(
      ({ path }) => `${names[answers]} has the field '${path}', which the specification does not show`,
    ),
    // Without the value that was got, which differs from row to row.
    ...(parsed.ok ? [] : parsed.problems).map(
      ({ message }) => `in ${names[answers]}, ${message.replace(/ \(got [^]*\)\.$|\.$/, '')}`,
    ),
  ]
}
