/** `URL.canParse` of Node 20 starts to reject every URL with a non-ASCII character after some thousand calls. */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Returns true for an http or https URL without a password, a query and a fragment. */
export const isBaseUrl = (text: string): boolean => {
  const url = parseUrl(text)
  return url !== undefined && /^https?:\/\/[^?#]*$/.test(text) && url.username + url.password === ''
}

/** The requirement that an address violates if `isBaseUrl` is false. */
export const describeBaseUrl = (example: string): string =>
  `must be an http or https address such as '${example}', without a password or a query`

/** Returns undefined if the text has an invalid escape, such as `%ff`. */
export const decodePart = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const trimSlashes = (text: string): string => text.replace(/\/+$/, '')

/** The index of the first slash after the origin. -1 for an origin alone. */
export const findPathStart = (url: string): number => url.indexOf('/', url.indexOf('//') + 2)

/** The path and the query, as they were sent. */
export const getTarget = (url: string): string => url.slice(findPathStart(url))

/** Replaces everything before an `@` of an address, which may be a password. */
export const hideCredentials = (address: string): string => address.replace(/^([\w+.-]+:\/\/)?.*(?:@|%40)/is, '$1***@')

/** Hides the password of a text that may be a URL. Each message that quotes a text uses it. */
export const hidePassword = (text: string): string => (text.includes('://') ? hideCredentials(text) : text)

/** Servers limit the size of the request line. */
export const isAddressable = (project: string): boolean => encodeURIComponent(project).length < 8 * 1024

/** Splits a path into the prefix of a sandbox, such as `/@checkout-1`, and the rest. Without a sandbox the prefix is empty. */
export const splitPrefix = (path: string): readonly [prefix: string, rest: string] => {
  const { length } = /^\/(?:@|%40)[^/?#]*/.exec(path)?.[0] ?? ''
  return [path.slice(0, length), path.slice(length)]
}

export const sandboxNameForm = "1 to 64 letters, digits, '-', '_', '.' or '~'"

export const isSandboxName = (name: string): boolean => /^[\w.~-]{1,64}$/.test(name)

/** An origin as browsers send it, or `*` for all origins. */
export const isOriginText = (text: string): boolean =>
  text === '*' || (!text.includes('*') && parseUrl(text)?.origin === text)
