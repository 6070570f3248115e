import { errors } from '../schema/error.ts'
import { parseJsonIfValid } from '../schema/json-value.ts'

export const jsonType = 'application/json'

export const problemJson = 'application/problem+json'

export const isJson = (contentType: string): boolean =>
  /^(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)$/i.test(contentType.replace(/;.*/s, '').trim())

/** Rejects a compressed body. Assumed: spec §5 names no content coding. */
export const rejectCoding = (contentEncoding: string | null | undefined): void => {
  if (contentEncoding && contentEncoding.toLowerCase() !== 'identity')
    throw errors.unsupportedMediaType({ coding: contentEncoding })
}

/** Returns true if an `Accept` header names JSON, as spec §5 requires. A wildcard does not. */
export const namesJson = (accept: string): boolean =>
  accept.split(',').some((text) => isJson(text) && !parseRange(text).isExcluded)

/** Returns true if an `Accept` header allows JSON. The most specific range decides (RFC 9110, section 12.5.1). */
export const allowsJson = (accept: string): boolean => {
  const ranges = accept.split(',').map(parseRange)
  const findRange = (type: string) => ranges.find((range) => range.type === type)
  const decisiveRange =
    findRange(jsonType) ?? ranges.find(({ type }) => isJson(type)) ?? findRange('application/*') ?? findRange('*/*')
  return decisiveRange !== undefined && !decisiveRange.isExcluded
}

const parseRange = (range: string) => {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  return { type, isExcluded: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) }
}

/** The maximum depth of a body: `JSON.stringify` overflows the stack between 1,000 and 5,000 levels. */
const maxBodyDepth = 64

/** The maximum depth of a state: its records have metadata that may be as deep as a body. */
export const maxStateDepth = 2 * maxBodyDepth

interface ParseOptions {
  /** @default 64 */
  readonly maxDepth?: number
  /** Whether the text may contain secrets, so that no message quotes it. @default false */
  readonly secret?: boolean
}

/** Parses a request body. Throws `malformedBody` if it is empty, invalid or too deep. */
export const parseJson = (text: string, { maxDepth = maxBodyDepth, secret = false }: ParseOptions = {}): unknown => {
  if (text.trim() === '') throw errors.malformedBody('empty')
  const value = parseJsonIfValid(text)
  // The message of the parser differs between versions of Node, and may quote a secret.
  if (value === undefined) throw errors.malformedBody({ text: secret ? undefined : text })
  if (isDeeper(value, maxDepth)) throw errors.malformedBody({ maxDepth })
  return value
}

export const isDeeper = (value: unknown, max: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (max === 0 || Object.values(value).some((part) => isDeeper(part, max - 1)))
