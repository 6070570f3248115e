import type { Metadata } from '../../schema/field.ts'
import { omitUndefined } from '../../schema/is-record.ts'
import { User } from '../../schema/user.ts'
import { generateUsers } from '../generate.ts'
import { defineKind, formatTime } from './kind.ts'

/** Spec §2.2. */
export const userKind = defineKind({
  path: 'users',
  prefix: 'usr',
  object: 'user',
  text: 'user',
  notFoundCode: 'userNotFound',
  schema: User,
  groups: { email: ({ email }) => foldEmail(email) },
  generate: ({ users = 0 }, draws) => generateUsers(users, draws),
  // Field by field, so that all users have one shape: spreading would cost several times as much.
  defaults: (seed, { id, createdAt, preferredLocale }) => ({
    object: 'user',
    id: seed.id ?? id,
    metadata: omitNulls(seed.metadata ?? noMetadata),
    birthday: seed.birthday ?? null,
    createdAt: seed.createdAt ?? createdAt,
    email: seed.email,
    emailVerified: seed.emailVerified ?? true,
    fullName: seed.fullName ?? null,
    preferredLocale: seed.preferredLocale ?? preferredLocale,
  }),
  // Metadata is replaced as a whole.
  update: (user, patch) => ({ ...user, ...omitUndefined(patch), metadata: omitNulls(patch.metadata ?? user.metadata) }),
  view: (user, settings) => {
    const createdAt = formatTime(user.createdAt, settings)
    return createdAt === user.createdAt ? user : { ...user, createdAt }
  },
})

// Shared: an object for each of many generated users would need 56 bytes.
const noMetadata: Metadata = {}

/** Emails are compared without case. */
export const foldEmail = (email: string): string => email.toLowerCase()

/** Removes null values. Assumed: null in metadata means no value, so it is never stored. */
export const omitNulls = (metadata: Metadata): Metadata =>
  Object.values(metadata).includes(null)
    ? Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
    : metadata
