import * as z from 'zod'
import type { Behaviors } from '../schema/behavior.ts'
import { described } from '../schema/documentation.ts'
import { paymentLinkCreateOf } from '../schema/payment-link.ts'
import { UserCreate, UserUpdate } from '../schema/user.ts'
import type { Operation } from './operation.ts'

/** The body of an operation, with what the domain checks beyond its schema under these behaviors. */
export const documentedBody = (
  { id, body }: Operation,
  provider: string,
  behaviors: Behaviors,
): z.ZodType | undefined => {
  if (id === 'createPaymentLink') return paymentLinkCreateOf(provider, behaviors)
  if (behaviors.metadataLimits === 'strings') {
    if (id === 'createUser') return UserCreate.extend({ metadata })
    if (id === 'updateUser') return UserUpdate.extend({ metadata })
  }
  return body
}

const metadata = described(
  z.record(z.string(), z.string().max(255).nullable()).optional(),
  'Key-value pairs of the caller (§2.2): at most 10, with keys of 1 to 40 characters. A null value is never stored.',
)
