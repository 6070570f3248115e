import * as z from 'zod/mini'
import { crossFieldCheck, described, documentation, problemAt } from './zod-helpers.ts'
import { PaymentLinkStatus } from './payment-link.ts'

/** Builds the schema of a list. Spec §2.4. */
export const buildListSchema = <S extends z.ZodMiniType>(itemSchema: S) =>
  z.object({
    object: z.literal('list'),
    items: z.array(itemSchema),
    moreItemsAfter: described(z.nullable(z.string()), 'The `after` of the next batch. Null: this is the last one.'),
    moreItemsBefore: described(
      z.nullable(z.string()),
      'The `before` of the previous batch. Null: this is the first one.',
    ),
  })

/** For lists of the control API that are always complete. */
export const buildUnpagedListSchema = <S extends z.ZodMiniType>(itemSchema: S) =>
  z.object({ object: described(z.literal('list'), 'Always `list`.'), items: z.array(itemSchema) })

export const createUnpagedList = <T>(items: readonly T[]) => ({ object: 'list' as const, items: [...items] })

/** One batch of a list. */
export interface Page<T> {
  /** The records in their order. */
  readonly items: readonly T[]
  /** The `after` of the next batch. Null: this is the last one. */
  readonly moreItemsAfter: string | null
  /** The `before` of the previous batch. Null: this is the first one. */
  readonly moreItemsBefore: string | null
}

// Matched before it becomes a number: Number('') is 0, Number('1e2') is 100 and Number('0x10') is 16.
const integerText = (integerForm: RegExp, message: string) =>
  z.pipe(z.string(message).check(z.regex(integerForm, message)), z.transform(Number))

const limitText = integerText(/^(?:[01]?\d{1,2}|200)$/, 'must be an integer from 0 to 200')
const Limit = z._default(limitText, 10).register(documentation, {
  type: 'integer',
  description: 'The maximum number of items in a batch (§8).',
  minimum: 0,
  maximum: 200,
  default: 10,
})

const cursorParameter = (description: string) =>
  z.optional(z.string()).register(documentation, { description, minLength: 1 })

/** Assumed: both cursors together are rejected. */
export const onlyOneCursor = crossFieldCheck<{ after?: unknown; before?: unknown }>(({ after, before }) =>
  typeof after === 'string' && typeof before === 'string'
    ? ['after', 'before'].map((path) => problemAt(path, 'cannot be combined with the other cursor.'))
    : [],
)

/** Spec §4.1, list query. */
export const ListQuery = z
  .object({
    after: cursorParameter('The id of the item before the batch (§4.1).'),
    before: cursorParameter('The id of the item after the batch (§4.1).'),
    limit: Limit,
  })
  .check(onlyOneCursor)
export type ListQuery = z.infer<typeof ListQuery>

const isStatusList = (text: string) => text.split(',').every((status) => PaymentLinkStatus.safeParse(status).success)
const StatusFilter = z.pipe(
  z.string().check(z.refine(isStatusList, "must be a comma-separated list of 'active', 'canceled' or 'completed'")),
  z.transform((text) => text.split(',') as PaymentLinkStatus[]),
)

/** Spec §4.2, list query: `invoice` and `status` filter. */
export const PaymentLinkListQuery = z.extend(ListQuery, {
  invoice: described(z.optional(z.string()), 'Only links for this invoice (§4.2).'),
  status: z.optional(StatusFilter).register(documentation, {
    type: 'array',
    description: 'Only links with one of these statuses, separated by commas (§4.2).',
    items: { type: 'string', enum: PaymentLinkStatus.options },
    minItems: 1,
  }),
})
export type PaymentLinkListQuery = z.infer<typeof PaymentLinkListQuery>

export const integerParameter = (
  integerForm: RegExp,
  message: string,
  range: { description: string; minimum: number; maximum: number },
) => z.optional(integerText(integerForm, message)).register(documentation, { type: 'integer', ...range })

export const optionalLimit = (description: string) =>
  integerParameter(/^\d{1,9}$/, 'must be an integer from 0', { description, minimum: 0, maximum: 999_999_999 })
