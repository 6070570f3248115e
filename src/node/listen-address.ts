import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'

export const loopback = '127.0.0.1'

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

export const toConnectableHost = (host: string): string => {
  if (host === '0.0.0.0') return loopback
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Returns the URLs of a server that is bound to this host. For a wildcard, these are all addresses of the machine. */
export const listAddresses = (host: string, port: number, interfaces = networkInterfaces()): string[] => {
  const isBound = { '0.0.0.0': isIPv4, '::': () => true }[host]
  const networkAddresses = Object.values(interfaces).flatMap((list) => (list ?? []).map(({ address }) => address))
  // A link-local address needs the name of an interface, which a URL cannot have.
  const usableAddresses = networkAddresses.filter((address) => !address.startsWith('fe80:'))
  const hosts = isBound === undefined ? [host] : usableAddresses.filter((address) => isBound(address))
  return hosts.map((hostAddress) => `http://${toConnectableHost(hostAddress)}:${port}`)
}

/** Explains a failed `listen`, with a remedy. `option` is the option that sets the port. A fixed one cannot be 0. */
export const explainListenError = (
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host: string,
  option: 'port' | '--port' | 'fixed --port',
): string => {
  const portOfHost = `${port} of ${host}`
  if (code === 'EADDRINUSE')
    return `Port ${portOfHost} is in use; choose another ${option}${option === 'fixed --port' ? '' : `, or ${option} 0 for any free one`}.`
  if (code === 'EACCES') return `Port ${portOfHost} needs more permissions; choose a ${option} above 1023.`
  return `Failed to listen on port ${portOfHost}: ${message}.`
}
