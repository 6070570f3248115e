import * as z from 'zod'
import { described } from './documentation.ts'
import { Change, RecordedRequest } from './traffic.ts'

const id = described(z.int(), 'Counts the events of the mock: a stream resumes behind it.')

/** An event: a recorded request, a changed record, an applied fault or a replaced state. */
export const MockEvent = z.discriminatedUnion('type', [
  z.object({ id, type: z.literal('request'), project: z.string().nullable(), request: RecordedRequest }),
  z.object({
    id,
    type: z.literal('change'),
    project: z.string(),
    change: Change,
  }),
  z.object({ id, type: z.literal('fault'), project: z.string(), fault: z.string(), request: z.string() }),
  z.object({
    id,
    type: z.literal('payment'),
    project: z.string(),
    paymentLink: z.string(),
    outcome: z.literal('failed'),
  }),
  z.object({
    id,
    type: z.literal('reset'),
    project: described(z.string().nullable(), 'Null: all of them.'),
    reason: z.enum(['reset', 'loaded', 'restored', 'deleted']),
  }),
  z.object({ id, type: z.literal('dropped'), count: described(z.int(), 'Events that were there no more.') }),
])
export type MockEvent = z.infer<typeof MockEvent>
