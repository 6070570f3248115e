/** Replaces a token in a text by `***`, also where it is escaped. */
export type Mask = (text: string) => string

// A short token is part of many a word, and no secret there.
export const isSecret = (token: string): boolean => token.length >= 8

export const createMask =
  (token: string): Mask =>
  (text) => {
    const ranges = readingsOf(text).flatMap((reading) => rangesOf(reading, token))
    let masked = ''
    let end = 0
    for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
      if (from >= end) masked += `${text.slice(end, from)}***`
      end = Math.max(end, to)
    }
    return masked + text.slice(end)
  }

/** A text, decoded or as it is. */
interface Reading {
  readonly text: string
  /** Where each of its characters begins in the original, and where that ends. */
  readonly at: readonly number[]
}

/** The escapes of JSON, of addresses and of HTML, each with a group for a number in base 16 or 10, or for a text. */
const escapes = [
  /\\(?:u(?<hex>[\da-f]{4})|(?<name>.))/gis,
  /%(?<hex>[\da-f]{2})/gi,
  /&(?:#x(?<hex>[\da-f]{1,6})|#(?<number>\d{1,7})|(?<name>amp|lt|gt|quot|apos));/gi,
]
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text, and what it says without the escapes: an escaped text may be escaped again, as JSON in JSON is. */
const readingsOf = (text: string): readonly Reading[] => {
  const plain = { text, at: Array.from({ length: text.length + 1 }, (_, index) => index) }
  const once = escapes.flatMap((escape) => decoded(plain, escape))
  return [plain, ...once, ...once.flatMap((reading) => escapes.flatMap((escape) => decoded(reading, escape)))]
}

const decoded = ({ text, at }: Reading, escape: RegExp): readonly Reading[] => {
  const parts: string[] = []
  const positions: (readonly number[])[] = []
  let end = 0
  for (const { 0: source, index, groups } of text.matchAll(escape)) {
    parts.push(text.slice(end, index), characterOf(groups!))
    positions.push(at.slice(end, index + 1))
    end = index + source.length
  }
  return end === 0 ? [] : [{ text: parts.join('') + text.slice(end), at: [...positions, at.slice(end)].flat() }]
}

const characterOf = ({ hex, number, name = '' }: Readonly<Record<string, string | undefined>>): string => {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  return number === undefined ? (named[name.toLowerCase()] ?? name) : String.fromCharCode(Number(number))
}

const rangesOf = ({ text, at }: Reading, token: string): (readonly [from: number, to: number])[] => {
  const isPart = (index: number) => !isSecret(token) && /\w/.test(text.charAt(index))
  const ranges: (readonly [number, number])[] = []
  for (let from = text.indexOf(token); from !== -1; from = text.indexOf(token, from + 1)) {
    const to = from + token.length
    if (!isPart(from - 1) && !isPart(to)) ranges.push([at[from]!, at[to]!])
  }
  return ranges
}
