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
