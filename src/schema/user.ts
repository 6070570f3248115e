import * as z from 'zod'
import { described } from './documentation.ts'
import type { Optional } from './is-record.ts'
import { Birthday, Email, Locale, Metadata, resourceId, Timestamp } from './field.ts'

/** Spec §2.2. A null `birthday` or `fullName` means that it is not known. */
export const User = z.object({
  object: z.literal('user'),
  id: described(resourceId('usr'), 'Names the user (§2.1).'),
  metadata: Metadata,
  birthday: described(Birthday.nullable(), 'Date of birth. Null: not known.'),
  createdAt: described(Timestamp, 'When the user came to be, in UTC.'),
  email: described(Email, 'The primary address.'),
  emailVerified: described(z.boolean(), 'Whether the primary address is known to be theirs.'),
  fullName: described(z.string().nullable(), 'The whole name, which some plans ask for. Null: not known.'),
  preferredLocale: described(Locale, 'The language to speak with the user, as an IETF tag.'),
})
export interface User {
  readonly object: 'user'
  readonly id: string
  readonly metadata: Metadata
  readonly birthday: string | null
  readonly createdAt: string
  readonly email: string
  readonly emailVerified: boolean
  readonly fullName: string | null
  readonly preferredLocale: string
}

const optional = {
  birthday: User.shape.birthday.optional(),
  fullName: User.shape.fullName.optional(),
  metadata: Metadata.optional(),
  preferredLocale: described(Locale.nullable().optional(), 'An IETF language tag. Null: that of the project.'),
}

/** Spec §4.1, create body. A null `preferredLocale` takes the project's, like an omitted one. */
export const UserCreate = z.object({ email: described(Email, 'The primary address, verified.'), ...optional })
export type UserCreate = z.infer<typeof UserCreate>

/** Spec §4.1, update body: only what is passed is set. Assumed: a null `email` changes nothing. */
export const UserUpdate = z.object({
  email: described(Email.nullable().optional(), 'The primary address, verified. Null: as it is.'),
  ...optional,
})
export type UserUpdate = z.infer<typeof UserUpdate>

/** Spec §4.1, search body. */
export const UserSearch = z.object({
  email: described(z.string().nullable().optional(), 'The address to look for. Null, or left out: any.'),
})
export type UserSearch = z.infer<typeof UserSearch>

/** A user in a seed: `email`, and whatever else shall be pinned. */
export const UserSeed = User.partial().required({ email: true })
export type UserSeed = Optional<User> & Pick<User, 'email'>

/** Any field of a user, also the read-only ones: how a test edits a row. */
export const UserPatch = User.omit({ object: true, id: true }).partial()
export type UserPatch = Optional<Omit<User, 'object' | 'id'>>
