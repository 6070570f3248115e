import { z } from 'zod'
import { Timestamp } from './field.ts'

/** A token of the mocked API. Without `projects` it serves for all; a null `expiresAt` means never. */
export const Token = z.object({
  token: z.string().regex(/^[\x21-\x7e]+$/, 'must be one or more visible ASCII characters without spaces'),
  projects: z.array(z.string()).nullable().optional(),
  expiresAt: Timestamp.nullable().optional(),
})
export type Token = z.infer<typeof Token>
