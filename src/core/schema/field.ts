import { isRecord, copyJson } from './json-value.ts'
import * as z from 'zod/mini'
import { documentation } from './zod-helpers.ts'
import { parseUrl } from './url.ts'

/**
 * An identifier with the prefix of its kind. Spec §2.1. Assumed: the suffix needs no encoding in a path.
 * A regex, because `startsWith` has no standard word in JSON Schema.
 */
export const resourceId = (prefix: string) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^${prefix}_[\\w.~-]+$`), `must be '${prefix}_' followed by letters, digits, -, _, . or ~`),
    )

// A quoted local part may contain spaces and `@`. The pattern is part of the OpenAPI documents: code generators put it into
// strings of other languages, where a quote ends the string. Beyond ASCII, those languages share no escape.
const doubleQuote = '\\x22'
const controlCharacters = '\\x00-\\x1f\\x7f'
const emailCharacter = `[^${doubleQuote}@\\s${controlCharacters}]`
const quotedLocalPart = `${doubleQuote}(?:[^${doubleQuote}\\\\${controlCharacters}]|\\\\[^${controlCharacters}])*${doubleQuote}`
const emailAddress = new RegExp(`^(?:${quotedLocalPart}|${emailCharacter})+@${emailCharacter}+$`)
const addressMessage = "must be an email address such as 'ada@example.com'"

/** Spec §2.2. Assumed: everything that could be an address is valid, because real addresses break most patterns. */
export const Email = z
  .string()
  .check(
    // This check aborts the others: matching a pattern against a megabyte overflows the stack.
    z.maxLength(320, { abort: true }),
    z.regex(emailAddress, addressMessage),
    // Without the first condition, an invalid address would be reported twice.
    z.refine((text) => !emailAddress.test(text) || !/[\x80-\x9f]/.test(text), addressMessage),
  )
  .register(documentation, { examples: ['ada@example.com'] })

/** Spec §2.2: a date of the calendar, `YYYY-MM-DD`. */
export const Birthday = z.iso.date("must be a real date of the form YYYY-MM-DD, such as '1990-12-31'")

// The grammar of RFC 5646, section 2.1. `Intl` rejects a third of the well-formed tags. A pattern in JSON Schema cannot
// have the flag `i`.
const letter = '[A-Za-z]'
const alphanum = '[A-Za-z0-9]'
const irregularLanguages =
  'en-GB-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(?:BE-FR|BE-NL|CH-DE)'.replace(
    /[A-Za-z]/g,
    (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`,
  )
const privateUse = `[Xx](?:-${alphanum}{1,8})+`
const language = `(?:${letter}{2,3}(?:-${letter}{3}){0,3}|${letter}{4,8})`
const languageSubtags = [
  `(?:-${letter}{4})?`,
  `(?:-(?:${letter}{2}|[0-9]{3}))?`,
  `(?:-(?:${alphanum}{5,8}|[0-9]${alphanum}{3}))*`,
  `(?:-[0-9A-WY-Za-wy-z](?:-${alphanum}{2,8})+)*`,
  `(?:-${privateUse})?`,
].join('')
const languageTag = new RegExp(`^(?:${language}${languageSubtags}|${privateUse}|${irregularLanguages})$`)

/** Spec §2.2: a well-formed IETF language tag, stored unchanged. Assumed: at most 255 characters. */
export const Locale = z
  .string()
  .check(z.maxLength(255, { abort: true }), z.regex(languageTag, "must be an IETF language tag such as 'en-US'"))
  .register(documentation, { examples: ['en-US', 'pt-BR'] })

// `URL` also reads `http:shop.example` and `https:\\shop.example`, which other parsers reject.
const isRedirect = (text: string): boolean =>
  !/\p{Cc}|\s$/u.test(text) && /^https?:\/\/[^/\\]/i.test(text) && parseUrl(text) !== undefined

const isRedirectPath = (text: string): boolean => /^\/(?![/\\])/.test(text) && isRedirect(`http://mock${text}`)

const hasNoUserInfo = (text: string): boolean => {
  const { username = '', password = '' } = parseUrl(text) ?? {}
  return username + password === ''
}

const checkedRedirect = (isValid: (text: string) => boolean, error: string) =>
  z
    .string()
    .check(
      z.maxLength(2048, { abort: true }),
      z.refine(isValid, { error, abort: true }),
      z.refine(hasNoUserInfo, 'must have no user name and no password'),
    )

const redirectMessage = "must be an absolute http or https URL such as 'https://shop.example/done'"

/** Spec §2.3. Assumed: absolute, http or https, any host, no userinfo, at most 2,048 characters; stored unchanged. */
export const RedirectUrl = checkedRedirect(isRedirect, redirectMessage).register(documentation, {
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
  maxLength: 2048,
  examples: ['https://shop.example/done'],
})

/** A `redirectUrl` in a document: also a path of the mock, so that a seed works on any port. */
export const StoredRedirectUrl = checkedRedirect(
  (text) => isRedirect(text) || isRedirectPath(text),
  `${redirectMessage}, or a path of the mock such as '/'`,
).register(documentation, {
  format: 'uri-reference',
  pattern: '^(?:[Hh][Tt][Tt][Pp][Ss]?:|/)',
  maxLength: 2048,
  examples: ['https://shop.example/done', '/'],
})

/** A time in a document: ISO 8601 in UTC, stored to the millisecond. */
export const Timestamp = z
  .pipe(
    z.iso.datetime("must be an ISO 8601 time in UTC, such as '2025-01-01T00:00:00.000Z'"),
    z.transform((text) => new Date(text).toISOString()),
  )
  .register(documentation, {
    type: 'string',
    format: 'date-time',
    pattern: 'T.*Z$',
    examples: ['2025-01-01T00:00:00.000Z'],
  })

// The maximum depth of a body, so that an export can be loaded.
const maxJsonDepth = 64

/** Returns true if JSON can represent a value. `1e999` is parsed as infinity, which is written as null. */
const isJsonValue = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value !== 'object' || depth > maxJsonDepth) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = Array.isArray(value) || prototype === Object.prototype || prototype === null
  return isPlain && Object.values(value).every((item) => isJsonValue(item, depth + 1))
}

const jsonMessage = `must contain only JSON values, at most ${maxJsonDepth} levels deep, and no infinite numbers`

export const JsonValue = z.unknown().check(z.refine((value) => isJsonValue(value), jsonMessage))

/**
 * Assumed: any JSON values. A null value is never stored.
 * Not a `z.record`, which drops a key named `__proto__`. The result is a copy.
 */
export const Metadata = z
  .pipe(
    z
      .custom<Readonly<Record<string, unknown>>>(isRecord, { error: 'must be an object', abort: true })
      .check(z.refine((metadata) => isJsonValue(metadata), jsonMessage)),
    z.transform((metadata) => copyJson(metadata)),
  )
  .register(documentation, {
    type: 'object',
    description: 'Key-value pairs of the client (§2.2).',
    additionalProperties: true,
  })

/** Key-value pairs of the client (§2.2). */
export type Metadata = z.infer<typeof Metadata>
