// A short token may be a part of ordinary words.
export const isSecret = (token: string): boolean => token.length >= 8

const maxPattern = 256

const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** A pattern of one character, also if JSON, a URL or HTML escapes it, and JSON, URLs or HTML the escape. */
const formatPattern = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, '0')
  const entity = [`#x0*${hex}`, `#0*${code}`, ...(names[character] ? [names[character]] : [])].join('|')
  return `(?:\\\\*\\x${hex}|\\\\+u00${hex}|%(?:25)*${hex}|&(?:amp;)*(?:${entity});)`
}

/** Creates a function that replaces the token in a text by `***`, even where it is escaped. */
export const createMask = (token: string): ((text: string) => string) => {
  // A pattern of thousands of characters would be too large: the end of a long token is whatever follows its beginning.
  const rest = token.length > maxPattern ? '[^"\\s]*' : ''
  const pattern = Array.from(token.slice(0, maxPattern), formatPattern).join('') + rest
  const masked = new RegExp(isSecret(token) ? pattern : `(?<!\\w)${pattern}(?!\\w)`, 'gi')
  return (text) => text.replace(masked, '***')
}
