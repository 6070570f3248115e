/** Whether a Host is trusted: a name that cannot be public, or an allowed one. `*.` matches any label. */
export const isOwnHost = (host: string, allowed: readonly string[]): boolean => {
  const name = hostName(host)
  return isPrivateName(name) || allowed.some((pattern) => matches(name, hostName(pattern)))
}

/** `mock.example`, of `Mock.example.:4600` */
export const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** Names that no public DNS leads to, so that no page can have been rebound to them. */
const isPrivateName = (name: string): boolean =>
  name === '' ||
  /^\[[\da-f:.]+\]$/.test(name) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) ||
  /^[a-z\d_-]+$/.test(name) ||
  /\.(?:localhost|local|internal|test)$/.test(name)

const matches = (name: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
