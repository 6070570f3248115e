import { errors, type MockError } from '../schema/error.ts'
import { isSecretPath } from '../schema/problem.ts'

/** The media type of JSON. */
export const json = 'application/json'

/** The media type of a problem of RFC 9457. */
export const problemJson = 'application/problem+json'

/** Returns true if a `Content-type` is `application/json`, or any type that ends in `+json`. */
export const isJson = (contentType: string): boolean =>
  /^(?:application\/json|[\w.+-]+\/[\w.+-]+\+json)$/i.test(contentType.replace(/;.*/s, '').trim())

/** Rejects a compressed body. Assumed: spec §5 names no content coding. */
export const rejectCoding = (contentEncoding: string | null | undefined): void => {
  const coding = contentEncoding ?? ''
  if (coding !== '' && coding.toLowerCase() !== 'identity') throw errors.unsupportedMediaType({ coding })
}

/** Returns true if an `Accept` header names JSON, as spec §5 requires. A wildcard does not. */
export const namesJson = (accept: string): boolean =>
  accept.split(',').some((text) => isJson(text) && !parseRange(text).isExcluded)

interface Range {
  readonly type: string
  readonly isExcluded: boolean
}

/** Returns true if an `Accept` header allows JSON. The most specific range decides (RFC 9110, section 12.5.1). */
export const allowsJson = (accept: string): boolean => {
  const ranges = accept.split(',').map(parseRange)
  const findRange = (type: string) => ranges.find((range) => range.type === type)
  const decisive =
    findRange(json) ?? ranges.find(({ type }) => isJson(type)) ?? findRange('application/*') ?? findRange('*/*')
  return decisive !== undefined && !decisive.isExcluded
}

const parseRange = (text: string): Range => {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
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
  /** The name of the field that contains the text. Duplicate keys in a secret field are not quoted. */
  readonly field?: string
}

/** JSON that is invalid, too deep or has a duplicate key. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly reason: 'notJson' | 'tooDeep' | 'duplicateKey'
  /** The index of a duplicate key in the text. */
  readonly position: number | undefined
  /** The duplicate key in its quotes; empty if it may be a secret. */
  readonly key: string

  constructor(reason: JsonError['reason'], position?: number, key = '') {
    super(reason)
    this.reason = reason
    this.position = position
    this.key = key
  }
}

/**
 * Parses a request body. Throws `malformedBody` if it is empty, invalid, too deep or has a duplicate key.
 * Assumed: a duplicate key is an error, because `JSON.parse` would silently drop the first value.
 */
export const parseJson = (
  text: string,
  { maxDepth = maxBodyDepth, secret = false, field }: ParseOptions = {},
): unknown => {
  if (text.trim() === '') throw errors.malformedBody('empty')
  try {
    return parseChecked(text, maxDepth, field)
  } catch (error) {
    throw error instanceof JsonError ? toBodyError(error, maxDepth, secret ? undefined : text) : error
  }
}

const toBodyError = ({ reason, key }: JsonError, maxDepth: number, text: string | undefined): MockError => {
  switch (reason) {
    case 'notJson':
      return errors.malformedBody({ text })
    case 'tooDeep':
      return errors.malformedBody({ maxDepth })
    case 'duplicateKey':
      return errors.malformedBody({ duplicateKey: key })
  }
}

/** Parses JSON. Throws a `JsonError`. */
export const parseChecked = (text: string, maxDepth: number, field = ''): unknown => {
  const { depth, duplicate } = scan(text, maxDepth, field)
  if (depth > maxDepth) throw new JsonError('tooDeep')
  const value = parseText(text)
  if (duplicate !== undefined) throw new JsonError('duplicateKey', duplicate.position, duplicate.name)
  return value
}

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The message differs between versions of Node, and may quote a secret.
    throw new JsonError('notJson')
  }
}

interface Duplicate {
  /** The key in its quotes; empty if it may be a secret. */
  readonly name: string
  /** The index of its second occurrence. */
  readonly position: number
}

/** Returns the depth of the brackets and the first duplicate key. Stops where the depth exceeds the maximum. */
const scan = (text: string, maxDepth: number, field: string): { depth: number; duplicate: Duplicate | undefined } => {
  const keys: (Set<string> | undefined)[] = []
  // The field of the whole text, then the field of each open bracket.
  const path = [field]
  let depth = 0
  let duplicate: Duplicate | undefined
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{' || char === '[') {
      depth = Math.max(depth, keys.push(char === '{' ? new Set() : undefined))
      path[keys.length] = ''
    } else if (char === '}' || char === ']') keys.pop()
    else if (char === '"') {
      const end = findEndOfString(text, i)
      const open = keys.at(-1)
      if (open !== undefined && isKey(text, end)) {
        const key = text.slice(i, end + 1)
        const name = key.includes('\\') ? unescapeKey(key) : key
        if (open.has(name))
          duplicate ??= { name: isSecretPath(path.slice(0, keys.length).join('.')) ? '' : name, position: i }
        open.add(name)
        path[keys.length] = name.slice(1, -1)
      }
      i = end
    }
    if (depth > maxDepth) break
  }
  return { depth, duplicate }
}

const findEndOfString = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}

const isKey = (text: string, end: number): boolean => {
  let i = end + 1
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return text[i] === ':'
}

const unescapeKey = (key: string): string => {
  try {
    return JSON.stringify(JSON.parse(key))
  } catch {
    return key
  }
}
