import { errors, MockError } from '../schema/error.ts'
import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ListenOptions } from '../schema/mock-options.ts'

/** The default host. */
export const loopback = '127.0.0.1'

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Returns the host for the URL of a server that is bound to this host. */
export const toConnectableHost = (host: string): string => {
  if (host === '0.0.0.0') return loopback
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Returns the URLs at which a server responds that is bound to this host: all of the machine for a wildcard. */
export const listAddresses = (host: string, port: number, interfaces = networkInterfaces()): string[] => {
  const isBound = { '0.0.0.0': isIPv4, '::': () => true }[host]
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? [])
  // A link-local address needs the name of an interface, which a URL cannot have.
  const usable = all.map(({ address }) => address).filter((address) => !address.startsWith('fe80:'))
  const hosts = isBound === undefined ? [host] : usable.filter((address) => isBound(address))
  return hosts.map((one) => `http://${toConnectableHost(one)}:${port}`)
}

/** Converts the error of a failed `listen` to one with a remedy. `port` is the name of the option that sets the port. */
export const toListenError = (error: unknown, options: ListenOptions, port: 'port' | '--port'): MockError =>
  error instanceof MockError
    ? error
    : errors.invalidOptions({ message: explainListenError(error as Error, options, port), cause: error })

const explainListenError = (error: NodeJS.ErrnoException, options: ListenOptions, port: string): string => {
  const where = `${options.port ?? 0} of ${options.host ?? loopback}`
  if (error.code === 'EADDRINUSE')
    return `Port ${where} is in use; choose another ${port}, or ${port} 0 for any free one.`
  if (error.code === 'EACCES') return `Port ${where} needs more permissions; choose a ${port} above 1023.`
  return `Failed to listen on port ${where}: ${error.message}.`
}
