import * as z from 'zod/mini'
import { Timestamp } from './field.ts'
import { unique } from './zod-helpers.ts'
import { tokenMessage, tokenPattern } from './text.ts'

/** A token of the mocked API. Without `projects` it is valid for all. With a null `expiresAt` it never expires. */
export const Token = z.object({
  token: z.string().check(z.regex(tokenPattern, tokenMessage)),
  projects: z.optional(z.nullable(z.array(z.string()))),
  expiresAt: z.optional(z.nullable(Timestamp)),
})
export type Token = z.infer<typeof Token>

/** A token in a response: a short hash, which a test can compare. */
export const RedactedToken = z.object({
  hash: z.string(),
  projects: z.nullable(z.array(z.string())),
  expiresAt: z.nullable(z.string()),
})

export type RedactedToken = z.infer<typeof RedactedToken>

/** The tokens in a response. */
export const TokenList = z.object({ object: z.literal('list'), items: z.array(RedactedToken) })
export type TokenList = z.infer<typeof TokenList>

/** A stored token. Its digest checks a token and does not reveal it. */
export const HashedToken = z.extend(RedactedToken, { digest: z.string() })
export type HashedToken = z.infer<typeof HashedToken>

/** The body that replaces the tokens. If the list is empty, any token is valid. */
export const TokensChange = z.object({ tokens: z.array(Token).check(unique('token')) })
