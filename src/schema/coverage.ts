import * as z from 'zod/mini'
import { described } from './zod-helpers.ts'

/** A situation: a result of an operation, or a fault of any, with the number of times that clients were shown it. */
export const CoverageItem = z.object({
  operation: described(z.nullable(z.string()), 'Null: any operation.'),
  situation: described(z.string(), 'For example `409 paymentLinkNotActive`, `200 second page` or `no response`.'),
  seen: described(z.int(), 'How often a client was shown it.'),
  request: described(z.nullable(z.string()), 'The first request. Null: none.'),
  sandbox: described(z.optional(z.string()), 'The sandbox of the first request. Absent: none.'),
  show: described(
    z.optional(z.string()),
    'If it was never shown: a line of TypeScript, after which the client is shown it.',
  ),
})
export type CoverageItem = z.infer<typeof CoverageItem>

/** All situations, and how many of them clients were shown. */
export const Coverage = z.object({
  object: z.literal('coverage'),
  seen: described(z.int(), 'The number of situations that were shown.'),
  total: described(z.int(), 'The number of all situations.'),
  items: z.array(CoverageItem),
})
export type Coverage = z.infer<typeof Coverage>
