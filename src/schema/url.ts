/**
 * Parses a URL. Returns undefined if it is invalid. `URL.canParse` of Node 20 starts to reject every URL with a non-ASCII
 * character after some thousand calls.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Removes everything before an `@`, which may be a password, so that a message can quote the URL. */
export const withoutCredentials = (address: string): string =>
  address.replace(/^([\w+.-]+:\/\/)?.*(?:@|%40)/is, '$1***@')

/** Whether a text can follow the `@` in the address of a sandbox. */
export const isSandboxName = (name: string): boolean => /^[\w.~-]{1,64}$/.test(name)

/** Whether a text is an origin as browsers send it, or `*` for all origins. */
export const isOriginText = (text: string): boolean =>
  text === '*' || (!text.includes('*') && parseUrl(text)?.origin === text)
