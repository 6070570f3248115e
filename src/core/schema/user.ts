import * as z from 'zod/mini'
import { described } from './zod-helpers.ts'
import { Birthday, Email, Locale, Metadata, resourceId, Timestamp } from './field.ts'

export const User = z.object({
  object: described(z.literal('user'), 'Always `user`.'),
  id: described(resourceId('usr'), 'The id of the user (§2.1).'),
  metadata: described(Metadata, 'Key-value pairs of the client (§2.2).'),
  birthday: described(z.nullable(Birthday), 'The date of birth, as `YYYY-MM-DD`. Null: unknown.'),
  createdAt: described(Timestamp, 'The creation time, in UTC.'),
  email: described(Email, 'The primary email address.'),
  emailVerified: described(z.boolean(), 'Whether the primary email address is verified.'),
  fullName: described(z.nullable(z.string()), 'The full name, which some plans require. Null: unknown.'),
  preferredLocale: described(Locale, 'The preferred language, as an IETF language tag.'),
})
/** A user (§2.2). */
export type User = z.infer<typeof User>

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

export const UserSeed = z.extend(z.partial(User), { email: User.shape.email })
/** A user in a seed. Only `email` is required. */
export type UserSeed = z.infer<typeof UserSeed>

export const UserPatch = z.partial(z.omit(User, { object: true, id: true }))
/** Changes of any fields of a user, including read-only ones. */
export type UserPatch = z.infer<typeof UserPatch>
