/** The formats of fields: which addresses, dates and language tags are valid. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type Check = (value: Json) => boolean

export const isNullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

export const isString = (value: Json): value is string => typeof value === 'string'

export function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Rejects only what cannot be an address. Assumed: in quotes anything goes but control characters, as in RFC 5321. */
export function isEmail(value: Json): boolean {
  if (!isString(value) || value.length > 320 || hasControl(value)) return false
  // A quote that is never closed hides the rest.
  const bare = value.replaceAll(/"(?:[^"\\]|\\.)*"?/g, 'quoted')
  return /^[^@ ]+@[^@ ]+$/.test(bare)
}

export function isDate(value: Json): boolean {
  if (!isString(value) || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return false
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day >= 1 && day <= (days[month - 1] ?? 0)
}

/** The grammar of RFC 5646 §2.1. Well-formed is not valid: a variant or singleton may repeat. */
export function isLanguageTag(value: Json): boolean {
  const langtag =
    /^([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$/
  if (!isString(value)) return false
  const tag = value.toLowerCase()
  return langtag.test(tag) || /^x(-[a-z0-9]{1,8})+$/.test(tag) || irregularTags.includes(tag)
}

const irregularTags: readonly string[] =
  'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr sgn-be-nl sgn-ch-de'.split(
    ' ',
  )

/** Assumed: a space is rejected anywhere in it, not only around it: an address has none. */
export function isRedirectUrl(value: Json): boolean {
  if (!isString(value) || value.length > 2048 || hasControl(value) || value.trim() !== value) return false
  // Spelled out: scheme, two slashes and a host.
  const [scheme = '', host = ''] = value.split('://')
  if (!['http', 'https'].includes(scheme.toLowerCase()) || host === '' || '/\\'.includes(host.charAt(0))) return false
  if (!URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

function hasControl(value: string): boolean {
  return Array.from(value).some((character) => character < ' ' || character === '\u007f')
}
