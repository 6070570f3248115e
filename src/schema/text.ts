/** Returns at most `max` characters of a text. A character of two units is never cut in half. */
export const cut = (text: string, max: number): string =>
  text.slice(0, (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max)

/** Shortens a text for a message. */
export const shorten = (text: string, max: number): string =>
  toWellFormed(text.length > max ? `${cut(text, max)}...` : text)

/** Replaces lone surrogates: many languages cannot print them. */
export const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Replaces control characters, which could move the cursor of a terminal. */
export const toPrintable = (text: string): string => text.replace(/\p{Cc}/gu, '?')

/** Returns the length of all texts in a value, with the names of fields. It is never more than that of its JSON. */
export const getTextLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  for (const [key, item] of Object.entries(value)) sum += key.length + getTextLength(item)
  return sum
}

/** The form of a token, which is sent in a header. */
export const tokenPattern = /^[\x21-\x7e]+$/
export const tokenMessage = 'must be one or more visible ASCII characters without spaces'
