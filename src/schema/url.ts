/**
 * The address that a text is, if it is one. Not `URL.canParse`: in Node 20 it takes every address with a letter beyond
 * ASCII for none once it has been called some thousand times.
 */
export const urlOf = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
