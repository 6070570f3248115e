import * as z from 'zod'
import { Timestamp } from './field.ts'
import { unique } from './cross-field-check.ts'
import { tokenMessage, tokenPattern } from './token-text.ts'

/** A token of the mocked API. Without `projects` it is valid for all. With a null `expiresAt` it never expires. */
export const Token = z.object({
  token: z.string().regex(tokenPattern, tokenMessage),
  projects: z.array(z.string()).nullable().optional(),
  expiresAt: Timestamp.nullable().optional(),
})
export interface Token {
  readonly token: string
  readonly projects?: string[] | null | undefined
  readonly expiresAt?: string | null | undefined
}

/** A token in a response: a short hash, which a test can compare. */
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

/** The tokens in a response. */
export const Tokens = z.object({ object: z.literal('list'), items: z.array(RedactedToken) })
export type Tokens = z.infer<typeof Tokens>

/** A stored token. Its digest checks a token and does not reveal it. */
export const HashedToken = RedactedToken.extend({ digest: z.string() })
export type HashedToken = z.infer<typeof HashedToken>

/** The body that replaces the tokens. If the list is empty, any token is valid. */
export const TokensChange = z.object({ tokens: z.array(Token).check(unique('token')) })
