import * as z from 'zod'
import { Timestamp } from './field.ts'
import { unique } from './cross-field-check.ts'

/** A token of the mocked API. Without `projects` it serves for all; a null `expiresAt` means never. */
export const Token = z.object({
  token: z.string().regex(/^[\x21-\x7e]+$/, 'must be one or more visible ASCII characters without spaces'),
  projects: z.array(z.string()).nullable().optional(),
  expiresAt: Timestamp.nullable().optional(),
})
export interface Token {
  readonly token: string
  readonly projects?: string[] | null | undefined
  readonly expiresAt?: string | null | undefined
}

/** A token in a response: a short hash, with which a test can compare two. */
const RedactedToken = z.object({
  hash: z.string(),
  projects: z.array(z.string()).nullable(),
  expiresAt: z.string().nullable(),
})

export interface RedactedToken {
  readonly hash: string
  readonly projects: string[] | null
  readonly expiresAt: string | null
}

/** Tokens as they are read. */
export const Tokens = z.object({ object: z.literal('list'), items: z.array(RedactedToken) })
export type Tokens = z.infer<typeof Tokens>

/** A stored token. Its digest checks a token and does not reveal it. */
export const HashedToken = RedactedToken.extend({ digest: z.string() })
export type HashedToken = z.infer<typeof HashedToken>

/** The tokens that take the place of those there are; none lets any token serve. */
export const TokensChange = z.object({ tokens: z.array(Token).check(unique('token')) })
