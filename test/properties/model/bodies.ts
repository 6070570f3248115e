/** The fields of a body, and their problems. */
import {
  isEmail,
  isLanguageTag,
  isNullable,
  isObject,
  isRedirectUrl,
  isString,
  type Check,
  type Json,
} from './formats.ts'
import type { WireRequest } from './model.ts'
import { reject, MockError } from './errors.ts'
import { nullableFields, nullableNames } from './nullable-fields.ts'

const bodyLimit = 1024 * 1024
const depthLimit = 64

/** The fields of the body, as a map so that no inherited name can be mistaken for one. */
export function readFields({ body }: WireRequest): Map<string, Json> {
  const value = parsed(body ?? new Uint8Array())
  if (!isObject(value)) throw new MockError('invalidBody', [''])
  return new Map(Object.entries(value))
}

/** The body for a fault: undefined if it is not readable JSON. */
export function bodyIn({ body }: WireRequest): Json | undefined {
  try {
    return parsed(body ?? new Uint8Array())
  } catch {
    return undefined
  }
}

/** A body that the operation does not need, which must still be readable. */
export function rejectUnreadable({ body }: WireRequest): void {
  if (body !== null && body.length > 0) parsed(body)
}

function parsed(body: Uint8Array): Json {
  if (body.length > bodyLimit) reject('bodyTooLarge')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value = JSON.parse(text) as Json
    return isDeep(text) ? reject('malformedBody') : value
  } catch {
    return reject('malformedBody')
  }
}

/** Whether a JSON text nests deeper than the limit. */
function isDeep(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (depth > depthLimit) return true
  }
  return false
}

/** The paths of invalid fields. Spec §4.1. */
export function userProblems(fields: Map<string, Json>, { emailRequired }: { emailRequired: boolean }): string[] {
  const nullable = (name: string, check: Check) => problem(name, isNullable(check)(fields.get(name) ?? null))
  return [
    ...(emailRequired ? problem('email', isEmail(fields.get('email') ?? null)) : nullable('email', isEmail)),
    ...nullableNames.flatMap((name) => nullable(name, nullableFields[name].check)),
    ...nullable('preferredLocale', isLanguageTag),
    // Null is rejected: the field is not nullable.
    ...problem('metadata', !fields.has('metadata') || isObject(fields.get('metadata')!)),
  ]
}

/** The paths of invalid fields. Spec §4.2 and §2.5. */
export function linkProblems(fields: Map<string, Json>): string[] {
  return [
    // Assumed: an invoice is any non-empty text.
    ...problem('invoice', isString(fields.get('invoice') ?? null) && fields.get('invoice') !== ''),
    ...problem('type', fields.get('type') === 'partner'),
    // Assumed: required also if the type is invalid, because `partner` is its only valid value.
    ...partnerProblems(fields.get('partner') ?? null),
  ]
}

function partnerProblems(partner: Json): string[] {
  if (!isObject(partner)) return ['partner']
  const fields = new Map(Object.entries(partner))
  const user = fields.get('user') ?? null
  return [
    ...(isObject(user) ? payerProblems(new Map(Object.entries(user))) : ['partner.user']),
    // Assumed: optional, but not nullable in the request.
    ...problem('partner.redirectUrl', !fields.has('redirectUrl') || isRedirectUrl(fields.get('redirectUrl')!)),
  ]
}

/** Assumed: each of the three is any string, and not null (spec §2.5 shows no formats). */
function payerProblems(payer: Map<string, Json>): string[] {
  return ['fullName', 'email', 'taxNumber'].flatMap((name) =>
    problem(`partner.user.${name}`, !payer.has(name) || isString(payer.get(name)!)),
  )
}

export function problem(path: string, isFine: boolean): string[] {
  return isFine ? [] : [path]
}

// --- Behaviors for bodies, which the specification leaves open

/** Whether a body has an unknown field. Assumed: its path in `details` is unspecified. */
export function hasUnknown(fields: Map<string, Json>, known: Known): boolean {
  return [...fields].some(([name, value]) => {
    const below = known.get(name)
    if (below === undefined) return true
    return below !== null && isObject(value) && hasUnknown(new Map(Object.entries(value)), below)
  })
}

/** The known fields of a body, recursively. Null: any field. */
export type Known = ReadonlyMap<string, Known | null>

const plain = (...names: readonly string[]): Known => new Map(names.map((name) => [name, null]))

export const userFields = plain('email', ...nullableNames, 'metadata', 'preferredLocale')
export const searchFields = plain('email')
export const linkFields: Known = new Map([
  ...plain('invoice', 'type'),
  ['partner', new Map([...plain('redirectUrl'), ['user', plain('fullName', 'email', 'taxNumber')]])],
])

/** `metadataLimits=strings`: at most 10 keys of 1 to 40 characters, string values up to 255. */
export function isWithinLimits(metadata: Map<string, Json>): boolean {
  return (
    metadata.size <= 10 &&
    [...metadata].every(([key, value]) => /^.{1,40}$/su.test(key) && isString(value) && /^.{0,255}$/su.test(value))
  )
}
