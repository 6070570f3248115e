import { WrongJson } from './json.ts'

/** The bytes that give JSON its structure. */
export const marks = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  objectStart: 0x7b,
  objectEnd: 0x7d,
  listStart: 0x5b,
  listEnd: 0x5d,
} as const

/** The byte order mark of UTF-8, with which a text may begin. */
export const byteOrderMark = [0xef, 0xbb, 0xbf] as const

interface Bounds {
  /** Whether no more bytes will come behind these. */
  readonly isLast: boolean
  /** In how many bytes the end of a list or an object is looked for. */
  readonly most: number
  /** How deep its brackets may nest; what nests deeper is refused with a `WrongJson`. */
  readonly mostDepth: number
}

/**
 * The place right behind the value that begins at `start`; undefined when its end has not come yet, or is too far away.
 * Only brackets and quotes are looked at: whether it is JSON is for a parser to say.
 */
export const endOfValue = (bytes: Uint8Array, start: number, bounds: Bounds): number | undefined => {
  const first = bytes[start]
  if (first === marks.quote) return endOfText(bytes, start)
  if (first === marks.objectStart || first === marks.listStart) return endOfBrackets(bytes, start, bounds)
  // A number or a word ends where something else begins.
  let end = start
  while (end < bytes.length && !isMark(bytes[end])) end++
  return end < bytes.length || bounds.isLast ? end : undefined
}

/** The first place from here on that is no white space. */
export const skipSpace = (bytes: Uint8Array, start: number): number => {
  let at = start
  while (isSpace(bytes[at])) at++
  return at
}

const endOfBrackets = (bytes: Uint8Array, start: number, { most, mostDepth }: Bounds): number | undefined => {
  const stop = Math.min(bytes.length, start + most)
  let depth = 0
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]
    if (byte === marks.quote) {
      const end = endOfText(bytes, at)
      if (end === undefined) return undefined
      at = end - 1
    } else if (byte === marks.objectStart || byte === marks.listStart) {
      if (++depth > mostDepth) throw new WrongJson('tooDeep')
    } else if ((byte === marks.objectEnd || byte === marks.listEnd) && --depth === 0) return at + 1
  }
  return undefined
}

const endOfText = (bytes: Uint8Array, start: number): number | undefined => {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === marks.backslash) at++
    else if (bytes[at] === marks.quote) return at + 1
  }
  return undefined
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const isMark = (byte: number | undefined): boolean =>
  byte === marks.comma || byte === marks.colon || byte === marks.objectEnd || byte === marks.listEnd || isSpace(byte)

// The reader has dropped the byte order mark of the document: further ones are mistakes.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of some bytes of a document. Throws a `WrongJson` if they are not UTF-8. */
export const textOf = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new WrongJson('notUtf8')
  }
}
