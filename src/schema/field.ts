import { isFields } from './fields.ts'
import { shortCopy } from './json-copy.ts'
import * as z from 'zod'
import { documentation } from './documentation.ts'
import { urlOf } from './url.ts'

/**
 * An identifier with the prefix of its kind. Spec §2.1. Assumed: the suffix is of what a path holds as it is.
 * A regex, because `startsWith` has no standard word in JSON Schema.
 */
export const resourceId = (prefix: string) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}_[\\w.~-]+$`),
      `must start with '${prefix}_' and go on with letters, digits, -, _, . or ~`,
    )

// A quoted local part may hold spaces and further `@`; anything else that could be an address is taken.
const address = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"|[^"@\s\p{Cc}])+@[^"@\s\p{Cc}]+$/u

/** Spec §2.2. Assumed: only what cannot be an address is refused; real addresses are stranger than most patterns. */
export const Email = z
  .string()
  // First, and alone: a pattern over a megabyte overflows the stack.
  .max(320, { abort: true })
  .regex(address, "must be an email address such as 'ada@example.com'")
  // Other languages read this pattern too: what only ours can say is left out, and the rest is said by the message.
  .register(documentation, { pattern: '.@[^@\\s"]+$', examples: ['ada@example.com'] })

/** Spec §2.2: a date of the calendar, `YYYY-MM-DD`. */
export const Birthday = z.iso.date("must be a real date of the form YYYY-MM-DD, such as '1990-12-31'")

// RFC 5646, section 2.1: the whole grammar. `Intl` refuses a third of the well-formed tags.
const alphanum = '[a-z0-9]'
const irregular =
  'en-GB-oed|i-ami|i-bnn|i-default|i-enochian|i-hak|i-klingon|i-lux|i-mingo|i-navajo|i-pwn|i-tao|i-tay|i-tsu|sgn-BE-FR|sgn-BE-NL|sgn-CH-DE'
const regular = 'art-lojban|cel-gaulish|no-bok|no-nyn|zh-guoyu|zh-hakka|zh-min|zh-min-nan|zh-xiang'
const privateUse = `x(?:-${alphanum}{1,8})+`
const language = '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})'
const subtags = [
  '(?:-[a-z]{4})?',
  '(?:-(?:[a-z]{2}|[0-9]{3}))?',
  `(?:-(?:${alphanum}{5,8}|[0-9]${alphanum}{3}))*`,
  `(?:-[0-9a-wy-z](?:-${alphanum}{2,8})+)*`,
  `(?:-${privateUse})?`,
].join('')
const languageTag = new RegExp(`^(?:${language}${subtags}|${privateUse}|${irregular}|${regular})$`, 'i')

/** Spec §2.2: a well-formed IETF language tag, kept as it was sent. Assumed: at most 255 characters. */
export const Locale = z
  .string()
  .refine((tag) => tag.length <= 255 && languageTag.test(tag), "must be an IETF language tag such as 'en-US'")
  .register(documentation, { examples: ['en-US', 'pt-BR'] })

const isRedirect = (text: string): boolean => {
  if (text.length > 2048 || /\p{Cc}|^\s|\s$/u.test(text)) return false
  const { protocol, username, password } = urlOf(text) ?? {}
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** Spec §2.3. Assumed: absolute, http or https, any host, no userinfo, at most 2,048 characters; kept as it was sent. */
export const RedirectUrl = z
  .string()
  .refine(isRedirect, "must be an absolute http or https URL such as 'https://shop.example/done'")
  .register(documentation, { format: 'uri', examples: ['https://shop.example/done'] })

/** A time of the documents: ISO 8601 in UTC, kept to the millisecond. */
export const Timestamp = z.iso
  .datetime("must be an ISO 8601 time in UTC, such as '2025-01-01T00:00:00.000Z'")
  .transform((text) => new Date(text).toISOString())
  .register(documentation, { type: 'string', format: 'date-time', examples: ['2025-01-01T00:00:00.000Z'] })

// As deep as a body may be: what can be written can be exported, and an export can be loaded.
const mostDepth = 64

/** Whether JSON can hold a value and give it back: `1e999` is read as an infinity, and written as null. */
const isJson = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value !== 'object' || depth > mostDepth) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null
  return isPlain && Object.values(value).every((item) => isJson(item, depth + 1))
}

/**
 * Spec §2.2: key-value pairs. Assumed: any JSON values. A null value is never stored.
 * Not a `z.record`, which drops a key named `__proto__`. What is kept is a copy: the caller may go on with its own.
 */
export const Metadata = z
  .custom<Readonly<Record<string, unknown>>>(isFields, { error: 'must be an object', abort: true })
  .refine((metadata) => isJson(metadata), 'must hold nothing but JSON, and no number that is too large to keep')
  .transform((metadata) => shortCopy(metadata) as typeof metadata)
  .register(documentation, {
    type: 'object',
    description: 'Key-value pairs that belong to whoever calls (§2.2).',
    additionalProperties: true,
  })
export type Metadata = z.infer<typeof Metadata>
