import { z } from 'zod'
import { Birthday, Email, Locale, Metadata, resourceId, Timestamp } from './field.ts'

/** Spec §2.2. A null `birthday` or `fullName` means that it is not known. */
export const User = z.object({
  object: z.literal('user'),
  id: resourceId('usr'),
  metadata: Metadata,
  birthday: Birthday.nullable(),
  createdAt: Timestamp,
  email: Email,
  emailVerified: z.boolean(),
  fullName: z.string().nullable(),
  preferredLocale: Locale,
})
export type User = Readonly<z.infer<typeof User>>

const optional = {
  birthday: User.shape.birthday.optional(),
  fullName: User.shape.fullName.optional(),
  metadata: Metadata.optional(),
  preferredLocale: Locale.nullable().optional(),
}

/** Spec §4.1, create body. A null `preferredLocale` takes the project's, like an omitted one. */
export const UserCreate = z.object({ email: Email, ...optional })
export type UserCreate = z.infer<typeof UserCreate>

/** Spec §4.1, update body: only what is passed is set. Assumed: a null `email` changes nothing. */
export const UserUpdate = z.object({ email: Email.nullable().optional(), ...optional })
export type UserUpdate = z.infer<typeof UserUpdate>

/** Spec §4.1, search body. */
export const UserSearch = z.object({ email: z.string().nullable().optional() })
export type UserSearch = z.infer<typeof UserSearch>

/** A user in a seed: `email`, and whatever else shall be pinned. */
export const UserSeed = User.partial().required({ email: true })
export type UserSeed = z.infer<typeof UserSeed>

/** Any field of a user, also the read-only ones: how a test edits a row. */
export const UserPatch = User.omit({ object: true, id: true }).partial()
export type UserPatch = z.infer<typeof UserPatch>
