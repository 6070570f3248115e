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

/** Replaces everything before an `@`, which may be a password, so that a message can quote the URL. */
export const hideCredentials = (address: string): string => address.replace(/^([\w+.-]+:\/\/)?.*(?:@|%40)/is, '$1***@')

/** Returns true if a text is a valid sandbox name. */
export const isSandboxName = (name: string): boolean => /^[\w.~-]{1,64}$/.test(name)

/** Returns true if a text is an origin as browsers send it, or `*` for all origins. */
export const isOriginText = (text: string): boolean =>
  text === '*' || (!text.includes('*') && parseUrl(text)?.origin === text)
