import * as z from 'zod'
import { described, documentation } from './documentation.ts'
import { PaymentLinkStatus } from './payment-link.ts'
import { crossFieldCheck } from './cross-field-check.ts'

/** Spec §2.4. A null marker means that nothing more lies that way. */
export const listOf = <S extends z.ZodType>(item: S) =>
  z.object({
    object: z.literal('list'),
    items: z.array(item),
    moreItemsAfter: described(z.string().nullable(), 'The `after` of the next batch. Null: nothing follows.'),
    moreItemsBefore: described(z.string().nullable(), 'The `before` of the batch in front. Null: nothing precedes.'),
  })

/** A list of the control API that is always complete. */
export const unpagedListOf = <S extends z.ZodType>(item: S) =>
  z.object({ object: z.literal('list'), items: z.array(item) })

export const unpagedList = <T>(items: readonly T[]) => ({ object: 'list' as const, items: [...items] })

/** One batch of a list, as the domain returns it. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly moreItemsAfter: string | null
  readonly moreItemsBefore: string | null
}

const limitMessage = 'must be an integer from 0 to 200'

// Matched before it becomes a number: Number('') is 0, Number('1e2') is 100 and Number('0x10') is 16.
const Limit = z
  .string(limitMessage)
  .regex(/^\d{1,3}$/, limitMessage)
  .transform(Number)
  .refine((limit) => limit <= 200, limitMessage)
  .default(10)
  .register(documentation, {
    type: 'integer',
    description: 'How many items a batch holds (§8).',
    minimum: 0,
    maximum: 200,
    default: 10,
  })

// Assumed: a repeated parameter is rejected.
const once = z.string('must be given once')

const cursor = (description: string) => once.optional().register(documentation, { description, minLength: 1 })

/** Spec §4.1, list query. Assumed: both cursors together are refused. */
export const ListQuery = z.object({
  after: cursor('An id: the batch starts right behind that item (§4.1).'),
  before: cursor('An id: the batch ends right in front of that item (§4.1).'),
  limit: Limit,
})
export type ListQuery = z.infer<typeof ListQuery>

const statusMessage = "must be a comma-separated list of 'active', 'canceled' or 'completed'"

/** Spec §4.2, list query: `invoice` and `status` filter. */
export const PaymentLinkListQuery = ListQuery.extend({
  invoice: described(once.optional(), 'Only the links for this invoice (§4.2).'),
  status: once
    .refine((text) => text.split(',').every((one) => PaymentLinkStatus.safeParse(one).success), statusMessage)
    .transform((text) => text.split(',') as PaymentLinkStatus[])
    .optional()
    .register(documentation, {
      type: 'array',
      description: 'Only the links in one of these states, with commas between them (§4.2).',
      items: { type: 'string', enum: PaymentLinkStatus.options },
      minItems: 1,
    }),
})
export type PaymentLinkListQuery = z.infer<typeof PaymentLinkListQuery>

/** The query of lists of the control API. Without a limit they return all records. */
const RowsQuery = z.object({
  after: ListQuery.shape.after,
  before: ListQuery.shape.before,
  limit: z
    .string('must be an integer')
    .regex(/^\d{1,9}$/, 'must be an integer from 0')
    .transform(Number)
    .optional()
    .register(documentation, {
      type: 'integer',
      description: 'How many records are returned at most. Default: all of them.',
      minimum: 0,
      maximum: 999_999_999,
    }),
})
// As in the lists of the service: the two mark two places.
const oneCursor = crossFieldCheck<{ readonly after?: unknown; readonly before?: unknown }>(({ after, before }) =>
  after === undefined || before === undefined
    ? []
    : ['after', 'before'].map((path) => ({ path, message: 'cannot be combined with the other cursor.' })),
)

export const UserRowsQuery = RowsQuery.extend({
  email: described(once.optional(), 'Only users with this email, compared as `searchMatch` says.'),
}).check(oneCursor)
export const PaymentLinkRowsQuery = RowsQuery.extend(
  PaymentLinkListQuery.pick({ invoice: true, status: true }).shape,
).check(oneCursor)
