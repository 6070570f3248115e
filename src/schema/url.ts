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

/** An address as a message may quote it: whatever comes before an `@` may be a password, also where the rest is no address. */
export const withoutCredentials = (address: string): string =>
  address.replace(/^([\w+.-]+:\/\/)?.*(?:@|%40)/is, '$1***@')

/** Whether a text can follow the `@` in the address of a sandbox. */
export const isSandboxName = (name: string): boolean => /^[\w.~-]{1,64}$/.test(name)
