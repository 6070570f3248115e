// A short token may be a part of ordinary words.
export const isSecret = (token: string): boolean => token.length >= 8

/** Creates a function that replaces the token in a text by `***`, even where it is escaped. */
export const createMask =
  (token: string) =>
  (text: string): string => {
    const ranges = listDecodings(text).flatMap((decoded) => findRanges(decoded, token))
    let masked = ''
    let end = 0
    for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
      if (from >= end) masked += `${text.slice(end, from)}***`
      end = Math.max(end, to)
    }
    return masked + text.slice(end)
  }

/** A text that may be decoded. */
interface DecodedText {
  readonly text: string
  /** Where each of its characters begins in the original, and the length of the original. */
  readonly at: readonly number[]
}

/** The escapes of JSON, URLs and HTML. Their groups contain a number in base 16 or 10, or a name. */
const escapes = [
  /\\(?:u(?<hex>[\da-f]{4})|(?<name>.))/gis,
  /%(?<hex>[\da-f]{2})/gi,
  /&(?:#x(?<hex>[\da-f]{1,6})|#(?<number>\d{1,7})|(?<name>amp|lt|gt|quot|apos));/gi,
]
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Returns the text and its decodings, at most two levels deep: JSON may contain escaped JSON. */
const listDecodings = (text: string): readonly DecodedText[] => {
  const plain = { text, at: Array.from({ length: text.length + 1 }, (_, index) => index) }
  const once = escapes.flatMap((escape) => decode(plain, escape))
  return [plain, ...once, ...once.flatMap((decoded) => escapes.flatMap((escape) => decode(decoded, escape)))]
}

const decode = ({ text, at }: DecodedText, escape: RegExp): readonly DecodedText[] => {
  const parts: string[] = []
  const positions: (readonly number[])[] = []
  let end = 0
  for (const { 0: source, index, groups } of text.matchAll(escape)) {
    parts.push(text.slice(end, index), decodeCharacter(groups))
    positions.push(at.slice(end, index + 1))
    end = index + source.length
  }
  return end === 0 ? [] : [{ text: parts.join('') + text.slice(end), at: [...positions, at.slice(end)].flat() }]
}

const decodeCharacter = ({ hex, number, name = '' }: Readonly<Record<string, string | undefined>> = {}): string => {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  return number === undefined ? (named[name.toLowerCase()] ?? name) : String.fromCharCode(Number(number))
}

const findRanges = ({ text, at }: DecodedText, token: string): (readonly [from: number, to: number])[] => {
  const isPart = (index: number) => !isSecret(token) && /\w/.test(text.charAt(index))
  const ranges: (readonly [number, number])[] = []
  for (let from = text.indexOf(token); from !== -1; from = text.indexOf(token, from + 1)) {
    const to = from + token.length
    if (!isPart(from - 1) && !isPart(to)) ranges.push([at[from] ?? 0, at[to] ?? 0])
  }
  return ranges
}
