import { isIPv4 } from 'node:net'
import type { ListenOptions } from '../schema/options.ts'
import { MockError } from '../schema/error.ts'

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

/** Converts the error of a failed `listen` to one with a remedy. `port` is the name of the option that sets the port. */
export const toListenError = (error: unknown, options: ListenOptions, port: 'port' | '--port'): MockError =>
  error instanceof MockError
    ? error
    : new MockError('invalidOptions', explainListenError(error as Error, options, port), { cause: error })

const explainListenError = (error: NodeJS.ErrnoException, options: ListenOptions, port: string): string => {
  const where = `${options.port ?? 0} of ${options.host ?? loopback}`
  if (error.code === 'EADDRINUSE')
    return `Port ${where} is in use; choose another ${port}, or ${port} 0 for any free one.`
  if (error.code === 'EACCES') return `Port ${where} needs more permissions; choose a ${port} above 1023.`
  return `Failed to listen on port ${where}: ${error.message}.`
}
