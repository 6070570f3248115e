import * as z from 'zod/mini'
import type { Optional } from './json-value.ts'
import { described, type SchemasOf } from './zod-helpers.ts'
import { Birthday, Email, Locale, Metadata, resourceId, Timestamp } from './field.ts'

/** A user (§2.2). */
export interface User {
  /** Always `user`. */
  object: 'user'
  /** The id of the user (§2.1). */
  id: string
  /** Key-value pairs of the client (§2.2). */
  metadata: Metadata
  /** The date of birth, as `YYYY-MM-DD`. Null: unknown. */
  birthday: string | null
  /** The creation time, in UTC. */
  createdAt: string
  /** The primary email address. */
  email: string
  /** Whether the primary email address is verified. */
  emailVerified: boolean
  /** The full name, which some plans require. Null: unknown. */
  fullName: string | null
  /** The preferred language, as an IETF language tag. */
  preferredLocale: string
}
export const User = z.object({
  object: z.literal('user'),
  id: described(resourceId('usr'), 'The id of the user (§2.1).'),
  metadata: Metadata,
  birthday: described(z.nullable(Birthday), 'Date of birth. Null: unknown.'),
  createdAt: described(Timestamp, 'The creation time, in UTC.'),
  email: described(Email, 'The primary email address.'),
  emailVerified: described(z.boolean(), 'Whether the primary email address is verified.'),
  fullName: described(z.nullable(z.string()), 'The full name, which some plans require. Null: unknown.'),
  preferredLocale: described(Locale, 'The preferred language, as an IETF language tag.'),
} satisfies SchemasOf<User>)

const optional = {
  birthday: z.optional(User.shape.birthday),
  fullName: z.optional(User.shape.fullName),
  metadata: z.optional(Metadata),
  preferredLocale: described(z.optional(z.nullable(Locale)), 'An IETF language tag. Null: that of the project.'),
}

/** Spec §4.1, create body. If `preferredLocale` is null or omitted, it defaults to the project's. */
export const UserCreate = z.object({ email: described(Email, 'The primary verified email address.'), ...optional })
export type UserCreate = z.infer<typeof UserCreate>

/** Spec §4.1, update body: only passed fields are set. Assumed: a null `email` changes nothing. */
export const UserUpdate = z.object({
  email: described(z.optional(z.nullable(Email)), 'The primary verified email address. Null: unchanged.'),
  ...optional,
})
export type UserUpdate = z.infer<typeof UserUpdate>

/** Spec §4.1, search body. */
export const UserSearch = z.object({
  email: described(z.optional(z.nullable(z.string())), 'The email address to find. Null or omitted: any.'),
})
export type UserSearch = z.infer<typeof UserSearch>

/** A user in a seed. Only `email` is required. */
export interface UserSeed extends Optional<User> {
  /** The primary email address. */
  email: string
}
export const UserSeed = z.required(z.partial(User), { email: true }) satisfies z.ZodMiniType<UserSeed>

/** Changes of any fields of a user, including read-only ones. */
export type UserPatch = Optional<Omit<User, 'object' | 'id'>>
export const UserPatch = z.partial(z.omit(User, { object: true, id: true })) satisfies z.ZodMiniType<UserPatch>
